//! What can be said on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Load balancing and auto-scaling of server platforms: a fluid model, an exact simulation, and how well they agree.
///
/// A scenario file says what the platform looks like; scenarios/figure1.toml explains its keys.
#[derive(Debug, Parser)]
#[command(name = "alba", version, after_help = "Example:\n  alba compare scenarios/figure1.toml")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Solve the fluid model, the limit of infinitely many servers
    #[command(
        after_help = "Example:\n  alba fluid scenarios/figure1.toml --set scheme.scaling.theta=0.1 --output fluid.csv"
    )]
    Fluid(Fluid),
    /// Simulate the chain of N servers
    #[command(
        after_help = "Example:\n  alba simulate scenarios/figure1.toml --set system.servers=100 --seed 7"
    )]
    Simulate(Simulate),
    /// Compare all engines on a scenario: a table of agreement, and table and figure in results/NAME/
    #[command(after_help = "Example:\n  alba compare scenarios/figure1.toml scenarios/jiq-rate-idle.toml")]
    Compare(Compare),
    /// Draw the papers' figures, each in results/NAME/
    #[command(after_help = "Example:\n  alba figures figure1")]
    Figures(Figures),
}

#[derive(Debug, Args)]
pub(crate) struct Fluid {
    /// Scenario file
    pub(crate) scenario: PathBuf,
    /// Also print warm_0 to warm_K: warm servers with so many jobs
    #[arg(long, value_name = "K", value_parser = levels())]
    pub(crate) levels: Option<u64>,
    /// Print the switches between regimes instead
    #[arg(long, conflicts_with = "levels")]
    pub(crate) events: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// Scenario file
    pub(crate) scenario: PathBuf,
    /// Also print warm_0 to warm_K: warm servers with so many jobs
    #[arg(long, value_name = "K", value_parser = levels())]
    pub(crate) levels: Option<u64>,
    /// Print one row about whole runs instead: time averages, events, levels found, percentiles
    #[arg(long, conflicts_with_all = ["levels", "paths"])]
    pub(crate) summary: bool,
    /// Print every replication instead of means
    #[arg(long)]
    pub(crate) paths: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Scenario files
    #[arg(required = true, value_name = "SCENARIO")]
    pub(crate) scenarios: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Figures {
    /// Names of figures; all if there are none: figure1
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Change a key of the scenario; VALUE is a TOML value, else a bare string
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Key of all random numbers; overrides run.seed
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: Option<u64>,
    /// Threads to use; results do not depend on it [default: all]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) threads: Option<u64>,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Write the table to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// No progress bar, no notes; warnings and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values with a header
    #[default]
    Csv,
    /// An array of objects
    Json,
}

/// A column for each level is kept in memory for every report time.
fn levels() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(..=10_000)
}

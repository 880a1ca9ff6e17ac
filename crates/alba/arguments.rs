//! What can be said on the command line.

use alba_model::Measure;
use alba_sweep::Shard;
use alba_trace::{Duplicates, Gaps, Stamps, TraceFormat, Values};
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
    /// Solve the fluid model, the limit of infinitely many servers, and say how good it is for so many as the scenario has
    #[command(
        after_help = "Example:\n  alba fluid scenarios/figure1.toml --set scheme.scaling.theta=0.1 --output fluid.csv"
    )]
    Fluid(Fluid),
    /// Simulate the chain of N servers
    #[command(
        after_help = "Example:\n  alba simulate scenarios/figure1.toml --set system.servers=100 --seed 7\n  alba simulate scenarios/figure1.toml --summary --set run.precision=2%"
    )]
    Simulate(Simulate),
    /// Solve the chain of N servers exactly, for few servers: no random numbers, errors bounded
    #[command(
        after_help = "Example:\n  alba exact scenarios/figure1.toml --set system.servers=10 --set system.buffer=5 --stationary"
    )]
    Exact(Exact),
    /// Find all fixed points of the fluid model, as JSON
    #[command(
        after_help = "Example:\n  alba fixed-point scenarios/figure1.toml --continue system.arrival_rate=0.05..0.99"
    )]
    FixedPoint(FixedPoint),
    /// Compare fluid model and simulation on a scenario: a table of agreement, and tables and figure in results/NAME/
    #[command(after_help = "Example:\n  alba compare scenarios/figure1.toml scenarios/jiq-rate-idle.toml")]
    Compare(Compare),
    /// Simulate numbered servers request by request under several policies: a row a policy, and tables and figure in results/NAME-cluster/
    #[command(
        after_help = "Example:\n  alba cluster scenarios/web-cluster.toml --set cluster.discipline=parallel\n  alba cluster scenarios/web-cluster.toml --set \"run.precision={ p95 = '5 %' }\""
    )]
    Cluster(Cluster),
    /// Compute a cell for every choice of values in a sweep file: table, timings and journal in results/NAME/. Goes on
    /// where it was stopped
    #[command(
        after_help = "Example:\n  alba sweep scenarios/sweeps/load.toml --dry-run | head\n  alba sweep scenarios/sweeps/load.toml --shard 0/8"
    )]
    Sweep(Sweep),
    /// Put the shards of a sweep together, in any order
    #[command(after_help = "Example:\n  alba merge results/load-shard-*")]
    Merge(Merge),
    /// Draw columns of a table, CSV or Parquet: lines with error bars, a heat map or a Pareto front, as SVG and PNG
    #[command(
        after_help = "Example:\n  alba plot results/load/table.csv --x system.arrival_rate --y mean_response_time --by scheme.dispatch"
    )]
    Plot(Plot),
    /// Measure how N servers approach the fluid model: bias of means and gaps along paths against N, with fitted slopes
    #[command(
        after_help = "Example:\n  alba converge scenarios/converge-smooth.toml scenarios/converge-saturated.toml scenarios/converge-sliding.toml"
    )]
    Converge(Converge),
    /// Write a commented scenario to start from, for a trace or for none
    #[command(
        after_help = "Example:\n  alba new --trace scenarios/traces/nasa-day.csv --mean-service-time \"250 ms\" --output my.toml"
    )]
    New(New),
    /// Print the requests of a trace per interval, whatever its format
    #[command(after_help = "Example:\n  alba trace scenarios/traces/nasa-day.csv --interval \"1 h\"")]
    Trace(Trace),
    /// Print what each server may take in each phase of the phase-partition arbitrator
    #[command(
        after_help = "Example:\n  alba partition --capacity 2000,1500,1000 --ratios 2,2.5,2 --format markdown"
    )]
    Partition(Partition),
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
    /// What servers are counted in
    #[arg(long, value_enum, default_value_t)]
    pub(crate) unit: Unit,
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
    /// Print one row about whole runs instead: time averages, events, levels found, percentiles, and where one run of that length lies
    #[arg(long, conflicts_with_all = ["levels", "paths"])]
    pub(crate) summary: bool,
    /// Print one row about the steady state instead: long runs, the transient cut off (MSER-5), intervals from batch means
    #[arg(long, conflicts_with_all = ["levels", "paths", "summary"])]
    pub(crate) steady_state: bool,
    /// Print every replication instead of means: run.replications of them, whatever the precision
    #[arg(long)]
    pub(crate) paths: bool,
    /// What servers are counted in
    #[arg(long, value_enum, default_value_t)]
    pub(crate) unit: Unit,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Exact {
    /// Scenario file
    pub(crate) scenario: PathBuf,
    /// Also print warm_0 to warm_K: warm servers with so many jobs
    #[arg(long, value_name = "K", value_parser = levels())]
    pub(crate) levels: Option<u64>,
    /// Print one row about the equilibrium instead, with percentiles of response times
    #[arg(long)]
    pub(crate) stationary: bool,
    /// What servers are counted in
    #[arg(long, value_enum, default_value_t)]
    pub(crate) unit: Unit,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct FixedPoint {
    /// Scenario file
    pub(crate) scenario: PathBuf,
    /// Also say what finite numbers of servers add: means to O(1/N^2), and bands
    #[arg(long, value_name = "N[,N...]", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) refine: Vec<u64>,
    /// Follow the fixed points along a key instead: a table, and table and figure in results/NAME-continued/
    #[arg(long = "continue", value_name = "KEY=FROM..TO", conflicts_with = "refine")]
    pub(crate) along: Option<String>,
    /// Steps of --continue
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) steps: u64,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Scenario files
    #[arg(required = true, value_name = "SCENARIO")]
    pub(crate) scenarios: Vec<PathBuf>,
    /// Run load balancers and scaling rules on the scenario's servers, request by request, beside the chain and the fluid model
    #[arg(long)]
    pub(crate) arbitrators: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Cluster {
    /// Scenario file; its table "cluster" has servers, policies, discipline and laws
    pub(crate) scenario: PathBuf,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Converge {
    /// Scenario files; a short horizon and few samples will do
    #[arg(required = true, value_name = "SCENARIO")]
    pub(crate) scenarios: Vec<PathBuf>,
    /// Numbers of servers for the bias of means
    #[arg(long, value_name = "N[,N...]", value_delimiter = ',', default_value = "30,100,300,1000", value_parser = servers())]
    pub(crate) servers: Vec<u64>,
    /// Numbers of servers for gaps along single paths
    #[arg(
        long,
        value_name = "N[,N...]",
        value_delimiter = ',',
        default_value = "100,1000,10000,100000,1000000",
        value_parser = servers()
    )]
    pub(crate) path_servers: Vec<u64>,
    /// Measures whose bias is taken, by the names of their columns
    #[arg(
        long,
        value_name = "MEASURE[,...]",
        value_delimiter = ',',
        default_value = "cold,busy,jobs_per_server",
        value_parser = measure
    )]
    pub(crate) measures: Vec<Measure>,
    #[command(flatten)]
    pub(crate) common: Common,
}

fn servers() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(1..=alba_compare::MOST_SERVERS)
}

fn measure(name: &str) -> Result<Measure, String> {
    let known = || Measure::ALL.iter().map(|measure| measure.name());
    let found = Measure::ALL.into_iter().find(|measure| measure.name() == name);
    found.ok_or_else(|| format!("one of {}", known().collect::<Vec<_>>().join(", ")))
}

#[derive(Debug, Args)]
pub(crate) struct Figures {
    /// Names of figures; all if there are none: arbitrators, figure1, optimality, async-vs-sync, phase-partition,
    /// aws-lambda
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Partition {
    /// The most connections of each server, from server 1 on
    #[arg(long, required = true, value_name = "C[,C...]", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) capacity: Vec<u32>,
    /// Ratios of phases 1, 2, ..., above 1, as in 2,2.5,2; the last one repeats. With 2 or more no server can be overloaded
    #[arg(long, required = true, value_name = "R[,R...]", value_delimiter = ',')]
    pub(crate) ratios: Vec<String>,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PartitionFormat,
    /// Write the table to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Sweep file; scenarios/sweeps/load.toml explains its keys
    pub(crate) sweep: PathBuf,
    /// Only part I of N, from 0: what a task of a job array computes; goes to results/NAME-shard-I-of-N/
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Begin anew, whatever was done before
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Print the cells instead, with an estimate of their time from timing a few
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Change a key of the scenario; VALUE is a TOML value, else a bare string
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Key of all random numbers; overrides run.seed
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: Option<u64>,
    /// Threads to use; results do not depend on it [default: all]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) threads: Option<u64>,
    /// Folder for everything [default: results/NAME]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// No progress, no notes; warnings and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Folders of all shards
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) shards: Vec<PathBuf>,
    /// Folder for everything [default: results/NAME]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// No notes; warnings and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Plot {
    /// Table, CSV or Parquet
    pub(crate) table: PathBuf,
    /// Column along the horizontal axis
    #[arg(long, value_name = "COLUMN")]
    pub(crate) x: String,
    /// Columns along the vertical axis; COLUMN_half_width, where the table has it, gives error bars
    #[arg(long, value_name = "COLUMN[,COLUMN...]", required = true, value_delimiter = ',')]
    pub(crate) y: Vec<String>,
    /// Columns whose values tell curves apart
    #[arg(long, value_name = "COLUMN[,COLUMN...]", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    /// A heat map instead: this column as colour over x and y
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["by", "pareto"])]
    pub(crate) heat: Option<String>,
    /// x against y instead, less of both being better, and the front of those that no other one beats
    #[arg(long)]
    pub(crate) pareto: bool,
    /// Only rows with this value in that column
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = pair)]
    pub(crate) only: Vec<(String, String)>,
    /// Horizontal axis by decimal logarithm
    #[arg(long)]
    pub(crate) log_x: bool,
    /// Vertical axis, or that of colours, by decimal logarithm
    #[arg(long)]
    pub(crate) log_y: bool,
    /// Line above the figure
    #[arg(long, default_value_t)]
    pub(crate) title: String,
    /// File, .svg or .png, or both if it ends in neither [default: figures/Y-against-X beside the table]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// No notes; warnings and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (column, value) = text.split_once('=').ok_or("COLUMN=VALUE, as in engine=fluid")?;
    Ok((column.trim().to_owned(), value.trim().to_owned()))
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// Trace: requests per interval, times of requests, Azure Functions invocations, or an access log; .gz too
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Mean service time of a request, as in "250 ms" [default: that of the trace, if it has service times, else 1 s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) mean_service_time: Option<f64>,
    /// Column of service times, where each row of the trace is a request [default: found out]
    #[arg(long, value_name = "NAME", requires = "trace")]
    pub(crate) duration_column: Option<String>,
    /// What a number in it counts: ns, us, ms, s, min, h, d [default: by the column's name, else as times, else s]
    #[arg(long, value_name = "UNIT", value_parser = unit, requires = "trace")]
    pub(crate) duration_unit: Option<f64>,
    #[command(flatten)]
    pub(crate) keys: Keys,
    /// What an interval without a row holds [default: interpolate]
    #[arg(long, value_parser = gaps())]
    pub(crate) gaps: Option<String>,
    /// Write the scenario to a new file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// No notes; warnings and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// Trace file
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) keys: Keys,
    /// What an interval without a row holds [default: error]
    #[arg(long, value_parser = gaps())]
    pub(crate) gaps: Option<String>,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Write the table to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// How to read a trace; what is absent is found out from the file.
#[derive(Debug, Args)]
pub(crate) struct Keys {
    /// How the trace is laid out [default: found out]
    #[arg(long, value_name = "FORMAT", value_parser = clap::builder::PossibleValuesParser::new(TraceFormat::NAMES))]
    pub(crate) trace_format: Option<String>,
    /// Column of numbers of requests, or of times if each row is a request [default: found out]
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,
    /// Column of times [default: found out]
    #[arg(long, value_name = "NAME")]
    pub(crate) time_column: Option<String>,
    /// What a number in the column of times counts: ns, us, ms, s, min, h, d [default: by the column's name, else s, or a fraction of
    /// it since 1970 where numbers are too large for seconds]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub(crate) time_unit: Option<f64>,
    /// Count requests per so much time, as in "5 min" [default: the file's, or 1 min]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) interval: Option<f64>,
    /// Only the functions whose hash begins so
    #[arg(long, value_name = "HASH")]
    pub(crate) function: Vec<String>,
    /// What the numbers of a row an interval are [default: by the column's name, else counts, which are whole]
    #[arg(long, value_name = "VALUES", value_parser = clap::builder::PossibleValuesParser::new(Values::NAMES))]
    pub(crate) values: Option<String>,
    /// What several rows for one interval mean [default: error]
    #[arg(long, value_name = "WAY", value_parser = clap::builder::PossibleValuesParser::new(Duplicates::NAMES))]
    pub(crate) duplicates: Option<String>,
    /// What equal times of requests mean where requests are replayed one by one: cut to whole seconds, say, or together [default: spread]
    #[arg(long, value_name = "WAY", value_parser = clap::builder::PossibleValuesParser::new(Stamps::NAMES))]
    pub(crate) stamps: Option<String>,
}

fn gaps() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(Gaps::NAMES)
}

fn duration(text: &str) -> Result<f64, String> {
    let within = |seconds: &f64| (1e-9..=36_500.0 * 86_400.0).contains(seconds);
    let allowed = "a time from 1 ns to 36500 d with a unit (ns, us, ms, s, min, h, d), as in \"250 ms\"";
    alba_scenario::duration_s(text).filter(within).ok_or_else(|| allowed.to_owned())
}

fn unit(text: &str) -> Result<f64, String> {
    alba_scenario::unit_s(text).ok_or_else(|| "one of ns, us, ms, s, min, h, d".to_owned())
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
    /// Apache Parquet
    Parquet,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum PartitionFormat {
    /// Comma-separated values with a header
    #[default]
    Csv,
    /// A Markdown table
    Markdown,
    /// An array of objects
    Json,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum Unit {
    /// Fractions of all servers
    #[default]
    Fractions,
    /// Numbers of servers
    Servers,
}

/// A column for each level is kept in memory for every report time.
fn levels() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(..=10_000)
}

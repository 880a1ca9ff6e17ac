//! From arguments to studies and back.

use crate::arguments::{
    Cluster, Command, Common, Compare, Converge, Exact, Figures, FixedPoint, Fluid, Format, Partition,
    PartitionFormat, Simulate, Unit,
};
use crate::progress::Bar;
use crate::report;
use crate::{plots, sweeps, traces};
use alba_compare::{
    Answer, Comparison, Continuation, Convergence, Error, InputError, Output, Override, Scenario, Table,
    View, Warning,
};
use std::path::Path;

/// Where results folders go: beside the reader.
pub(crate) const RESULTS: &str = "results";

pub(crate) fn run(command: &Command) -> Result<(), Error> {
    match command {
        Command::Fluid(arguments) => fluid(arguments),
        Command::Simulate(arguments) => simulate(arguments),
        Command::Exact(arguments) => exact(arguments),
        Command::FixedPoint(arguments) => fixed_point(arguments),
        Command::Compare(arguments) => compare(arguments),
        Command::Cluster(arguments) => cluster(arguments),
        Command::Sweep(arguments) => sweeps::sweep(arguments),
        Command::Merge(arguments) => sweeps::merge(arguments),
        Command::Plot(arguments) => plots::plot(arguments),
        Command::Converge(arguments) => converge(arguments),
        Command::New(arguments) => traces::new(arguments),
        Command::Trace(arguments) => traces::trace(arguments),
        Command::Partition(arguments) => partition(arguments),
        Command::Figures(arguments) => figures(arguments),
    }
}

fn fluid(arguments: &Fluid) -> Result<(), Error> {
    let common = &arguments.common;
    let scenario = common.load(&arguments.scenario)?;
    if arguments.events {
        return common.print(&alba_compare::fluid_switches(&scenario)?);
    }
    let view = view(arguments.levels, arguments.unit);
    let (answer, judgement) = alba_compare::fluid_judged(&scenario, view)?;
    report::warnings(&answer.warnings);
    judgement.iter().for_each(|judgement| report::judgement(judgement, common.quiet));
    common.print_table(&answer.table, &[])
}

fn simulate(arguments: &Simulate) -> Result<(), Error> {
    let common = &arguments.common;
    let scenario = common.load(&arguments.scenario)?;
    common.start_threads()?;
    let bar = Bar::new(common.quiet);
    let view = view(arguments.levels, arguments.unit);
    if arguments.paths {
        let mut warnings = vec![];
        common.output().write(|writer| {
            warnings = alba_compare::simulate_paths(&scenario, view, common.format(), writer, &bar)?;
            Ok(())
        })?;
        report::warnings(&warnings);
        return Ok(());
    }
    common.print(&if arguments.steady_state {
        alba_compare::simulate_steady_state(&scenario, view, &bar)?
    } else if arguments.summary {
        alba_compare::simulate_summary(&scenario, view, &bar)?
    } else {
        alba_compare::simulate(&scenario, view, &bar)?
    })
}

fn exact(arguments: &Exact) -> Result<(), Error> {
    let common = &arguments.common;
    let scenario = common.load(&arguments.scenario)?;
    common.start_threads()?;
    let view = view(arguments.levels, arguments.unit);
    common.print(&if arguments.stationary {
        alba_compare::exact_stationary(&scenario, view)?
    } else {
        alba_compare::exact(&scenario, view)?
    })
}

fn fixed_point(arguments: &FixedPoint) -> Result<(), Error> {
    let common = &arguments.common;
    let Some(along) = &arguments.along else {
        let scenario = common.load(&arguments.scenario)?;
        let report = alba_compare::fixed_points(&scenario, &arguments.refine)?;
        report::warnings(&Warning::about_keys(&scenario));
        return common.output().write(|writer| report.write(writer));
    };
    let continuation = Continuation::parse(along, arguments.steps as usize)?;
    let overrides = common.overrides()?;
    let load = |set: &Override| {
        Scenario::load(&arguments.scenario, &[&overrides[..], std::slice::from_ref(set)].concat())
    };
    let bar = Bar::new(common.quiet);
    let continued = alba_compare::continue_fixed_points(&load, &continuation, Path::new(RESULTS), &bar)?;
    common.note_folder(&continued.folder);
    common.print(&continued.answer)
}

fn view(levels: Option<u64>, unit: Unit) -> View {
    let unit = match unit {
        Unit::Fractions => alba_compare::Unit::Fractions,
        Unit::Servers => alba_compare::Unit::Servers,
    };
    View { levels: levels.map(|levels| levels as usize), unit }
}

fn compare(arguments: &Compare) -> Result<(), Error> {
    let common = &arguments.common;
    let scenarios = arguments.scenarios.iter().map(|path| common.load(path));
    let scenarios = scenarios.collect::<Result<Vec<_>, _>>()?;
    common.start_threads()?;
    if arguments.arbitrators {
        return compare_arbitrators(common, &scenarios);
    }
    common.print_comparison(&alba_compare::compare(&scenarios, Path::new(RESULTS), &Bar::new(common.quiet))?)
}

fn compare_arbitrators(common: &Common, scenarios: &[Scenario]) -> Result<(), Error> {
    let found = alba_compare::compare_arbitrators(scenarios, Path::new(RESULTS), &Bar::new(common.quiet))?;
    found.folders.iter().for_each(|folder| common.note_folder(folder));
    if !common.quiet {
        report::agreement(&found.agreement);
    }
    common.print(&found.answer)
}

fn cluster(arguments: &Cluster) -> Result<(), Error> {
    let common = &arguments.common;
    let scenario = common.load(&arguments.scenario)?;
    common.start_threads()?;
    let found = alba_compare::cluster(&scenario, Path::new(RESULTS), &Bar::new(common.quiet))?;
    common.note_folder(&found.folder);
    common.print(&found.answer)
}

fn converge(arguments: &Converge) -> Result<(), Error> {
    let common = &arguments.common;
    let scenarios = arguments.scenarios.iter().map(|path| common.load(path));
    let scenarios = scenarios.collect::<Result<Vec<_>, _>>()?;
    common.start_threads()?;
    let Converge { servers, path_servers, measures, .. } = arguments;
    let convergence = Convergence::new(servers.clone(), path_servers.clone(), measures.clone())?;
    let bar = Bar::new(common.quiet);
    let converged = alba_compare::converge(&scenarios, &convergence, Path::new(RESULTS), &bar)?;
    common.note_folder(&converged.folder);
    common.print(&converged.answer)
}

fn figures(arguments: &Figures) -> Result<(), Error> {
    let common = &arguments.common;
    let overrides = common.overrides()?;
    common.start_threads()?;
    let bar = Bar::new(common.quiet);
    let comparison = alba_compare::figures(&arguments.names, &overrides, Path::new(RESULTS), &bar)?;
    common.print_comparison(&comparison)
}

fn partition(arguments: &Partition) -> Result<(), Error> {
    let table = alba_compare::partition(&arguments.capacity, &arguments.ratios)?;
    let output = arguments.output.clone().map_or(Output::Standard, Output::File);
    output.write(|writer| {
        let written = match arguments.format {
            PartitionFormat::Csv => table.write(alba_compare::Format::Csv, writer),
            PartitionFormat::Markdown => table.write_markdown(writer),
            PartitionFormat::Json => table.write(alba_compare::Format::Json, writer),
        };
        written.map_err(Error::Output)
    })
}

impl From<Format> for alba_compare::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Csv => Self::Csv,
            Format::Json => Self::Json,
            Format::Parquet => Self::Parquet,
        }
    }
}

/// What `--set` and `--seed` say.
pub(crate) fn overrides(set: &[String], seed: Option<u64>) -> Result<Vec<Override>, InputError> {
    let set = set.iter().map(|text| Override::parse(text).map_err(InputError::from));
    set.chain(seed.map(|seed| Ok(Override::seed(seed)))).collect()
}

impl Common {
    fn overrides(&self) -> Result<Vec<Override>, InputError> {
        overrides(&self.set, self.seed)
    }

    fn load(&self, path: &Path) -> Result<Scenario, InputError> {
        self.output.as_ref().map_or(Ok(()), |output| refuse_same_file(path, output))?;
        Scenario::load(path, &self.overrides()?)
    }

    fn start_threads(&self) -> Result<(), Error> {
        self.threads.map_or(Ok(()), |threads| alba_compare::use_threads(threads as usize))
    }

    fn format(&self) -> alba_compare::Format {
        self.format.into()
    }

    fn output(&self) -> Output {
        self.output.clone().map_or(Output::Standard, Output::File)
    }

    fn print(&self, answer: &Answer) -> Result<(), Error> {
        self.print_table(&answer.table, &answer.warnings)
    }

    fn note_folder(&self, folder: &Path) {
        if !self.quiet {
            report::note(&format!("wrote {}", folder.display()));
        }
    }

    fn print_comparison(&self, comparison: &Comparison) -> Result<(), Error> {
        comparison.folders.iter().for_each(|folder| self.note_folder(folder));
        if !self.quiet {
            report::comparison(comparison);
        }
        self.print_table(&comparison.agreement, &comparison.warnings)
    }

    /// Warnings come first: the reader of a closed pipe still gets them.
    fn print_table(&self, table: &Table, warnings: &[Warning]) -> Result<(), Error> {
        report::warnings(warnings);
        self.output().write(|writer| table.write(self.format(), writer).map_err(Error::Output))
    }
}

/// The output would take the place of the scenario.
fn refuse_same_file(scenario: &Path, output: &Path) -> Result<(), InputError> {
    match (scenario.canonicalize(), output.canonicalize()) {
        (Ok(scenario), Ok(output)) if scenario == output => Err(InputError::OutputIsInput { path: output }),
        _ => Ok(()),
    }
}

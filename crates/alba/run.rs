//! From arguments to studies and back.

use crate::arguments::{Command, Common, Compare, Figures, Fluid, Format, Simulate};
use crate::progress::Bar;
use crate::report;
use alba_compare::{Answer, Comparison, Error, InputError, Output, Override, Scenario, Table, Warning};
use std::path::Path;

/// Where results folders go: beside the reader.
const RESULTS: &str = "results";

pub(crate) fn run(command: &Command) -> Result<(), Error> {
    match command {
        Command::Fluid(arguments) => fluid(arguments),
        Command::Simulate(arguments) => simulate(arguments),
        Command::Compare(arguments) => compare(arguments),
        Command::Figures(arguments) => figures(arguments),
    }
}

fn fluid(arguments: &Fluid) -> Result<(), Error> {
    let common = &arguments.common;
    let scenario = common.load(&arguments.scenario)?;
    let answer = if arguments.events {
        alba_compare::fluid_switches(&scenario)
    } else {
        alba_compare::fluid(&scenario, arguments.levels.map(|levels| levels as usize))
    };
    common.print(&answer?)
}

fn simulate(arguments: &Simulate) -> Result<(), Error> {
    let common = &arguments.common;
    let scenario = common.load(&arguments.scenario)?;
    common.start_threads()?;
    let bar = Bar::new(common.quiet);
    let levels = arguments.levels.map(|levels| levels as usize);
    if arguments.paths {
        let mut warnings = vec![];
        common.output().write(|writer| {
            warnings = alba_compare::simulate_paths(&scenario, levels, common.format(), writer, &bar)?;
            Ok(())
        })?;
        report::warnings(&warnings);
        return Ok(());
    }
    common.print(&if arguments.summary {
        alba_compare::simulate_summary(&scenario, &bar)?
    } else {
        alba_compare::simulate(&scenario, levels, &bar)?
    })
}

fn compare(arguments: &Compare) -> Result<(), Error> {
    let common = &arguments.common;
    let scenarios = arguments.scenarios.iter().map(|path| common.load(path));
    let scenarios = scenarios.collect::<Result<Vec<_>, _>>()?;
    common.start_threads()?;
    common.print_comparison(&alba_compare::compare(&scenarios, Path::new(RESULTS), &Bar::new(common.quiet))?)
}

fn figures(arguments: &Figures) -> Result<(), Error> {
    let common = &arguments.common;
    let overrides = common.overrides()?;
    common.start_threads()?;
    let bar = Bar::new(common.quiet);
    let comparison = alba_compare::figures(&arguments.names, &overrides, Path::new(RESULTS), &bar)?;
    common.print_comparison(&comparison)
}

impl Common {
    fn overrides(&self) -> Result<Vec<Override>, InputError> {
        let set = self.set.iter().map(|text| Override::parse(text).map_err(InputError::from));
        set.chain(self.seed.map(|seed| Ok(Override::seed(seed)))).collect()
    }

    fn load(&self, path: &Path) -> Result<Scenario, InputError> {
        Scenario::load(path, &self.overrides()?)
    }

    fn start_threads(&self) -> Result<(), Error> {
        self.threads.map_or(Ok(()), |threads| alba_compare::use_threads(threads as usize))
    }

    fn format(&self) -> alba_compare::Format {
        match self.format {
            Format::Csv => alba_compare::Format::Csv,
            Format::Json => alba_compare::Format::Json,
        }
    }

    fn output(&self) -> Output {
        self.output.clone().map_or(Output::Standard, Output::File)
    }

    fn print(&self, answer: &Answer) -> Result<(), Error> {
        self.print_table(&answer.table, &answer.warnings)
    }

    fn print_comparison(&self, comparison: &Comparison) -> Result<(), Error> {
        if !self.quiet {
            comparison.folders.iter().for_each(|folder| report::note(&format!("wrote {}", folder.display())));
        }
        self.print_table(&comparison.agreement, &comparison.warnings)
    }

    /// Warnings come first: the reader of a closed pipe still gets them.
    fn print_table(&self, table: &Table, warnings: &[Warning]) -> Result<(), Error> {
        report::warnings(warnings);
        self.output().write(|writer| table.write(self.format(), writer).map_err(Error::Output))
    }
}

//! What commands share: options, and how answers are printed.

use crate::arguments::{Common, Format};
use crate::failure::Failure;
use crate::report;
use alba_compare::{Answer, Comparison, InputError, Warning};
use alba_scenario::{Override, Reader, Scenario, ScenarioError};
use alba_table::{Output, Table, WriteError};
use std::path::Path;

/// Where results folders go: beside the reader.
pub(crate) const RESULTS: &str = "results";

impl From<Format> for alba_table::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Csv => Self::Csv,
            Format::Json => Self::Json,
            Format::Parquet => Self::Parquet,
        }
    }
}

/// What `--set` and `--seed` say.
pub(crate) fn overrides(set: &[String], seed: Option<u64>) -> Result<Vec<Override>, Failure> {
    let set = set.iter().map(|text| Override::parse(text).map_err(|fault| ScenarioError::from(fault).into()));
    set.chain(seed.map(|seed| Ok(Override::seed(seed)))).collect()
}

impl Common {
    pub(crate) fn overrides(&self) -> Result<Vec<Override>, Failure> {
        overrides(&self.set, self.seed)
    }

    pub(crate) fn load(&self, path: &Path) -> Result<Scenario, Failure> {
        self.output.as_ref().map_or(Ok(()), |output| refuse_same_file(path, output))?;
        Ok(Scenario::load(path, &self.overrides()?)?)
    }

    /// The scenario for these readers. Says which keys of the command line none of them depends on.
    pub(crate) fn load_for(&self, path: &Path, readers: &[Reader]) -> Result<Scenario, Failure> {
        let scenario = self.load(path)?;
        let keys: Vec<String> = self.overrides()?.iter().map(Override::key).collect();
        report::warnings(&Warning::unread(&scenario, readers, keys.iter().map(String::as_str)));
        Ok(scenario)
    }

    pub(crate) fn start_threads(&self) -> Result<(), Failure> {
        Ok(self.threads.map_or(Ok(()), |threads| alba_compare::use_threads(threads as usize))?)
    }

    pub(crate) fn format(&self) -> alba_table::Format {
        self.format.into()
    }

    pub(crate) fn output(&self) -> Output {
        self.output.clone().map_or(Output::Standard, Output::File)
    }

    pub(crate) fn print(&self, answer: &Answer) -> Result<(), Failure> {
        self.print_table(&answer.table, &answer.warnings)
    }

    pub(crate) fn note_folder(&self, folder: &Path) {
        if !self.quiet {
            report::note(&format!("wrote {}", folder.display()));
        }
    }

    pub(crate) fn print_comparison(&self, comparison: &Comparison) -> Result<(), Failure> {
        comparison.folders.iter().for_each(|folder| self.note_folder(folder));
        if !self.quiet {
            report::comparison(comparison);
        }
        self.print_table(&comparison.agreement, &comparison.warnings)
    }

    /// Warnings come first: the reader of a closed pipe still gets them.
    pub(crate) fn print_table(&self, table: &Table, warnings: &[Warning]) -> Result<(), Failure> {
        report::warnings(warnings);
        Ok(self.output().write(|writer| table.write(self.format(), writer).map_err(WriteError::Standard))?)
    }
}

/// The output would take the place of the scenario.
fn refuse_same_file(scenario: &Path, output: &Path) -> Result<(), Failure> {
    match (scenario.canonicalize(), output.canonicalize()) {
        (Ok(scenario), Ok(output)) if scenario == output => {
            Err(InputError::OutputIsInput { path: output }.into())
        }
        _ => Ok(()),
    }
}

//! What goes to standard error. That nobody reads it is no reason to fail.

use alba_compare::Warning;
use std::io::Write;

/// An error with its causes, a line for each of several faults.
pub(crate) fn error(error: alba_compare::Error) {
    format!("{:#}", anyhow::Error::new(error)).lines().for_each(|text| line("error: ", text));
}

pub(crate) fn warnings(warnings: &[Warning]) {
    warnings.iter().for_each(|warning| line("warning: ", &warning.to_string()));
}

pub(crate) fn note(text: &str) {
    line("", text);
}

fn line(kind: &str, text: &str) {
    writeln!(std::io::stderr(), "{kind}{text}").unwrap_or_default();
}

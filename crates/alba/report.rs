//! What goes to standard error. That nobody reads it is no reason to fail.

use crate::failure::Failure;
use alba_compare::{Comparison, Enough, FiniteReport, Judgement, Warning};
use alba_papers::EngineAgreement;
use alba_table::{Cell, Row, Table};
use std::io::Write;

/// An error with its causes, a line for each of several faults.
pub(crate) fn error(error: Failure) {
    format!("{:#}", anyhow::Error::new(error)).lines().for_each(|text| line("error: ", text));
}

pub(crate) fn warnings(warnings: &[Warning]) {
    warnings.iter().for_each(|each| warning(&each.to_string()));
}

pub(crate) fn warning(text: &str) {
    line("warning: ", text);
}

/// How good the fluid model is for so many servers: nothing but a note where it is.
pub(crate) fn judgement(judgement: &Judgement, quiet: bool) {
    if !judgement.is_good() {
        warning(&judgement.to_string());
    } else if !quiet {
        note(&judgement.to_string());
    }
}

/// What became of all requests, how close the engines are, and from which N on they would be.
pub(crate) fn comparison(comparison: &Comparison) {
    jobs(&comparison.jobs).iter().for_each(|line| note(line));
    for close in &comparison.closeness {
        note(&format!(
            "{} (N = {}): fluid and simulated servers differ by {:.3} % of all in the mean",
            close.scenario,
            close.servers,
            100.0 * close.mean_difference
        ));
    }
    comparison.judgements.iter().for_each(|judgement| note(&judgement.to_string()));
    comparison.enough.iter().for_each(|enough| note(&servers_needed(enough)));
}

/// How well the engines agree on the numbers that several of them know.
pub(crate) fn agreement(agreement: &[EngineAgreement]) {
    for EngineAgreement { scenario, comparisons, largest_score, allowed } in agreement {
        if *comparisons == 0 {
            note(&format!(
                "{scenario}: no number has an interval in two engines, so that nothing is compared; a replication alone has none \
                 (run.replications)"
            ));
            continue;
        }
        note(&format!(
            "{scenario}: of {comparisons} numbers that two engines know, the largest difference is {largest_score:.2} joint standard \
             errors; chance alone passes {allowed:.2} once in a hundred studies"
        ));
    }
}

/// From which number of servers on the fluid model is good.
fn servers_needed(Enough { scenario, finite }: &Enough) -> String {
    match finite {
        FiniteReport::Refined {
            servers_for_1_percent: one, servers_for_5_percent: five, not_known, ..
        } => {
            let known = [(five, 5), (one, 1)].into_iter().filter_map(|(servers, percent)| {
                servers.map(|servers| format!("within {percent} % from N = {} on", servers.max(1)))
            });
            let unknown =
                not_known.iter().map(|reason| format!("not known to be good from some N on: {reason}"));
            let parts: Vec<String> = known.chain(unknown).collect();
            format!(
                "{scenario}: at rest the fluid model's jobs per server and mean response time are {}",
                parts.join(", ")
            )
        }
        FiniteReport::Not { not_refined } => {
            format!("{scenario}: from which N on the fluid model is good is not known: {not_refined}")
        }
    }
}

/// A line for each scenario of the table of jobs.
fn jobs(table: &Table) -> Vec<String> {
    let shown = |cell: &Cell| match cell {
        Cell::Text(text) => text.clone(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Integer(count) => count.to_string(),
        Cell::Number(number) => number.to_string(),
        Cell::Empty => "unknown".to_owned(),
    };
    let line = |row: &Row| {
        let cell = |name: &str| {
            let index = table.columns().iter().position(|column| column == name);
            index.and_then(|index| row.get(index)).map(shown).unwrap_or_default()
        };
        format!(
            "{}: {} requests and {} present at the start = {} done + {} lost + {} rejected + {} present at the end",
            cell("scenario"),
            cell("requests"),
            cell("present_at_start"),
            cell("done"),
            cell("lost"),
            cell("rejected"),
            cell("present_at_end")
        )
    };
    table.rows().iter().map(line).collect()
}

pub(crate) fn note(text: &str) {
    line("", text);
}

fn line(kind: &str, text: &str) {
    writeln!(std::io::stderr(), "{kind}{text}").unwrap_or_default();
}

//! The N-server chain of a scenario in steady state.

use super::simulate::{
    PRECISE, Stage, failed, not_precise, not_seen, precision, timed, warnings, with_named,
};
use super::view::{estimate_columns, response_time_columns};
use super::{Answer, Progress, View};
use crate::answer::measures;
use crate::{Error, InputError, Warning};
use alba_ctmc::{CtmcError, Estimate, Experiment, Scope, SteadyState};
use alba_model::Measure;
use alba_replicate::{Shortfall, Steady, Verdict};
use alba_scenario::Scenario;
use alba_table::{Column, Schema};

/// One row about the steady state, from long runs whose transient is cut off: `runs`, `run_length`, `truncation` (left out of each
/// run, from its start), `batches` of all runs and `batch_length`; the mean of every measure, and its half-width; then for
/// every measure `_autocorrelation` of neighbouring tenths of batches, and `_effective_sample`; response times again in milliseconds where
/// known; `precision_met`, where a precision is asked for: runs are then made longer until it is met. What the runs are too
/// short for is left empty, with a warning.
///
/// # Errors
/// [`InputError::NoSteadyState`] if the arrival rate changes, [`InputError::EventsLimited`], [`Error::Chain`].
pub fn simulate_steady_state(
    scenario: &Scenario,
    view: View,
    progress: &dyn Progress,
) -> Result<Answer, Error> {
    let view = View { levels: None, ..view };
    let (found, shortfall) = run(scenario, progress)?;
    let estimate = |row: &SteadyState, index: usize| Some(row.measures.get(index)?.estimate);
    let each = |suffix, meaning, of: fn(&Steady) -> Option<f64>| {
        view.measures().into_iter().enumerate().map(move |(index, measure)| {
            let value = move |row: &SteadyState| of(row.measures.get(index)?);
            Column::new(format!("{}_{suffix}", measure.name()), "", meaning, value)
        })
    };
    let met = || Column::new("precision_met", "", PRECISE, |_: &SteadyState| shortfall.is_none());
    let schema = Schema::new()
        .column("runs", "", "how many", |row: &SteadyState| row.runs)
        .column("run_length", "service times", "of each", |row| row.length)
        .column("truncation", "service times", "left out of each, from its start", |row| row.truncation)
        .column("batches", "", "of all runs", |row| row.batches)
        .column("batch_length", "service times", "of each", |row| row.batch_length)
        .columns(estimate_columns(scenario, view, estimate))
        .columns(each("autocorrelation", "of neighbouring tenths of batches", |of| of.autocorrelation))
        .columns(each("effective_sample", "independent values worth as much", |of| of.effective_sample))
        .columns(response_time_columns(scenario, "", estimate))
        .columns(scenario.run().precision.as_ref().map(|_| met()));
    let table = schema.table([&found]);
    Ok(Answer { table, warnings: all_warnings(scenario, &found, shortfall) })
}

fn run(scenario: &Scenario, progress: &dyn Progress) -> Result<(SteadyState, Option<Shortfall>), Error> {
    let problem = timed(scenario)?;
    let run = scenario.run();
    let has_interval =
        |measure: Measure| measure.percentile().is_none() && problem.estimates(measure, Scope::TimeAverages);
    let measures = with_named(scenario, measures(None), has_interval, "what has intervals in steady state")?;
    let stage = Stage::new(scenario.name(), progress);
    let hear = |done, planned| stage.hear(done, planned);
    let found = precision(scenario, &measures).map_err(CtmcError::from).and_then(|precision| {
        let experiment = Experiment::new(run.replications, run.seed, measures, *scenario.power())?;
        match precision {
            None => Ok((alba_ctmc::steady_state(&problem, &experiment, &hear)?, None)),
            Some(precision) => alba_ctmc::steady_state_to_precision(&problem, &experiment, &precision, &hear),
        }
    });
    progress.end();
    let name = || scenario.name().to_owned();
    found.map_err(|source| match source {
        CtmcError::NoStationaryLaw { .. } => InputError::NoSteadyState { scenario: name() }.into(),
        CtmcError::EventsLimited => InputError::EventsLimited { scenario: name() }.into(),
        source => failed(scenario, source),
    })
}

fn all_warnings(scenario: &Scenario, found: &SteadyState, shortfall: Option<Shortfall>) -> Vec<Warning> {
    let mut all = warnings(scenario, &found.events);
    let name = || scenario.name().to_owned();
    if found.truncation.is_none() {
        all.push(Warning::Unsettled { scenario: name(), length: found.length });
    }
    let correlated =
        found.measures.iter().zip(measures(None)).filter_map(|(steady, measure)| match steady.verdict {
            Verdict::Correlated { longer } => Some((measure.name(), longer)),
            Verdict::LongEnough | Verdict::Constant | Verdict::Undefined | Verdict::Unsettled => None,
        });
    let (measures, longer): (Vec<String>, Vec<f64>) = correlated.unzip();
    if !measures.is_empty() {
        let longer = longer.into_iter().fold(1.0, f64::max);
        all.push(Warning::CorrelatedBatches { scenario: name(), measures, longer });
    }
    let replications = scenario.run().most_replications();
    all.extend(shortfall.map(|shortfall| not_precise(scenario.name(), replications, shortfall, None)));
    let estimates: Vec<Estimate> = found.measures.iter().map(|steady| steady.estimate).collect();
    let asked = precision(scenario, &crate::answer::measures(None)).ok().flatten();
    all.extend(asked.and_then(|precision| not_seen(scenario, &precision, &estimates)));
    all
}

//! The N-server chain of a scenario.

use super::view::{
    estimate_columns, in_milliseconds, measure_columns, one_run, place_of, response_time_columns,
};
use super::{Answer, Progress, View, percentiles};
use crate::answer::{measures, time_columns};
use crate::engine::Simulate;
use crate::limit::{deadline, out_of_time};
use crate::results::Simulation;
use crate::{Error, InputError, Share, Warning};
use alba_ctmc::{
    CtmcError, Estimate, EventCounts, Experiment, GridPoint, Interval, Outcome, Problem, Scope, Summary,
};
use alba_model::{Counts, ErlangMixture, Grid, Measure, Snapshot};
use alba_replicate::{Precision, PrecisionError, Shortfall};
use alba_scenario::Scenario;
use alba_table::WriteError;
use alba_table::{Column, Format, Schema, TableWriter};
use std::io::Write;
use std::sync::Mutex;

/// Means over replications on the scenario's grid: `time`, `time_s` where known, `arrival_rate`, every measure, the
/// levels that `view` asks for, each measure again with the suffix `_half_width` (95 %, pointwise: Student t, or exact limits where few events were seen, see
/// [`Estimate`]),
/// `replications`, the number that reached that time, the response time in milliseconds where known, and percentiles of
/// the response time, under first come, first served, of jobs that arrive at that time, with their probability of waiting;
/// where a precision is asked for, `precision_met`: whether that row has it.
///
/// # Errors
/// [`Error::Chain`].
pub fn simulate(scenario: &Scenario, view: View, progress: &dyn Progress) -> Result<Answer, Error> {
    let simulated = run(scenario, view.levels, Scope::ReportTimes, progress)?;
    let outcome = &simulated.outcome;
    let estimate = |point: &GridPoint, index: usize| point.estimates.get(index).copied();
    let schema = Schema::new()
        .columns(time_columns(scenario, |point: &GridPoint| point.time))
        .column("arrival_rate", "per server and service time", "then", |point| point.arrival_rate)
        .columns(estimate_columns(scenario, view, estimate))
        .column("replications", "", "that reached that time", |point| point.replications)
        .columns(response_time_columns(scenario, "", estimate))
        .columns(percentiles::columns("", |point: &GridPoint| point.response_time.as_ref()))
        .columns(percentiles::columns_in_milliseconds(scenario, |point: &GridPoint| {
            point.response_time.as_ref()
        }))
        .columns(simulated.precision_column(|point: &GridPoint| &point.estimates));
    let table = schema.table(&outcome.points);
    Ok(Answer { table, warnings: simulated.warnings(scenario) })
}

/// One row about whole runs: `replications`; `events` and those of every class, all replications together and the
/// warm-up included; averages along the run after the warm-up of every measure, and their half-widths; percentiles
/// of the response time under first come, first served, and the probability of waiting; `found_0`, `found_1`, ...: jobs accepted after the warm-up
/// that found so many jobs at their server; response times again in milliseconds where known; `precision_met`, where a precision
/// is asked for; half-widths of percentiles and of the probability of waiting, of percentiles in milliseconds too; every measure with the suffixes `_run_low`
/// and `_run_high`: where one run of that length lies with a probability of 95 %.
///
/// # Errors
/// [`Error::Chain`].
pub fn simulate_summary(scenario: &Scenario, view: View, progress: &dyn Progress) -> Result<Answer, Error> {
    let simulated = run(scenario, None, Scope::TimeAverages, progress)?;
    let summary = &simulated.outcome.summary;
    let table = summary_columns(scenario, View { levels: None, ..view }, &simulated)
        .table([Whole { summary, response_time: summary.response_time() }]);
    let mut warnings = simulated.warnings(scenario);
    warnings.extend(percentiles::no_interval(scenario, summary));
    Ok(Answer { table, warnings })
}

/// Whole runs.
struct Whole<'s> {
    summary: &'s Summary,
    response_time: Option<ErlangMixture>,
}

fn summary_columns<'s>(
    scenario: &'s Scenario,
    view: View,
    simulated: &'s Simulated,
) -> Schema<'s, Whole<'s>> {
    type Row<'s> = Whole<'s>;
    let summary = &simulated.outcome.summary;
    let estimate = |row: &Row<'s>, index: usize| row.summary.time_averages.get(index).copied();
    let classes = summary.events.classes().into_iter().enumerate().map(|(index, (name, _))| {
        Column::new(name, "events", "of all replications", move |row: &Row<'s>| {
            row.summary.events.classes()[index].1
        })
    });
    let found = (0..summary.found.len()).map(|level| {
        Column::new(format!("found_{level}"), "jobs", "accepted that found so many", move |row: &Row<'s>| {
            row.summary.found[level]
        })
    });
    let servers = scenario.servers() as f64;
    let one = view.measures().into_iter().enumerate().map(|(index, measure)| {
        let factor = view.factor(measure, servers);
        let interval = move |row: &Row<'s>| {
            let Interval { low, high } = row.summary.one_run.get(index).copied()??;
            Some(Interval { low: factor * low, high: factor * high })
        };
        (measure.name(), view.unit_of(measure), interval)
    });
    Schema::new()
        .column("replications", "", "how many", |row: &Row<'s>| row.summary.replications)
        .column("events", "events", "of all replications", |row| row.summary.events.total())
        .columns(classes)
        .columns(estimate_columns(scenario, view, estimate))
        .columns(percentiles::columns("", |row: &Row<'s>| row.response_time.as_ref()))
        .columns(found)
        .columns(response_time_columns(scenario, "", estimate))
        .columns(percentiles::columns_in_milliseconds(scenario, |row: &Row<'s>| row.response_time.as_ref()))
        .columns(simulated.precision_column(|row: &Row<'s>| &row.summary.time_averages))
        .columns(percentiles::half_width_columns(scenario, |row: &Row<'s>| row.summary))
        .columns(one_run(one.collect(), ""))
}

/// Writes every replication, in order: `replication`, from 0, then the columns of [`super::fluid`] without percentiles.
/// Memory does not grow with their number. A precision plays no role: there are `run.replications`.
///
/// # Errors
/// [`Error::Chain`], [`Error::Write`].
pub fn simulate_paths(
    scenario: &Scenario,
    view: View,
    format: Format,
    writer: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<Vec<Warning>, Error> {
    let problem = timed(scenario)?;
    let measures = view.measures();
    let value = |(_, at): &(u64, Snapshot), index: usize| measures[index].value(&at.with(scenario.power()));
    let place = place_of(Measure::MeanResponseTime);
    let schema = Schema::new()
        .column("replication", "", "its number, from 0", |row: &(u64, Snapshot)| row.0)
        .columns(time_columns(scenario, |row: &(u64, Snapshot)| row.1.time))
        .column("arrival_rate", "per server and service time", "then", |row| row.1.arrival_rate)
        .columns(measure_columns(scenario, view, ("", "in that replication"), value))
        .columns(in_milliseconds(scenario, "mean_response_time", move |row| value(row, place?)));
    let mut table = TableWriter::new(format, writer, schema.heads()).map_err(WriteError::Standard)?;
    let run = scenario.run();
    let mut events = EventCounts::default();
    progress.begin(scenario.name(), run.replications);
    let written = alba_ctmc::for_each_path(&problem, run.seed, 0..run.replications, |path| {
        add_turned_away(&mut events, &path.events);
        progress.advance(1);
        let mut rows = path.snapshots.into_iter().map(|at| schema.row(&(path.replication, at)));
        rows.try_for_each(|row| table.row(&row)).map_err(Stop::Output)
    });
    progress.end();
    written.and_then(|()| table.finish().map_err(Stop::Output)).map_err(|stop| match stop {
        Stop::Chain(source) => failed(scenario, source),
        Stop::Output(source) => WriteError::Standard(source).into(),
    })?;
    Ok(warnings(scenario, &events))
}

/// Why not all paths were written.
enum Stop {
    Chain(CtmcError),
    Output(std::io::Error),
}

impl From<CtmcError> for Stop {
    fn from(error: CtmcError) -> Self {
        Self::Chain(error)
    }
}

/// What replications said, and whether they sufficed.
pub(super) struct Simulated {
    pub(super) outcome: Outcome,
    engine: &'static str,
    precision: Option<Precision>,
    scope: Scope,
    shortfall: Option<Shortfall>,
}

impl Simulated {
    /// Warnings of a run and of its precision.
    fn warnings(&self, scenario: &Scenario) -> Vec<Warning> {
        let events = &self.outcome.summary.events;
        let averages = &self.outcome.summary.time_averages;
        let not_seen = self.precision.as_ref().and_then(|precision| not_seen(scenario, precision, averages));
        warnings(scenario, events).into_iter().chain(self.not_precise(scenario)).chain(not_seen).collect()
    }

    /// A warning if the precision was not met.
    pub(super) fn not_precise(&self, scenario: &Scenario) -> Option<Warning> {
        let replications = self.outcome.summary.replications;
        let time = |row| match self.scope {
            Scope::ReportTimes => Some(scenario.run().grid.time(row)),
            Scope::TimeAverages => None,
        };
        self.shortfall
            .map(|shortfall| not_precise(scenario.name(), replications, shortfall, time(shortfall.row)))
    }

    /// Whether estimates are precise; no column if nobody asked.
    fn precision_column<'c, R: 'c>(&'c self, estimates: fn(&R) -> &Vec<Estimate>) -> Option<Column<'c, R>> {
        self.precision.as_ref().map(|precision| {
            Column::new("precision_met", "", PRECISE, move |row| precision.is_met(estimates(row)))
        })
    }

    /// For the manifest.
    pub(super) fn simulation(&self) -> Simulation {
        let precise = self.precision.is_some();
        Simulation {
            engine: Some(self.engine),
            replications: precise.then_some(self.outcome.summary.replications),
            precision_met: precise.then_some(self.shortfall.is_none()),
        }
    }
}

/// What the column says.
pub(super) const PRECISE: &str = "whether estimates are as precise as asked for";

pub(super) fn not_precise(
    scenario: &str,
    replications: u64,
    shortfall: Shortfall,
    time: Option<f64>,
) -> Warning {
    let Shortfall { measure, excess, .. } = shortfall;
    let (scenario, measure) = (scenario.to_owned(), measure.name());
    Warning::NotPrecise { scenario, replications, measure, time, excess }
}

/// If one precision for all measures leaves some out.
pub(super) fn not_seen(
    scenario: &Scenario,
    precision: &Precision,
    estimates: &[Estimate],
) -> Option<Warning> {
    let names: Vec<String> = measures(None).into_iter().map(Measure::name).collect();
    let left_out = precision.left_out(&estimates[..names.len().min(estimates.len())]);
    let measures: Vec<String> = left_out.into_iter().map(|index| names[index].clone()).collect();
    (!measures.is_empty()).then(|| Warning::NotSeen { scenario: scenario.name().to_owned(), measures })
}

/// The precision that a scenario asks for, of these measures.
pub(super) fn precision(
    scenario: &Scenario,
    measures: &[Measure],
) -> Result<Option<Precision>, PrecisionError> {
    let asked = scenario.run().precision.as_ref();
    asked.map(|asked| asked.precision(measures, scenario.run().most_replications())).transpose()
}

/// `measures`, and those that the scenario wants to know to some precision. What has no interval is refused.
///
/// # Errors
/// [`InputError::Scenario`] with the place of each.
pub(super) fn with_named(
    scenario: &Scenario,
    mut measures: Vec<Measure>,
    has_interval: impl Fn(Measure) -> bool,
    what: &str,
) -> Result<Vec<Measure>, InputError> {
    let Some(asked) = &scenario.run().precision else { return Ok(measures) };
    let known: Vec<Measure> = Measure::known().filter(|&measure| has_interval(measure)).collect();
    asked.refuse_others(&known, what)?;
    let more: Vec<Measure> = asked.named().filter(|measure| !measures.contains(measure)).collect();
    measures.extend(more);
    Ok(measures)
}

/// Simulates all replications, or as many as the estimates of `scope` need to be precise.
pub(super) fn run(
    scenario: &Scenario,
    levels: Option<usize>,
    scope: Scope,
    progress: &dyn Progress,
) -> Result<Simulated, Error> {
    let problem = timed(scenario)?;
    let run = scenario.run();
    let what = match scope {
        Scope::ReportTimes => "what has intervals at report times (--summary has more)",
        Scope::TimeAverages => "what has intervals along runs",
    };
    let has_interval = |measure| problem.estimates(measure, scope);
    let measures = with_named(scenario, measures(levels), has_interval, what)?;
    progress.begin(scenario.name(), run.replications);
    let simulate = || {
        let precision = precision(scenario, &measures)?;
        let experiment = Experiment::new(run.replications, run.seed, measures, *scenario.power())?;
        let experiment = match scope {
            Scope::ReportTimes => experiment,
            Scope::TimeAverages => experiment.with_single_runs(),
        };
        let (outcome, shortfall) = match &precision {
            None => (alba_ctmc::simulate(&problem, &experiment, &|_| progress.advance(1))?, None),
            Some(precision) => {
                let stage = Stage::new(scenario.name(), progress);
                alba_ctmc::simulate_to_precision(
                    &problem,
                    &experiment,
                    precision,
                    scope,
                    &|done, planned| {
                        stage.hear(done, planned);
                    },
                )?
            }
        };
        Ok(Simulated { outcome, engine: problem.engine(), precision, scope, shortfall })
    };
    let simulated = simulate().map_err(|source| failed(scenario, source));
    progress.end();
    simulated
}

/// Tells `progress` of plans that grow.
pub(super) struct Stage<'p> {
    part: &'p str,
    progress: &'p dyn Progress,
    /// What was heard last: done and planned.
    last: Mutex<(u64, u64)>,
}

impl<'p> Stage<'p> {
    pub(super) fn new(part: &'p str, progress: &'p dyn Progress) -> Self {
        Self { part, progress, last: Mutex::new((0, 0)) }
    }

    /// So much of the present plan is done. Reports of threads may come out of order.
    pub(super) fn hear(&self, done: u64, planned: u64) {
        let Ok(mut last) = self.last.lock() else { return };
        if planned != last.1 {
            self.progress.begin(self.part, planned);
            *last = (0, planned);
        }
        self.progress.advance(done.saturating_sub(last.0));
        last.0 = last.0.max(done);
    }
}

/// The scenario's chain, to be simulated from now on in the time that there is.
pub(super) fn timed(scenario: &Scenario) -> Result<Problem, Error> {
    timed_chain(scenario, scenario.run().grid)
}

/// The same, watched at the times of `grid`.
pub(super) fn timed_chain(scenario: &Scenario, grid: Grid) -> Result<Problem, Error> {
    let problem = chain_problem(scenario, grid)?;
    Ok(problem.with_deadline(deadline(scenario, &Simulate, 1.0)?))
}

/// The chain of the scenario's number of servers, watched at the times of `grid`.
///
/// # Errors
/// [`Error::Chain`].
pub fn chain_problem(scenario: &Scenario, grid: Grid) -> Result<Problem, Error> {
    let initial = Counts::apportion(scenario.initial(), scenario.servers());
    let run = scenario.run();
    Problem::new(scenario.model().clone(), initial, grid, run.warm_up, run.max_events).map_err(|source| {
        match source {
            CtmcError::TooFast { servers, rate } => {
                InputError::TooFast { scenario: scenario.name().to_owned(), servers, rate }.into()
            }
            _ => failed(scenario, source),
        }
    })
}

pub(super) fn failed(scenario: &Scenario, source: CtmcError) -> Error {
    match source {
        CtmcError::OutOfTime(_) => out_of_time(scenario).into(),
        source => Error::Chain { scenario: scenario.name().to_owned(), source },
    }
}

pub(super) fn warnings(scenario: &Scenario, events: &EventCounts) -> Vec<Warning> {
    Warning::about(scenario).into_iter().chain(turned_away(scenario, events)).collect()
}

/// Warnings about jobs turned away, all replications together.
pub(super) fn turned_away(scenario: &Scenario, events: &EventCounts) -> Vec<Warning> {
    let share = |jobs: u64| if jobs == 0 { 0.0 } else { jobs as f64 / events.arrivals() as f64 };
    let [lost, rejected] = [events.lost, events.rejected].map(|jobs| Share::OfAll(share(jobs)));
    Warning::turned_away(scenario.name(), lost, rejected)
}

/// Adds what [`turned_away`] looks at.
fn add_turned_away(sum: &mut EventCounts, more: &EventCounts) {
    sum.accepted += more.accepted;
    sum.lost += more.lost;
    sum.rejected += more.rejected;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Silent, Unit};
    use alba_scenario::Override;

    const ONE_LEVEL: View = View { levels: Some(1), unit: Unit::Fractions };

    fn scenario(sets: &[&str]) -> Scenario {
        let small = ["system.servers=10", "run.horizon=30", "run.samples=3", "run.replications=4"];
        let overrides: Vec<_> = small.iter().chain(sets).map(|set| Override::parse(set).unwrap()).collect();
        Scenario::parse("f", include_str!("../../../scenarios/figure1.toml"), &overrides).unwrap()
    }

    #[test]
    fn means_are_means_of_the_paths() {
        let scenario = scenario(&[]);
        let means = simulate(&scenario, ONE_LEVEL, &Silent).unwrap().table;
        let mut text = vec![];
        simulate_paths(&scenario, ONE_LEVEL, Format::Csv, &mut text, &Silent).unwrap();
        let mut paths = csv::Reader::from_reader(&text[..]);
        let column = paths.headers().unwrap().iter().position(|name| name == "warm_1").unwrap();
        let last: Vec<f64> = paths
            .records()
            .map(Result::unwrap)
            .filter(|row| &row[1] == "30")
            .map(|row| row[column].parse().unwrap())
            .collect();
        assert_eq!(last.len(), 4);
        let mean = means.numbers("warm_1").unwrap()[3].unwrap();
        assert!((mean - last.iter().sum::<f64>() / 4.0).abs() < 1e-15);
    }

    #[test]
    fn runs_that_ended_early_are_left_out() {
        let table = simulate(&scenario(&["run.max_events=100"]), View::default(), &Silent).unwrap().table;
        let replications = table.numbers("replications").unwrap();
        assert_eq!((replications[0], replications[3]), (Some(4.0), Some(0.0)));
        assert_eq!(table.numbers("cold").unwrap()[3], None);
    }

    #[test]
    fn a_summary_accounts_for_every_job() {
        let table = simulate_summary(&scenario(&["run.warm_up=0"]), View::default(), &Silent).unwrap().table;
        let number = |name: &str| table.numbers(name).unwrap()[0].unwrap();
        let names: Vec<_> = table.heads().iter().map(|head| head.name.as_str()).collect();
        let found = names.iter().filter(|name| name.starts_with("found_"));
        assert_eq!(found.map(|name| number(name)).sum::<f64>(), number("accepted"));
        let classes = ["accepted", "rejected", "lost", "completions", "scale_ups", "idle_scalings"];
        let others = number("initializations") + number("expirations");
        assert_eq!(classes.map(number).iter().sum::<f64>() + others, number("events"));
    }
}

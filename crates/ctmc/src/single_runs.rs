//! What single runs give: where one more lies.

use alba_model::{Measure, Parts};
use alba_replicate::{Interval, SingleRuns, in_order};

use crate::agenda::agenda;
use crate::nature::natures;
use crate::random::Streams;
use crate::replication::{Average, engine, run_on};
use crate::simulate::time_average;
use crate::{CtmcError, Experiment, Problem};

/// With fewer servers than this, single runs go event by event.
///
/// The fast engine's time averages are expectations given the sequence of steps: that takes away the part of their variance
/// that comes from how long steps last, about one in twice the number of steps for which the state is correlated, which is some
/// steps a server. With so many servers it is 2 % at most.
pub(crate) const FEW_SERVERS: u64 = 32;

/// For every measure of an experiment.
#[derive(Debug, Clone)]
pub(crate) struct SingleRunsOf(Vec<SingleRuns>);

impl SingleRunsOf {
    pub(crate) fn new(measures: usize) -> Self {
        Self(vec![SingleRuns::default(); measures])
    }

    /// As many as there are `replications`, or as are kept.
    pub(crate) fn event_by_event(
        problem: &Problem,
        experiment: &Experiment,
        replications: u64,
    ) -> Result<Self, CtmcError> {
        let stops = agenda(problem);
        let average = |replication| -> Result<Option<Average>, CtmcError> {
            let mut engine = engine(problem, Streams::new(experiment.seed, replication), None);
            Ok(run_on(&mut *engine, problem, &stops, &mut |_| ())?.average)
        };
        let mut runs = Self::new(experiment.measures.len());
        let replications = 0..replications.min(SingleRuns::MOST as u64);
        in_order(replications, 64, average, |average| {
            if let Some(average) = average? {
                runs.push(&average, experiment, problem.servers() as f64);
            }
            Ok::<(), CtmcError>(())
        })?;
        Ok(runs)
    }

    pub(crate) fn push(&mut self, average: &Average, experiment: &Experiment, servers: f64) {
        for (runs, &measure) in self.0.iter_mut().zip(&experiment.measures) {
            let parts = time_average(measure, average, servers, &experiment.power);
            runs.push(if measure == Measure::MeanResponseTime { response_time(average) } else { parts });
        }
    }

    pub(crate) fn intervals(&self, problem: &Problem, experiment: &Experiment) -> Vec<Option<Interval>> {
        let natures = natures(problem, &experiment.measures, &experiment.power, true);
        let runs = self.0.iter().zip(&experiment.measures).zip(&natures);
        runs.map(|((runs, measure), nature)| Some(runs.interval(nature)?.within(0.0, most(*measure))))
            .collect()
    }
}

/// Little's law: what levels were found says how long jobs take on average, but not how long those of this run took.
fn response_time(average: &Average) -> Parts {
    let jobs = average.integrals.waiting + average.integrals.tails.iter().skip(1).sum::<f64>();
    let accepted = average.found.iter().sum::<u64>() + average.queued.unwrap_or(0);
    Parts { numerator: jobs, denominator: accepted as f64 }
}

/// The largest value that a measure can have.
fn most(measure: Measure) -> f64 {
    match measure {
        Measure::Cold
        | Measure::Initializing
        | Measure::Idle
        | Measure::Busy
        | Measure::LostFraction
        | Measure::RejectedFraction
        | Measure::Warm(_)
        | Measure::SomeWith(_) => 1.0,
        Measure::JobsPerServer | Measure::JobsPerWarm | Measure::MeanResponseTime | Measure::Energy => {
            f64::INFINITY
        }
    }
}

//! What single runs give: where one more lies.

use alba_model::{Account, Delay, Ledger};
use alba_replicate::{Interval, Sample, SingleRuns, in_order};

use crate::agenda::agenda;
use crate::nature::known;
use crate::random::Streams;
use crate::replication::{Average, PathLedger, engine, run_on};
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
        let ledger = OfOneRun(average.ledger(servers, &experiment.power));
        for (runs, measure) in self.0.iter_mut().zip(&experiment.measures) {
            runs.push(measure.parts(&ledger));
        }
    }

    pub(crate) fn intervals(&self, problem: &Problem, experiment: &Experiment) -> Vec<Option<Interval>> {
        let known = known(problem, &experiment.power);
        let runs = self.0.iter().zip(&experiment.measures);
        runs.map(|(runs, &measure)| {
            let [least, most] = measure.limits();
            Some(runs.interval(&known.nature(measure, Sample::AlongRuns))?.within(least, most))
        })
        .collect()
    }
}

/// What levels were found says how long jobs take on average, but not how long those of this run took; Little's law does.
struct OfOneRun<'a>(PathLedger<'a>);

impl Ledger for OfOneRun<'_> {
    fn servers(&self) -> f64 {
        self.0.servers()
    }

    fn duration(&self) -> f64 {
        self.0.duration()
    }

    fn get(&self, account: Account) -> Option<f64> {
        self.0.get(if account == Account::ResponseTimes { Account::Jobs } else { account })
    }

    fn quantile(&self, delay: Delay, probability: f64) -> Option<f64> {
        self.0.quantile(delay, probability)
    }
}

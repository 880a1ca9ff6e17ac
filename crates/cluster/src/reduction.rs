//! All replications of one policy, reduced in order.

use alba_model::{Measure, Parts};
use alba_replicate::{
    Estimate, Known, Moments, Nature, PairedMoments, Pilot, Sample, SingleRuns, student_quantile,
};

use crate::engine::RequestCounts;
use crate::nature::known;
use crate::outcome::{GridPoint, PolicyOutcome};
use crate::percentiles::{Percentiles, Sections};
use crate::run::{Run, at_times};
use crate::{Arbitrator, Experiment, Problem};

/// All replications of one policy so far.
pub(crate) struct Reduction {
    points: Vec<Vec<Moments>>,
    metrics: Vec<Moments>,
    differences: Vec<PairedMoments>,
    counts: RequestCounts,
    sections: Sections,
    one_run: Vec<SingleRuns>,
    /// The first replication, while all others are the same.
    first: Option<Box<Run>>,
    given: Vec<u64>,
    /// Shares of levels; levels that came late were empty in the replications before.
    levels: Vec<Moments>,
    /// Of a level's share.
    level: Nature,
    replications: u64,
    pilots: Pilots,
}

/// What the first replications say of the spread of each.
#[derive(Default)]
struct Pilots {
    points: Vec<Pilot>,
    metrics: Pilot,
    levels: Pilot,
    differences: Option<Vec<PairedMoments>>,
}

impl Reduction {
    /// Of the policy of this index.
    pub(crate) fn new(problem: &Problem, experiment: &Experiment, policy: usize) -> Self {
        let [own, first] = [policy, 0].map(|policy| known(problem, &experiment.policies[policy]));
        let at_a_time = || at_times(experiment.levels).map(|measure| own.nature(measure, Sample::AtATime));
        // All replications start from the same state.
        let start = at_a_time().map(|nature| Moments::of(nature.constant_if(true)));
        let mut points: Vec<Vec<Moments>> =
            vec![at_a_time().map(Moments::of).collect(); problem.grid.points()];
        points[0] = start.collect();
        let along_runs = |known: &Known, measure| known.nature(measure, Sample::AlongRuns);
        let pair = |measure| {
            let natures = [&own, &first].map(|known| along_runs(known, measure));
            // From itself a policy differs by nothing.
            let same = experiment.policies[policy] == experiment.policies[0];
            PairedMoments::of(natures.map(|nature| nature.constant_if(same)))
        };
        Self {
            points,
            metrics: Measure::OF_REQUESTS.map(|measure| Moments::of(along_runs(&own, measure))).into(),
            differences: Measure::OF_REQUESTS.map(pair).into(),
            counts: RequestCounts::default(),
            sections: Sections::new(),
            one_run: vec![SingleRuns::default(); Measure::OF_REQUESTS.len()],
            first: None,
            given: vec![0; problem.servers.count()],
            levels: vec![],
            level: Nature::SHARE.constant_if(own.fixed.everything),
            pilots: Pilots::default(),
            replications: 0,
        }
    }

    pub(crate) fn push(&mut self, run: &Run, first: &Run) {
        for (moments, parts) in self.points.iter_mut().zip(&run.points) {
            moments.iter_mut().zip(parts).for_each(|(moments, parts)| moments.push(*parts));
        }
        self.metrics.iter_mut().zip(&run.metrics).for_each(|(moments, parts)| moments.push(*parts));
        for (paired, (parts, first)) in
            self.differences.iter_mut().zip(run.metrics.iter().zip(&first.metrics))
        {
            paired.push(*parts, *first);
        }
        self.one_run.iter_mut().zip(&run.metrics).for_each(|(runs, parts)| runs.push(*parts));
        self.counts.add(&run.counts);
        self.sections.add(self.replications, &run.delays);
        if self.replications == 0 {
            self.first = Some(Box::new(run.clone()));
        } else if self.first.as_deref().is_some_and(|first| !first.is_alike(run)) {
            self.first = None;
        }
        self.given.iter_mut().zip(&run.given).for_each(|(sum, given)| *sum += given);
        let missing = run.levels.len().saturating_sub(self.levels.len());
        self.levels.extend(std::iter::repeat_n(self.empty_level(), missing));
        let shares = run.levels.iter().copied().chain(std::iter::repeat(0.0));
        self.levels.iter_mut().zip(shares).for_each(|(moments, share)| moments.push(Parts::plain(share)));
        self.replications += 1;
    }

    /// A level that no replication had so far.
    fn empty_level(&self) -> Moments {
        let mut moments = Moments::of(self.level);
        (0..self.replications).for_each(|_| moments.push(Parts::plain(0.0)));
        moments
    }

    fn identical(&self) -> bool {
        self.replications > 1 && self.first.is_some()
    }

    pub(crate) fn replications(&self) -> u64 {
        self.replications
    }

    pub(crate) fn percentiles(&self, problem: &Problem) -> Percentiles {
        Percentiles::new(&self.sections, (!self.identical()).then(|| problem.persistence()))
    }

    /// The replications so far decide how many there will be.
    pub(crate) fn end_stage(&mut self, problem: &Problem) {
        let percentiles = self.percentiles(problem).into_quantiles();
        self.pilots.points.resize_with(self.points.len(), Pilot::default);
        for (pilot, moments) in self.pilots.points.iter_mut().zip(&self.points) {
            pilot.end_stage(moments, &[], self.replications);
        }
        self.pilots.metrics.end_stage(&self.metrics, &percentiles, self.replications);
        self.pilots.levels.end_stage(&self.levels, &[], self.replications);
        self.pilots.differences.get_or_insert_with(|| self.differences.clone());
    }

    /// Of whole runs, one for each of [`Measure::OF_REQUESTS`].
    pub(crate) fn metrics(&self, percentiles: &Percentiles) -> Vec<Estimate> {
        let mut metrics = self.pilots.metrics.estimates(&self.metrics);
        percentiles.put(&self.pilots.metrics, self.replications, &mut metrics);
        metrics
    }

    fn differences(&self) -> Vec<Estimate> {
        let quantile = student_quantile(self.replications);
        match &self.pilots.differences {
            None => self.differences.iter().map(|paired| paired.difference(quantile)).collect(),
            Some(pilots) => {
                let pairs = self.differences.iter().zip(pilots);
                pairs.map(|(paired, pilot)| paired.sequential_difference(pilot)).collect()
            }
        }
    }

    /// But for what is known of percentiles beside their estimates.
    pub(crate) fn outcome(
        self,
        problem: &Problem,
        policy: Arbitrator,
        percentiles: &Percentiles,
    ) -> PolicyOutcome {
        let none = Pilot::default();
        let points = problem.grid.times().zip(&self.points).enumerate().map(|(index, (time, moments))| {
            let pilot = self.pilots.points.get(index).unwrap_or(&none);
            let mut estimates = pilot.estimates(moments);
            let overload = estimates.pop().unwrap_or_default();
            GridPoint { time, estimates, overload }
        });
        let (points, metrics, differences) =
            (points.collect(), self.metrics(percentiles), self.differences());
        let known = known(problem, &policy);
        // A replay is the same again.
        let replayed = self.identical();
        let one_run = Measure::OF_REQUESTS.into_iter().zip(&self.one_run).map(|(measure, runs)| {
            let nature = known.nature(measure, Sample::AlongRuns).constant_if(replayed);
            let [least, most] = measure.limits();
            Some(runs.interval(&nature)?.within(least, most))
        });
        let one_run = one_run.collect();
        PolicyOutcome {
            policy,
            replications: self.replications,
            points,
            metrics,
            differences,
            one_run,
            too_few: vec![],
            identical: self.identical(),
            counts: self.counts,
            requests_per_server: self
                .given
                .iter()
                .map(|&given| given as f64 / self.replications as f64)
                .collect(),
            levels: self.pilots.levels.estimates(&self.levels),
        }
    }
}

//! Coverage of percentiles' intervals, of their differences', and of the interval for one more run.

use alba_cluster::{Arbitrator, Discipline, Estimate, Experiment, Group, Law, Metric, Problem, simulate};
use alba_model::Grid;

use crate::cluster::always_warm;

const WARM_UP: f64 = 400.0;

/// A stationary system, watched for a while in each of several runs.
struct System {
    name: &'static str,
    group: Group,
    discipline: Discipline,
    rate: f64,
    service: Law,
    /// Mean number of requests in a run.
    requests: f64,
    replications: u64,
}

impl System {
    fn new(name: &'static str, workers: u32, load: f64) -> Self {
        Self {
            name,
            group: Group::new(1).unwrap().with_workers(workers).unwrap(),
            discipline: Discipline::FirstComeFirstServed,
            rate: load * f64::from(workers),
            service: Law::exponential(1.0).unwrap(),
            requests: 280.0,
            replications: 10,
        }
    }

    fn problem(&self) -> Problem {
        let mut parts = always_warm(self.group.clone(), self.discipline, self.rate, self.service.clone());
        parts.warm_up = WARM_UP;
        parts.grid = Grid::new(WARM_UP + self.requests / self.rate, 1).unwrap();
        Problem::new(parts).unwrap()
    }

    /// Of many runs.
    fn truth(&self) -> Vec<Option<f64>> {
        let runs = (1e6 / self.requests).max(200.0) as u64;
        let experiment = Experiment::new(runs, 1 << 40, vec![Arbitrator::RoundRobin]).unwrap();
        let outcome = simulate(&self.problem(), &experiment, &|_| ()).unwrap();
        outcome.policies[0].metrics.iter().map(|estimate| estimate.value).collect()
    }
}

/// How often an interval was given, and how often it covered.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    experiments: u32,
    given: u32,
    covered: u32,
    /// Of one more run.
    predicted: u32,
    predictions: u32,
}

impl Score {
    fn add(&mut self, estimate: Estimate, truth: Option<f64>) {
        self.experiments += 1;
        if let (Some(value), Some(half_width), Some(truth)) = (estimate.value, estimate.half_width, truth) {
            self.given += 1;
            self.covered += u32::from((value - truth).abs() <= half_width * (1.0 + 1e-9));
        }
    }

    fn coverage(&self) -> f64 {
        f64::from(self.covered) / f64::from(self.given)
    }

    fn share_given(&self) -> f64 {
        f64::from(self.given) / f64::from(self.experiments)
    }

    fn prediction(&self) -> f64 {
        f64::from(self.predicted) / f64::from(self.predictions)
    }

    /// Standard errors from `share` to 0.95 where it is outside of 0.93 to 0.97, in so many trials.
    fn off(share: f64, trials: u32) -> f64 {
        let distance = (0.93 - share).max(share - 0.97).max(0.0);
        distance / (0.95f64 * 0.05 / f64::from(trials)).sqrt()
    }
}

/// The scores of every metric in so many experiments, seeds from 1 on.
fn scores(system: &System, experiments: u64) -> Vec<Score> {
    let (problem, truth) = (system.problem(), system.truth());
    let mut scores = vec![Score::default(); Metric::ALL.len()];
    for seed in 1..=experiments {
        let of = |replications, seed| {
            let experiment = Experiment::new(replications, seed, vec![Arbitrator::RoundRobin]).unwrap();
            simulate(&problem, &experiment, &|_| ()).unwrap().policies.remove(0)
        };
        let (outcome, fresh) = (of(system.replications, seed), of(1, seed + (1 << 30)));
        for (index, score) in scores.iter_mut().enumerate() {
            score.add(outcome.metrics[index], truth[index]);
            if let (Some(interval), Some(value)) = (outcome.one_run[index], fresh.metrics[index].value) {
                score.predictions += 1;
                score.predicted += u32::from(interval.low <= value && value <= interval.high);
            }
        }
    }
    scores
}

fn print(system: &System, scores: &[Score]) {
    println!("{}, {} requests a run, {} runs", system.name, system.requests, system.replications);
    for (metric, score) in Metric::ALL.iter().zip(scores).take(11) {
        println!(
            "  {:22} given {:.3} covered {:.3} given and missed {:.3} one more run {:.3}",
            metric.name(),
            score.share_given(),
            score.coverage(),
            f64::from(score.given - score.covered) / f64::from(score.experiments),
            score.prediction(),
        );
    }
}

#[test]
#[ignore = "an experiment of minutes"]
fn coverage_table() {
    let experiments = std::env::var("EXPERIMENTS").map_or(2000, |text| text.parse().unwrap());
    let mut systems = vec![
        System::new("M/M/2 at 0.7", 2, 0.7),
        System::new("M/M/1 at 0.1", 1, 0.1),
        System::new("M/M/1 at 0.3", 1, 0.3),
        System::new("M/M/1 at 0.5", 1, 0.5),
        System { requests: 5000.0, ..System::new("M/M/1 at 0.7", 1, 0.7) },
        System { requests: 5000.0, ..System::new("M/M/1 at 0.9", 1, 0.9) },
        System { replications: 40, ..System::new("M/M/2 at 0.7", 2, 0.7) },
        System { replications: 100, ..System::new("M/M/2 at 0.7", 2, 0.7) },
        System { replications: 5, requests: 1000.0, ..System::new("M/M/1 at 0.3", 1, 0.3) },
        System { replications: 3, requests: 3000.0, ..System::new("M/M/1 at 0.3", 1, 0.3) },
    ];
    let sharing = |name, load| System { discipline: Discipline::ProcessorSharing, ..System::new(name, 1, load) };
    systems.push(System { requests: 1000.0, ..sharing("M/M/1 sharing at 0.5", 0.5) });
    systems.push(System { requests: 3000.0, ..sharing("M/M/1 sharing at 0.7", 0.7) });
    let constant = |name, load| System { service: Law::deterministic(1.0).unwrap(), ..System::new(name, 1, load) };
    systems.push(System { requests: 1000.0, ..constant("M/D/1 at 0.3", 0.3) });
    systems.push(System { requests: 1000.0, ..constant("M/D/1 at 0.7", 0.7) });
    for system in &systems {
        print(system, &scores(system, experiments));
    }
}

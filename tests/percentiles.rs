//! Coverage of percentiles' intervals, of their differences', and of the interval for one more run.

use alba_cluster::{Arbitrator, Discipline, Estimate, Experiment, Group, Law, Problem, simulate};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Delay, Dispatch, Grid, Measure, Model, PowerDraw, Rates, ScalingRule,
    Scheme,
};

use crate::cluster::always_warm;

const WARM_UP: f64 = 100.0;

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

    /// Of a hundred times as many runs, whose own error is a tenth of an experiment's: under the last policy, and its difference from
    /// the first.
    fn truth(&self, policies: &[Arbitrator]) -> [Vec<Option<f64>>; 2] {
        let runs = (4e5 / self.requests).max(100.0 * self.replications as f64) as u64;
        let experiment = Experiment::new(runs, 1 << 40, policies.to_vec()).unwrap();
        let mut outcome = simulate(&self.problem(), &experiment, &|_| ()).unwrap();
        let last = outcome.policies.pop().unwrap();
        [last.metrics, last.differences].map(|all| all.iter().map(|estimate| estimate.value).collect())
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
    /// The truth is the least value that can be: nearly every experiment sees nothing else, and covers.
    is_atom: bool,
}

impl Score {
    fn add(&mut self, estimate: Estimate, truth: Option<f64>) {
        self.experiments += 1;
        self.is_atom = truth == Some(0.0);
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

    /// Asserts that `share`, of so many trials, is from 0.93 to 0.97, or within 3 standard errors of that.
    fn check(what: &str, share: f64, trials: u32) {
        let error = (0.95f64 * 0.05 / f64::from(trials)).sqrt();
        assert!((share - 0.95).abs() < 0.02 + 3.0 * error, "{what}: {share} of {trials}");
    }
}

/// The scores of every metric's difference under two policies.
fn scores_of_differences(system: &System, policies: &[Arbitrator; 2], experiments: u64) -> Vec<Score> {
    let (problem, [_, truth]) = (system.problem(), system.truth(policies));
    let mut scores = vec![Score::default(); Measure::OF_REQUESTS.len()];
    for seed in 1..=experiments {
        let experiment = Experiment::new(system.replications, seed, policies.to_vec()).unwrap();
        let outcome = simulate(&problem, &experiment, &|_| ()).unwrap();
        for (index, score) in scores.iter_mut().enumerate() {
            score.add(outcome.policies[1].differences[index], truth[index]);
        }
    }
    scores
}

/// The scores of every metric in so many experiments, seeds from 1 on.
fn scores(system: &System, experiments: u64) -> Vec<Score> {
    let (problem, [truth, _]) = (system.problem(), system.truth(&[Arbitrator::RoundRobin]));
    let mut scores = vec![Score::default(); Measure::OF_REQUESTS.len()];
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

fn index(measure: Measure) -> usize {
    Measure::OF_REQUESTS.iter().position(|other| *other == measure).unwrap()
}

fn print(system: &System, scores: &[Score]) {
    println!("{}, {} requests a run, {} runs", system.name, system.requests, system.replications);
    for (metric, score) in Measure::OF_REQUESTS.iter().zip(scores).take(11) {
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

/// What a table shows holds: intervals of percentiles that are given at all, to one experiment in fifty or more, cover in 93 % or more
/// and, but for a handful of requests whose number is whole, in 97 %; means in 93 % or more. Three standard errors are allowed.
fn check_table(system: &System, scores: &[Score]) {
    for (metric, score) in Measure::OF_REQUESTS.iter().zip(scores).take(11) {
        let what =
            format!("{}, {} x {}: {}", system.name, system.replications, system.requests, metric.name());
        let error = (0.93f64 * 0.07 / f64::from(score.given.max(1))).sqrt();
        let told = score.given * 50 >= score.experiments;
        assert!(!told || score.coverage() >= 0.93 - 3.0 * error, "{what}: {score:?}");
        if score.predictions > 0 && !score.is_atom {
            Score::check(&format!("{what}, one more run"), score.prediction(), score.predictions);
        }
        assert!(
            !score.is_atom || score.predictions == 0 || score.prediction() >= 0.93,
            "{what}, one more run: {score:?}"
        );
    }
}

/// Systems, runs and requests a run: 2000 experiments each, fewer of long runs.
fn systems() -> Vec<System> {
    let of = |name, workers, load, replications, requests| System {
        replications,
        requests,
        ..System::new(name, workers, load)
    };
    let sharing = |system| System { discipline: Discipline::ProcessorSharing, ..system };
    let constant = |system| System { service: Law::deterministic(1.0).unwrap(), ..system };
    vec![
        of("M/M/2 at 0.7", 2, 0.7, 10, 280.0),
        of("M/M/2 at 0.7", 2, 0.7, 3, 1000.0),
        of("M/M/2 at 0.7", 2, 0.7, 5, 1000.0),
        of("M/M/2 at 0.7", 2, 0.7, 40, 280.0),
        of("M/M/2 at 0.7", 2, 0.7, 100, 280.0),
        of("M/M/1 at 0.1", 1, 0.1, 10, 280.0),
        of("M/M/1 at 0.3", 1, 0.3, 10, 280.0),
        of("M/M/1 at 0.3", 1, 0.3, 5, 1000.0),
        of("M/M/1 at 0.5", 1, 0.5, 10, 280.0),
        of("M/M/1 at 0.5", 1, 0.5, 3, 1000.0),
        of("M/M/1 at 0.7", 1, 0.7, 10, 5000.0),
        of("M/M/1 at 0.9", 1, 0.9, 10, 5000.0),
        of("M/M/1 at 0.8", 1, 0.8, 10, 12_800.0),
        sharing(of("M/M/1 sharing at 0.5", 1, 0.5, 10, 1000.0)),
        sharing(of("M/M/1 sharing at 0.7", 1, 0.7, 10, 3000.0)),
        constant(of("M/D/1 at 0.3", 1, 0.3, 10, 1000.0)),
        constant(of("M/D/1 at 0.7", 1, 0.7, 10, 1000.0)),
    ]
}

/// Seven tenths of the requests find a server idle and take 1 to the last digit; of the others many take hardly longer. The median was
/// 1.0003 to 1.0014, +- 1e-5.
#[test]
fn the_median_of_mostly_equal_times_is_exact() {
    let system = System { service: Law::deterministic(1.0).unwrap(), ..System::new("M/D/1", 1, 0.3) };
    for seed in 1..=20 {
        let experiment = Experiment::new(10, seed, vec![Arbitrator::RoundRobin]).unwrap();
        let outcome = simulate(&system.problem(), &experiment, &|_| ()).unwrap();
        let percentile = alba_model::Percentile::ALL[0];
        let median = outcome.policies[0].metrics[index(Measure::Percentile(Delay::Response, percentile))];
        assert_eq!((median.value, median.half_width), (Some(1.0), Some(0.0)), "{seed}");
    }
}

#[test]
#[ignore = "an experiment of minutes"]
fn coverage_table() {
    for system in systems() {
        let found = scores(&system, if system.requests > 2000.0 { 400 } else { 2000 });
        print(&system, &found);
        check_table(&system, &found);
    }
}

/// Two policies for two or four servers, 300 to 2000 requests a run.
fn pairs() -> Vec<(System, [Arbitrator; 2])> {
    let servers = |count, load, requests| System {
        group: Group::new(count).unwrap(),
        rate: load * f64::from(count),
        requests,
        ..System::new("servers of their own", 1, load)
    };
    vec![
        (servers(2, 0.5, 2000.0), [Arbitrator::Random, Arbitrator::LeastConnections]),
        (servers(4, 0.3, 1000.0), [Arbitrator::Random, Arbitrator::RoundRobin]),
        (servers(2, 0.7, 2000.0), [Arbitrator::RoundRobin, Arbitrator::LeastWorkLeft]),
    ]
}

#[test]
#[ignore = "an experiment of minutes"]
fn coverage_of_differences_table() {
    for (system, policies) in pairs() {
        println!("{policies:?}");
        let found = scores_of_differences(&system, &policies, 2000);
        print(&system, &found);
        check_table(&system, &found);
    }
}

/// 200 experiments of the seeds 1 to 200: where at least half of them give an interval, 93 to 97 % cover; where fewer do,
/// hardly any misses; one more run lies in its interval in 93 to 97 % of cases. Each within 3 standard errors (1.5 %).
#[test]
fn percentiles_are_covered_or_have_no_interval() {
    for system in [System::new("M/M/2 at 0.7", 2, 0.7), System::new("M/M/1 at 0.3", 1, 0.3)] {
        let scores = scores(&system, 200);
        print(&system, &scores);
        let percentiles = [Measure::P50, Measure::P95, Measure::P99, Measure::P99_9, Measure::WAITING_P95];
        for metric in percentiles {
            let score = scores[index(metric)];
            let what = format!("{}: {}", system.name, metric.name());
            if score.share_given() >= 0.5 {
                Score::check(&what, score.coverage(), score.given);
            } else {
                assert!(score.given - score.covered < 8, "{what}: {score:?}");
            }
            Score::check(&format!("{what}, one more run"), score.prediction(), score.predictions);
        }
        assert_eq!(scores[index(Measure::P50)].given, 200);
        assert_eq!(scores[index(Measure::P99_9)].given, 0);
        let mean = scores[index(Measure::MeanResponseTime)];
        Score::check(system.name, mean.prediction(), mean.predictions);
    }
}

/// 100 experiments of the seeds 1 to 100, as above (2.2 %).
#[test]
fn differences_are_covered_and_agree_with_the_values() {
    let (system, policies) = &pairs()[1];
    let scores = scores_of_differences(system, policies, 100);
    print(system, &scores);
    for metric in [Measure::P50, Measure::P95, Measure::MeanResponseTime] {
        Score::check(&metric.name(), scores[index(metric)].coverage(), scores[index(metric)].given);
    }
    let experiment = Experiment::new(5, 1, policies.to_vec()).unwrap();
    let outcome = simulate(&system.problem(), &experiment, &|_| ()).unwrap().policies;
    for (index, difference) in outcome[1].differences.iter().enumerate() {
        let [first, second] = [&outcome[0], &outcome[1]].map(|policy| policy.metrics[index]);
        let gap = second.value.unwrap() - first.value.unwrap();
        assert!((difference.value.unwrap() - gap).abs() < 1e-12, "{:?}", Measure::OF_REQUESTS[index]);
        assert!(
            difference.half_width.is_some() == (first.half_width.is_some() && second.half_width.is_some())
        );
    }
}

/// A hundred and twenty-eight thousand requests to a busy server: some sixteen independent visits beyond the 99th percentile,
/// which is enough. Seeds 1 to 20, of which one misses; M/M/1's closed form.
#[test]
fn a_hundred_thousand_requests_have_a_far_percentile() {
    let load = 0.8;
    let system = System { requests: 12_800.0, ..System::new("M/M/1 at 0.8", 1, load) };
    let truth = Some(-f64::ln(0.01) / (1.0 - load));
    let mut score = Score::default();
    for seed in 1..=20 {
        let experiment = Experiment::new(10, seed, vec![Arbitrator::RoundRobin]).unwrap();
        let outcome = simulate(&system.problem(), &experiment, &|_| ()).unwrap().policies.remove(0);
        score.add(outcome.metric(Measure::P99), truth);
    }
    assert!(score.given >= 19 && score.covered + 3 >= score.given, "{score:?}");
}

/// Deterministic times, nobody waits: all responses are exactly 1, and so is every percentile of them.
#[test]
fn percentiles_are_within_what_was_seen() {
    let system = System { service: Law::deterministic(1.0).unwrap(), ..System::new("M/D/inf", 1, 0.7) };
    let parallel = System { discipline: Discipline::Parallel, ..system };
    let experiment = Experiment::new(20, 1, vec![Arbitrator::RoundRobin]).unwrap();
    let outcome = simulate(&parallel.problem(), &experiment, &|_| ()).unwrap().policies.remove(0);
    for metric in [Measure::P50, Measure::P95, Measure::P99, Measure::P99_9] {
        assert_eq!(outcome.metric(metric).value, Some(1.0), "{metric:?}");
        let waiting = Measure::Percentile(Delay::Waiting, metric.percentile().unwrap().1);
        assert_eq!(outcome.metric(waiting).value, Some(0.0), "{metric:?}");
    }
    assert_eq!(outcome.metric(Measure::P50).half_width, Some(0.0));
}

/// 300 experiments of 10 runs, seeds 1 to 300, of one server (M/M/1 at 0.3): percentiles of the chain's levels against the closed
/// form, and a run of the engine of requests, which measures times one by one, in the interval for one more run; within 3 standard errors
/// (1.3 %).
#[test]
fn one_run_of_requests_is_where_the_chain_says() {
    let load = 0.3;
    let system = System::new("chain of one server at 0.3", 1, load);
    let (problem, numbered) = (chain(&system), system.problem());
    let measures = vec![Measure::MeanResponseTime, Measure::Busy, Measure::JobsPerServer];
    let metrics = [Measure::MeanResponseTime, Measure::Busy, Measure::JobsPerServer];
    let mut scores = [Score::default(); 4];
    let probabilities = [0.5, 0.95];
    for seed in 1..=300 {
        let experiment =
            alba_ctmc::Experiment::new(10, seed, measures.clone(), PowerDraw::default()).unwrap();
        let summary = alba_ctmc::simulate(&problem, &experiment.with_single_runs(), &|_| ()).unwrap().summary;
        let fresh = Experiment::new(1, seed + (1 << 30), vec![Arbitrator::RoundRobin]).unwrap();
        let fresh = simulate(&numbered, &fresh, &|_| ()).unwrap().policies.remove(0);
        for (index, metric) in metrics.into_iter().enumerate() {
            let (interval, value) = (summary.one_run[index].unwrap(), fresh.metric(metric).value.unwrap());
            scores[index].predictions += 1;
            scores[index].predicted += u32::from(interval.low <= value && value <= interval.high);
        }
        for (score, probability) in scores.iter_mut().zip(probabilities) {
            let truth = -f64::ln(1.0 - probability) / (1.0 - load);
            score.add(summary.response_quantile(probability).unwrap().estimate, Some(truth));
        }
        assert_eq!(summary.response_quantile(0.999).unwrap().estimate.half_width, None);
    }
    for (score, metric) in scores.iter().zip(metrics) {
        println!("{}: one more run {:.3}", metric.name(), score.prediction());
        Score::check(&metric.name(), score.prediction(), score.predictions);
    }
    for (score, probability) in scores.iter().zip(probabilities) {
        println!("{probability}: given {:.3} covered {:.3}", score.share_given(), score.coverage());
        assert!(score.share_given() > 0.8);
        Score::check(&probability.to_string(), score.coverage(), score.given);
    }
}

/// The chain of the same system.
fn chain(system: &System) -> alba_ctmc::Problem {
    let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::None);
    let arrivals = ArrivalProfile::constant(system.rate).unwrap();
    let model = Model::new(arrivals, Rates::new(0.0, 1.0, 0.0).unwrap(), Buffer::Infinite, scheme).unwrap();
    let start = Counts { cold: 0, initializing: 0, warm: vec![1], waiting: 0 };
    let grid = Grid::new(WARM_UP + system.requests / system.rate, 1).unwrap();
    alba_ctmc::Problem::new(model, start, grid, WARM_UP, None).unwrap()
}

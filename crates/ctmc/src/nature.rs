//! What the model says of a measure before anything is simulated: its limits, and whether it can change at all.

use alba_model::{Counts, Dispatch, Measure, Model, PowerDraw, ScalingRule, Scheme, Snapshot};
use alba_replicate::Nature;

use crate::Problem;

/// What can ever happen to a system from where it starts.
struct Possible {
    starts: bool,
    expirations: bool,
    jobs: bool,
}

impl Possible {
    fn of(model: &Model, initial: &Counts) -> Self {
        let arrivals = model.arrivals().peak() > 0.0;
        let asked = match model.scheme() {
            Scheme::Asynchronous { scaling, .. } => {
                model.rates().scaling() > 0.0 && scaling != ScalingRule::None
            }
            Scheme::Tabs(_) | Scheme::CentralQueue => arrivals,
        };
        let expiring = model.rates().expiration() > 0.0;
        let at_once = expiring && initial.warm() + initial.initializing > 0;
        let starts = asked && (initial.cold > 0 || at_once);
        Self {
            starts,
            expirations: at_once || expiring && starts,
            jobs: arrivals || initial.jobs() > 0 || initial.waiting > 0,
        }
    }
}

/// What cannot change.
struct Fixed {
    cold: bool,
    initializing: bool,
    idle: bool,
    busy: bool,
    /// There never is a warm server.
    never_warm: bool,
    always_warm: bool,
    /// There never is a job at a server, nor one that waits.
    no_jobs: bool,
}

impl Fixed {
    fn of(model: &Model, initial: &Counts) -> Self {
        let possible = Possible::of(model, initial);
        let initializing = initial.initializing == 0 && !possible.starts;
        let warm = initializing && !possible.expirations;
        let never_warm = warm && initial.warm() == 0;
        let queue = model.scheme() == Scheme::CentralQueue;
        let no_jobs = !possible.jobs || never_warm && !queue;
        let busy = !possible.jobs || never_warm;
        Self {
            cold: !possible.starts && !possible.expirations,
            initializing,
            idle: busy && warm,
            busy,
            never_warm,
            always_warm: initial.warm() > 0 && !possible.expirations,
            no_jobs,
        }
    }

    /// Whether energy cannot change: places between which servers move draw the same.
    fn energy(&self, power: &PowerDraw) -> bool {
        let draws =
            [(self.cold, of_cold(power)), (self.initializing, power.of(0.0, 1.0, 0.0, 0.0))].into_iter();
        let draws = draws
            .chain([(self.idle, power.of(0.0, 0.0, 1.0, 0.0)), (self.busy, power.of(0.0, 0.0, 0.0, 1.0))]);
        let mut moving = draws.filter(|(fixed, _)| !fixed).map(|(_, draw)| draw);
        let first = moving.next();
        moving.all(|draw| Some(draw) == first)
    }
}

fn of_cold(power: &PowerDraw) -> f64 {
    power.of(1.0, 0.0, 0.0, 0.0)
}

/// Natures of measures at a report time, or, if `averages`, along runs.
pub(crate) fn natures(
    problem: &Problem,
    measures: &[Measure],
    power: &PowerDraw,
    averages: bool,
) -> Vec<Nature> {
    let fixed = Fixed::of(&problem.model, &problem.initial);
    measures.iter().map(|&measure| nature(measure, problem, &fixed, power, averages)).collect()
}

fn nature(measure: Measure, problem: &Problem, fixed: &Fixed, power: &PowerDraw, averages: bool) -> Nature {
    let queue = problem.model.scheme() == Scheme::CentralQueue;
    let limit = problem.model.buffer().limit();
    let buffer = limit.map_or(f64::INFINITY, f64::from);
    let beyond = |level: usize| limit.is_some_and(|limit| level > limit as usize);
    // Servers at a time are counted, times are not; jobs that come are counted along a run, their rates at a time are not.
    let servers = |nature: Nature| match averages {
        true => nature,
        false => nature.counted(1.0 / problem.servers() as f64),
    };
    let jobs = |nature: Nature| if averages { nature.counted(1.0).in_clusters() } else { nature };
    match measure {
        Measure::Cold => servers(Nature::SHARE).constant_if(fixed.cold),
        Measure::Initializing => servers(Nature::SHARE).constant_if(fixed.initializing),
        Measure::Idle => servers(Nature::SHARE).constant_if(fixed.idle),
        Measure::Busy => servers(Nature::SHARE).constant_if(fixed.busy),
        Measure::JobsPerServer | Measure::JobsPerWarm => {
            // A central queue's jobs are not at warm servers alone.
            let most = if queue && measure == Measure::JobsPerWarm { f64::INFINITY } else { buffer };
            servers(Nature::between(0.0, most)).constant_if(fixed.no_jobs)
        }
        // By Little's law: an average of few jobs may be below their service time.
        Measure::MeanResponseTime if queue => Nature::default(),
        Measure::MeanResponseTime => jobs(Nature::between(1.0, buffer)).constant_if(false),
        Measure::LostFraction => {
            jobs(Nature::SHARE).constant_if(queue || fixed.never_warm || fixed.always_warm)
        }
        Measure::RejectedFraction => {
            jobs(Nature::SHARE).constant_if(limit.is_none() || fixed.never_warm && !queue)
        }
        Measure::Energy => {
            let draws = [
                of_cold(power),
                power.of(0.0, 1.0, 0.0, 0.0),
                power.of(0.0, 0.0, 1.0, 0.0),
                power.of(0.0, 0.0, 0.0, 1.0),
            ];
            let [least, most] = [f64::min, f64::max].map(|of| draws.into_iter().fold(draws[0], of));
            Nature::between(least, most).constant_if(fixed.energy(power))
        }
        Measure::Warm(level) => {
            let fixed = beyond(level) || if level == 0 { fixed.idle } else { fixed.busy };
            servers(Nature::SHARE).constant_if(fixed)
        }
        Measure::SomeWith(level) => Nature::SHARE.constant_if(beyond(level) || fixed.busy),
    }
}

/// Whether what happens to arrivals has two modes at a time, jobs that find a server at or below the threshold and others;
/// and whether this is the first.
pub(crate) fn mode(measure: Measure, at: &Snapshot, scheme: Scheme) -> Option<bool> {
    match measure {
        Measure::MeanResponseTime | Measure::LostFraction | Measure::RejectedFraction => (),
        Measure::Cold
        | Measure::Initializing
        | Measure::Idle
        | Measure::Busy
        | Measure::JobsPerServer
        | Measure::JobsPerWarm
        | Measure::Energy
        | Measure::Warm(_)
        | Measure::SomeWith(_) => return None,
    }
    let threshold = match scheme {
        Scheme::Asynchronous { dispatch: Dispatch::JoinBelowThreshold(rule), .. } => rule.d() as usize,
        Scheme::Tabs(_) => 0,
        Scheme::Asynchronous { dispatch: Dispatch::PowerOfD(_), .. } | Scheme::CentralQueue => return None,
    };
    Some((0..=threshold).any(|level| at.state.warm_with(level) > 0.0))
}

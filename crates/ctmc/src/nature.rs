//! What the model says of a measure before anything is simulated: its limits, and whether it can change at all.

use alba_model::{Counts, Measure, Model, PowerDraw, Scheme, Snapshot};
use alba_replicate::{Fixed, Known};

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
            Scheme::Asynchronous { .. } => model.starts_servers(),
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

/// What the model and the start say.
pub(crate) fn known(problem: &Problem, power: &PowerDraw) -> Known {
    let (model, initial) = (&problem.model, &problem.initial);
    let queue = model.scheme() == Scheme::CentralQueue;
    let limit = model.buffer().limit();
    let most_jobs = limit.map_or(f64::INFINITY, f64::from);
    let [least, most] = [f64::min, f64::max].map(|of| {
        let each = power.each();
        each.into_iter().fold(each[0], of)
    });
    Known {
        servers: problem.servers() as f64,
        fixed: fixed(model, initial, power),
        most_jobs,
        // A central queue's jobs are not at warm servers alone.
        most_jobs_per_warm: if queue { f64::INFINITY } else { most_jobs },
        power: [least, most],
        // Under a central queue by Little's law: an average of few jobs may be below their service time.
        response_time: if queue { [f64::NEG_INFINITY, f64::INFINITY] } else { [1.0, most_jobs] },
        response_times_are_counts: !queue,
    }
}

fn fixed(model: &Model, initial: &Counts, power: &PowerDraw) -> Fixed {
    let possible = Possible::of(model, initial);
    let queue = model.scheme() == Scheme::CentralQueue;
    let initializing = initial.initializing == 0 && !possible.starts;
    let warm = initializing && !possible.expirations;
    let never_warm = warm && initial.warm() == 0;
    let always_warm = initial.warm() > 0 && !possible.expirations;
    let (cold, busy) = (!possible.starts && !possible.expirations, !possible.jobs || never_warm);
    let idle = busy && warm;
    Fixed {
        cold,
        initializing,
        idle,
        busy,
        jobs: !possible.jobs || never_warm && !queue,
        energy: same_power([cold, initializing, idle, busy], power),
        lost: queue || never_warm || always_warm,
        rejected: model.buffer().limit().is_none() || never_warm && !queue,
        ..Fixed::default()
    }
}

/// Whether energy cannot change: places between which servers move draw the same.
fn same_power(fixed: [bool; 4], power: &PowerDraw) -> bool {
    let draws = fixed.into_iter().zip(power.each());
    let mut moving = draws.filter(|(fixed, _)| !fixed).map(|(_, draw)| draw);
    let first = moving.next();
    moving.all(|draw| Some(draw) == first)
}

/// Whether what happens to arrivals has two modes at a time, jobs that find a server at or below the threshold and others;
/// and whether this is the first.
pub(crate) fn mode(measure: Measure, at: &Snapshot, scheme: Scheme) -> Option<bool> {
    if !measure.is_about_jobs() {
        return None;
    }
    let threshold = scheme.dispatch()?.threshold()?.d() as usize;
    Some((0..=threshold).any(|level| at.state.warm_with(level) > 0.0))
}

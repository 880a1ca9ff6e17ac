//! What the problem says before anything is simulated: what is limited, and what cannot change at all.

use alba_replicate::{Fixed, Known};

use crate::scaling::Chance;
use crate::{Arbitrator, Problem};

/// What is known under a policy.
pub(crate) fn known(problem: &Problem, policy: &Arbitrator) -> Known {
    Known {
        servers: problem.servers.count() as f64,
        fixed: fixed(problem, policy),
        most_jobs: f64::INFINITY,
        most_jobs_per_warm: f64::INFINITY,
        power: [0.0, f64::INFINITY],
        // Times of requests are recorded one by one.
        response_time: [0.0, f64::INFINITY],
        response_times_are_counts: false,
    }
}

fn fixed(problem: &Problem, policy: &Arbitrator) -> Fixed {
    let initial = &problem.initial;
    let warm: u64 = initial.warm.iter().sum();
    let scaling = problem.scaling.facts();
    let expiring = problem.times.expiration.is_some();
    let at_once = expiring && warm + initial.initializing > 0;
    let starts = scaling.starts && (initial.cold > 0 || at_once);
    let expirations = at_once || expiring && starts;
    let (cold, initializing) = (!starts && !expirations, initial.initializing == 0 && !starts);
    let (always_warm, never_warm) = (warm > 0 && !expirations, warm == 0 && initializing);
    let never_full = problem.servers.groups().iter().all(|group| group.capacity().is_none());
    Fixed {
        everything: is_deterministic(problem, policy),
        cold,
        initializing,
        idle: never_warm,
        busy: never_warm,
        jobs: false,
        energy: cold && initializing && work_draws_nothing(problem),
        lost: scaling.any_server || always_warm,
        rejected: never_full,
        // Cold servers are never given requests, or there are none.
        cold_starts: !scaling.to_cold || cold && initial.cold == 0 && initializing,
        overload: never_full,
    }
}

/// Whether neither requests nor servers nor the policy leave anything to chance.
fn is_deterministic(problem: &Problem, policy: &Arbitrator) -> bool {
    // Which of the servers that are alike is drawn makes no difference.
    let alike = problem.servers.groups().len() == 1;
    let scaling = match problem.scaling.facts().chance {
        Chance::Nothing => true,
        Chance::Taker => alike,
        Chance::Started | Chance::Times => false,
    };
    let choice = policy.is_deterministic(alike) || problem.servers.count() == 1;
    choice && scaling && problem.random_inputs().is_empty()
}

/// Whether a warm server draws the same with and without work.
fn work_draws_nothing(problem: &Problem) -> bool {
    let same = |draw: &crate::Draw| draw.warm().power_w(0.0) == draw.warm().power_w(1.0);
    problem.servers.groups().iter().all(|group| same(group.draw()))
}

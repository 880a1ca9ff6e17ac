//! Numbered servers with queues of jobs, each timed from its arrival to its end: what the levels that arrivals find are
//! tested against. It draws servers by number, not from counts.

use alba_model::{Counts, Dispatch, Model, Observation, Scheme};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::VecDeque;

enum Server {
    Cold,
    Initializing,
    /// Arrival times of its jobs, the one in service first.
    Warm(VecDeque<f64>),
}

/// Response times, first come, first served, of the jobs that arrive between `warm_up` and `last`, at the arrival rate of
/// time 0. `PATIENCE` after `last` all of them are done, but for one in a million million.
pub(crate) fn response_times(model: &Model, start: &Counts, warm_up: f64, last: f64, seed: u64) -> Vec<f64> {
    const PATIENCE: f64 = 100.0;
    let horizon = last + PATIENCE;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut servers = spread(start);
    let count = servers.len() as f64;
    let Scheme::Asynchronous { dispatch, scaling } = model.scheme() else {
        panic!("asynchronous schemes only")
    };
    let (lambda, rates) = (model.arrivals().rate_at(0.0), model.rates());
    let mut times = Vec::new();
    let mut time = 0.0;
    loop {
        // One clock a server: a busy one completes, an initializing one warms up, an idle one expires.
        let rate = |server: &Server| match server {
            Server::Cold => 0.0,
            Server::Initializing => rates.initialization(),
            Server::Warm(jobs) if jobs.is_empty() => rates.expiration(),
            Server::Warm(_) => 1.0,
        };
        let own: f64 = servers.iter().map(rate).sum();
        let total = own + count * (lambda + rates.scaling());
        time -= (1.0 - rng.random::<f64>()).ln() / total;
        if time > horizon {
            return times;
        }
        let mut share = rng.random::<f64>() * total;
        if share < count * lambda {
            if let Some(chosen) = dispatched(dispatch, &servers, &mut rng)
                && let Server::Warm(jobs) = &mut servers[chosen]
                && model.buffer().has_room(jobs.len())
            {
                jobs.push_back(time);
            }
            continue;
        }
        share -= count * lambda;
        if share < count * rates.scaling() {
            let start = rng.random::<f64>() < scaling.probability(&observed(model, &servers, lambda));
            if let Some(cold) =
                servers.iter_mut().find(|server| matches!(server, Server::Cold)).filter(|_| start)
            {
                *cold = Server::Initializing;
            }
            continue;
        }
        share -= count * rates.scaling();
        let Some(next) = servers.iter().position(|server| {
            share -= rate(server);
            share < 0.0
        }) else {
            continue;
        };
        match &mut servers[next] {
            Server::Warm(jobs) => match jobs.pop_front() {
                Some(arrived) if arrived > warm_up && arrived < last => times.push(time - arrived),
                Some(_) => {}
                None => servers[next] = Server::Cold,
            },
            server => *server = Server::Warm(VecDeque::new()),
        }
    }
}

fn spread(start: &Counts) -> Vec<Server> {
    let mut servers = Vec::new();
    servers.extend((0..start.cold).map(|_| Server::Cold));
    servers.extend((0..start.initializing).map(|_| Server::Initializing));
    for (level, &count) in start.warm.iter().enumerate() {
        servers.extend((0..count).map(|_| Server::Warm(std::iter::repeat_n(0.0, level).collect())));
    }
    servers
}

fn dispatched(dispatch: Dispatch, servers: &[Server], rng: &mut Xoshiro256PlusPlus) -> Option<usize> {
    let jobs = |index: usize| match &servers[index] {
        Server::Warm(jobs) => jobs.len(),
        Server::Cold | Server::Initializing => usize::MAX,
    };
    let warm: Vec<usize> = (0..servers.len()).filter(|&index| jobs(index) < usize::MAX).collect();
    let mut any = |among: &[usize]| (!among.is_empty()).then(|| among[rng.random_range(0..among.len())]);
    match dispatch {
        Dispatch::PowerOfD(rule) => (0..rule.d()).filter_map(|_| any(&warm)).min_by_key(|&index| jobs(index)),
        Dispatch::JoinBelowThreshold(rule) => {
            let below: Vec<usize> =
                warm.iter().copied().filter(|&index| jobs(index) <= rule.d() as usize).collect();
            any(if below.is_empty() { &warm } else { &below })
        }
    }
}

fn observed(model: &Model, servers: &[Server], demand: f64) -> Observation {
    let share = |holds: &dyn Fn(&Server) -> bool| {
        servers.iter().filter(|server| holds(server)).count() as f64 / servers.len() as f64
    };
    let initializing = share(&|server| matches!(server, Server::Initializing));
    Observation {
        demand,
        initializing,
        warming: model.rates().initialization() * initializing,
        one_job: share(&|server| matches!(server, Server::Warm(jobs) if jobs.len() == 1)),
        warm: share(&|server| matches!(server, Server::Warm(_))),
    }
}

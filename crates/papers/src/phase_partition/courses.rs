//! What becomes of the published and of all random arrivals.

use super::cases::{Case, Method, SERVERS};
use super::series::{Arrivals, ENERGY_SECONDS, SECONDS};
use alba_cluster::{Assignment, ClusterError, Course, PaperExperiment, PowerModel, stream};
use rayon::prelude::*;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) case: &'static Case,
    pub(super) method: Method,
    pub(super) assignment: Assignment,
}

/// What is shown of every second: requests that come, connections of each server, power of each server and of all, energy of all since the start.
pub(super) const SHOWN: [&str; 2 * SERVERS + 3] = [
    "requests",
    "connections_1",
    "connections_2",
    "connections_3",
    "power_1_w",
    "power_2_w",
    "power_3_w",
    "power_w",
    "energy_j",
];

/// One number for each of [`SHOWN`].
type Numbers = [f64; SHOWN.len()];

/// What one random series comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Total {
    /// By 160 s.
    pub(super) energy_j: f64,
    /// By 160 s.
    pub(super) refused: u64,
    pub(super) starts_s: [Option<u64>; SERVERS],
}

/// A line with the published arrivals and with all random ones.
#[derive(Debug)]
pub(super) struct Spread {
    pub(super) line: Line,
    pub(super) published: Course,
    pub(super) total: Total,
    /// Of each second.
    pub(super) shown: Vec<Numbers>,
    /// The middle 95 % of the random series, for each second.
    pub(super) bands: Vec<[(f64, f64); SHOWN.len()]>,
    /// Of each random series.
    pub(super) random: Vec<Total>,
}

impl Spread {
    pub(super) fn new(line: Line, arrivals: &Arrivals) -> Result<Self, ClusterError> {
        let published = line.run(&arrivals.published)?;
        let one = |arrivals: &Vec<u32>| line.run(arrivals).map(|course| (Total::of(&course), shown(&course)));
        let random = arrivals.random.par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let (random, courses): (Vec<Total>, Vec<Vec<Numbers>>) = random.into_iter().unzip();
        let band = |second: usize, which: usize| {
            middle(courses.iter().filter_map(|course| Some(course.get(second)?[which])).collect())
        };
        let bands =
            (0..SECONDS).into_par_iter().map(|second| std::array::from_fn(|which| band(second, which)));
        let bands = bands.collect();
        Ok(Self { line, total: Total::of(&published), shown: shown(&published), published, bands, random })
    }
}

impl Line {
    fn run(&self, arrivals: &[u32]) -> Result<Course, ClusterError> {
        let capacities = &self.case.capacities;
        let experiment = PaperExperiment::new(capacities, PowerModel::PUBLISHED, self.assignment)?;
        // No policy here draws a random number.
        experiment.run(arrivals, self.method.policy(capacities)?.as_mut(), &mut stream(0, 0))
    }
}

impl Total {
    fn of(course: &Course) -> Self {
        let energy = course.energy_j().get(ENERGY_SECONDS - 1).copied();
        Self {
            energy_j: energy.unwrap_or(f64::NAN),
            refused: course.refused(ENERGY_SECONDS),
            starts_s: std::array::from_fn(|server| course.started_s(server).map(|second| second as u64)),
        }
    }
}

fn shown(course: &Course) -> Vec<Numbers> {
    let one = |(second, energy): (&alba_cluster::Second, f64)| {
        let servers = second.connections.iter().map(|taken| f64::from(*taken));
        let power: f64 = second.power_w.iter().sum();
        let requests = std::iter::once(f64::from(second.requests));
        let all = requests.chain(servers).chain(second.power_w.iter().copied()).chain([power, energy]);
        let mut numbers = [0.0; SHOWN.len()];
        numbers.iter_mut().zip(all).for_each(|(number, value)| *number = value);
        numbers
    };
    course.seconds.iter().zip(course.energy_j()).map(one).collect()
}

/// The numbers between which the middle 95 % lie.
pub(super) fn middle(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let outside = values.len() / 40;
    let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    (at(outside), at((values.len() - outside).saturating_sub(1)))
}

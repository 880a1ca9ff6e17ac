//! What becomes of the published and of all random arrivals.

use super::cases::{Case, Method, SERVERS};
use super::series::{Arrivals, ENERGY_SECONDS, SECONDS};
use alba_cluster::{Assignment, ClusterError, Course, PaperExperiment, PowerModel, Second, stream};
use rayon::prelude::*;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) case: &'static Case,
    pub(super) method: Method,
    pub(super) assignment: Assignment,
}

/// What is shown of every second.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shown {
    /// Requests that come.
    Requests,
    /// Of a server, from 0, as the next.
    Connections(usize),
    PowerOf(usize),
    /// Of all servers, as the next.
    Power,
    /// Since the start.
    Energy,
}

impl Shown {
    pub(super) const ALL: [Self; 2 * SERVERS + 3] = [
        Self::Requests,
        Self::Connections(0),
        Self::Connections(1),
        Self::Connections(2),
        Self::PowerOf(0),
        Self::PowerOf(1),
        Self::PowerOf(2),
        Self::Power,
        Self::Energy,
    ];

    /// Its place in [`Self::ALL`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Requests => 0,
            Self::Connections(server) => 1 + server,
            Self::PowerOf(server) => 1 + SERVERS + server,
            Self::Power => 1 + 2 * SERVERS,
            Self::Energy => 2 + 2 * SERVERS,
        }
    }

    pub(super) fn name(self) -> String {
        match self {
            Self::Requests => "requests".to_owned(),
            Self::Connections(server) => format!("connections_{}", server + 1),
            Self::PowerOf(server) => format!("power_{}_w", server + 1),
            Self::Power => "power_w".to_owned(),
            Self::Energy => "energy_j".to_owned(),
        }
    }

    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Connections(_) => "connections",
            Self::PowerOf(_) | Self::Power => "W",
            Self::Energy => "J",
        }
    }

    fn value(self, second: &Second, energy_j: f64) -> f64 {
        match self {
            Self::Requests => second.requests.into(),
            Self::Connections(server) => second.connections[server].into(),
            Self::PowerOf(server) => second.power_w[server],
            Self::Power => second.power_w.iter().sum(),
            Self::Energy => energy_j,
        }
    }
}

/// One number for each of [`Shown::ALL`].
type Numbers = [f64; Shown::ALL.len()];

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
    bands: Vec<[Option<(f64, f64)>; Shown::ALL.len()]>,
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

    /// Of a case, a method and an assignment, if it was run.
    pub(super) fn find<'s>(
        spreads: &'s [Self],
        case: &Case,
        method: Method,
        assignment: Assignment,
    ) -> Option<&'s Self> {
        spreads.iter().find(|Self { line, .. }| {
            line.case.number == case.number && line.method == method && line.assignment == assignment
        })
    }

    /// The middle 95 % of the random series in a second, from 0; none without any.
    pub(super) fn band(&self, second: usize, shown: Shown) -> Option<(f64, f64)> {
        self.bands.get(second)?[shown.index()]
    }

    /// Energies by 160 s of all random series, in their order.
    pub(super) fn random_energies_j(&self) -> impl Iterator<Item = f64> + '_ {
        self.random.iter().map(|total| total.energy_j)
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
        let energies = course.energy_j();
        Self {
            // By the end of a shorter course; there is none.
            energy_j: energies.iter().take(ENERGY_SECONDS).next_back().copied().unwrap_or_default(),
            refused: course.refused(ENERGY_SECONDS),
            starts_s: std::array::from_fn(|server| course.started_s(server).map(|second| second as u64)),
        }
    }
}

fn shown(course: &Course) -> Vec<Numbers> {
    let seconds = course.seconds.iter().zip(course.energy_j());
    seconds.map(|(second, energy)| Shown::ALL.map(|shown| shown.value(second, energy))).collect()
}

/// The numbers between which the middle 95 % lie; none of no values.
pub(super) fn middle(mut values: Vec<f64>) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let outside = values.len() / 40;
    Some((*values.get(outside)?, *values.get((values.len() - outside).checked_sub(1)?)?))
}

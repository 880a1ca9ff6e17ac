//! The paper's cases and methods, and what it prints of them.

use alba_cluster::policy::{LiteralLeastConnections, LiteralPartition, LiteralRoundRobin, Policy};
use alba_cluster::{Assignment, ClusterError, PartitionTable, Ratios};

/// Servers of every case.
pub(super) const SERVERS: usize = 3;

/// Three servers, and what the paper prints of them.
#[derive(Debug, PartialEq)]
pub(super) struct Case {
    pub(super) number: u64,
    pub(super) capacities: [u32; SERVERS],
    /// Of five in a row: round robin, least connections, Algorithm 2, sums, cumulative sums.
    pub(super) first_energy_figure: u64,
    /// Of round robin, least connections, Algorithm 2 by 160 s, in joules.
    printed_energies_j: [f64; 3],
    /// When Algorithm 2 switches servers 2 and 3 on.
    printed_starts_s: [u64; 2],
}

/// Servers of the same and of different capacities.
pub(super) const CASES: [Case; 2] = [
    Case {
        number: 1,
        capacities: [1500; SERVERS],
        first_energy_figure: 13,
        printed_energies_j: [52194.2, 52201.5, 42509.6],
        printed_starts_s: [43, 84],
    },
    Case {
        number: 2,
        capacities: [2000, 1500, 1000],
        first_energy_figure: 18,
        printed_energies_j: [52014.7, 51997.6, 42917.0],
        printed_starts_s: [57, 97],
    },
];

/// How requests are given to servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    RoundRobin,
    LeastConnections,
    /// Algorithm 1 with Lemma 1: r = 2.
    Algorithm1Lemma1,
    /// Algorithm 1 with Lemma 2: r = 2, 5, 2, 2, ...
    Algorithm1Lemma2,
    /// Algorithm 2: r = 2, 2.5, 2, 2, ..., every server filled to 70 % first.
    Algorithm2,
}

/// The desired ratio of Algorithm 2.
const ETA: &str = "0.7";

/// Every way that the requests of a case are placed. By the second is this project's guess at why the paper's round robin and least
/// connections differ.
pub(super) const LINES: [(Method, Assignment); 7] = [
    (Method::RoundRobin, Assignment::OneByOne),
    (Method::LeastConnections, Assignment::OneByOne),
    (Method::Algorithm1Lemma1, Assignment::OneByOne),
    (Method::Algorithm1Lemma2, Assignment::OneByOne),
    (Method::Algorithm2, Assignment::OneByOne),
    (Method::RoundRobin, Assignment::BySecond),
    (Method::LeastConnections, Assignment::BySecond),
];

/// As tables have it.
pub(super) fn assignment_name(assignment: Assignment) -> &'static str {
    match assignment {
        Assignment::OneByOne => "one by one",
        Assignment::BySecond => "by the second",
    }
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round robin",
            Self::LeastConnections => "least connections",
            Self::Algorithm1Lemma1 => "Algorithm 1, Lemma 1",
            Self::Algorithm1Lemma2 => "Algorithm 1, Lemma 2",
            Self::Algorithm2 => "Algorithm 2",
        }
    }

    pub(super) fn policy(self, capacities: &[u32]) -> Result<Box<dyn Policy>, ClusterError> {
        let partition = |ratios: &[&str]| -> Result<(Ratios, PartitionTable), ClusterError> {
            let ratios = Ratios::parse(ratios)?;
            let table = PartitionTable::new(capacities, &ratios)?;
            Ok((ratios, table))
        };
        Ok(match self {
            Self::RoundRobin => Box::new(LiteralRoundRobin::new(capacities.len())),
            Self::LeastConnections => Box::new(LiteralLeastConnections::new(capacities.len())),
            Self::Algorithm1Lemma1 => Box::new(LiteralPartition::new(partition(&["2"])?.1, 1)?),
            Self::Algorithm1Lemma2 => Box::new(LiteralPartition::new(partition(&["2", "5", "2"])?.1, 1)?),
            Self::Algorithm2 => {
                let (ratios, table) = partition(&["2", "2.5", "2"])?;
                Box::new(LiteralPartition::new(table, ratios.phase_reaching(&ETA.parse()?)?)?)
            }
        })
    }
}

impl Case {
    /// Energy by 160 s, in joules.
    pub(super) fn printed_energy_j(&self, method: Method) -> Option<f64> {
        let [round_robin, least_connections, algorithm_2] = self.printed_energies_j;
        match method {
            Method::RoundRobin => Some(round_robin),
            Method::LeastConnections => Some(least_connections),
            Method::Algorithm1Lemma1 | Method::Algorithm1Lemma2 => None,
            Method::Algorithm2 => Some(algorithm_2),
        }
    }

    /// The second in which `server`, from 0, is switched on.
    pub(super) fn printed_start_s(&self, method: Method, server: usize) -> Option<u64> {
        (method == Method::Algorithm2).then(|| self.printed_starts_s.get(server.checked_sub(1)?).copied())?
    }

    /// What round robin draws more than least connections, in joules.
    pub(super) fn printed_difference_j(&self) -> f64 {
        let [round_robin, least_connections, _] = self.printed_energies_j;
        // Printed to a tenth.
        (10.0 * (round_robin - least_connections)).round() / 10.0
    }
}

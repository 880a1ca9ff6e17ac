//! Numbered, possibly unequal servers, request by request, and policies that say which of them takes a request.
//!
//! A server is cold, initializing or warm. A request that arrives is given to a server by a [`policy::Policy`], is served
//! there under a [`Discipline`], and leaves; servers start as [`Scaling`] says, and go cold after an idle time. Service,
//! initialization and expiration times follow any [`Law`].
//!
//! Nouns: a [`Problem`] is *what* (servers, arrivals, times, start, grid), an [`Experiment`] *how often* and under which
//! policies ([`Arbitrator`]), an [`Outcome`] what came back ([`simulate`] has an example): every [`alba_model::Measure`] with its interval,
//! and its difference from the first policy's in pairs of replications with the same arrivals and service demands. Time is
//! counted in mean service times.
//!
//! # The phase-partition arbitrator
//!
//! It splits the capacity `C_k` of server `k` into portions, from ratios `r_1, r_2, ...`:
//!
//! ```text
//! P[k,j] = floor(C_k / (r_1 r_2 ... r_j) + 1/2)       L[k,j] = P[k,1] + ... + P[k,j]
//! ```
//!
//! and fills the servers to their limits `L[k,j]` one after the other, phase `j` by phase ([`PartitionTable`],
//! [`policy::PhasePartition`]). Where all ratios are at least 2, no limit is above the capacity.
//!
//! A [`PartitionTable`] is *what* each server may take in each phase, a [`policy::Policy`] *who* takes the next request, a
//! [`PowerModel`] what that costs, a [`PaperExperiment`] the servers that requests of every second go to, a [`Course`] what came of it.
//!
//! ```
//! use alba_cluster::policy::PhasePartition;
//! use alba_cluster::{Assignment, PaperExperiment, PartitionTable, PowerModel, Ratios, stream};
//!
//! let capacities = [2000, 1500, 1000];
//! let ratios = Ratios::parse(&["2", "2.5", "2"])?; // the last one repeats
//! let table = PartitionTable::new(&capacities, &ratios)?;
//! assert_eq!((table.phases(), table.limit(1, 2), table.limit(1, 11)), (11, 1050, 1350));
//! let phase = ratios.phase_reaching(&"0.7".parse()?)?; // power saving: every server is filled to 70 % first
//! let mut policy = PhasePartition::new(table, phase)?;
//! let experiment = PaperExperiment::new(&capacities, PowerModel::PUBLISHED, Assignment::OneByOne)?;
//! let course = experiment.run(&[25; 180], &mut policy, &mut stream(1, 0))?;
//! assert_eq!(course.started_s(1), Some(57));
//! # Ok::<(), alba_cluster::ClusterError>(())
//! ```
//!
//! Source: *A Method for Load Distribution Used in Multi-Server Environments*. What it leaves open is completed here, and each place
//! says so.

mod arrivals;
mod clock;
mod decimal;
mod discipline;
mod draw;
mod engine;
mod error;
mod experiment;
mod histogram;
mod law;
mod ledger;
mod nature;
mod outcome;
mod partition;
mod percentiles;
pub mod policy;
mod power;
mod problem;
mod ratios;
mod reduction;
mod run;
mod scaling;
mod servers;
mod sets;
mod simulate;
mod workload;

pub use alba_replicate::{Estimate, Interval, Precision, PrecisionError, Shortfall, Tolerance, stream};
pub use arrivals::{PUBLISHED_KNOTS, published_arrivals, random_arrivals};
pub use decimal::Decimal;
pub use discipline::Discipline;
pub use draw::Draw;
pub use error::ClusterError;
pub use experiment::{Assignment, Course, PaperExperiment, Second};
pub use law::Law;
pub use outcome::{GridPoint, Outcome, PolicyOutcome, RequestCounts, TooFew};
pub use partition::PartitionTable;
pub use policy::Arbitrator;
pub use power::PowerModel;
pub use problem::{Experiment, Problem, ProblemParts, Times};
pub use rand_xoshiro::Xoshiro256PlusPlus;
pub use ratios::Ratios;
pub use scaling::{Asynchronous, Scaling};
pub use servers::{Group, Servers};
pub use simulate::{simulate, simulate_to_precision};
pub use workload::Arrivals;

//! Schemes: how dispatching and scaling go together.

use crate::{Dispatch, ModelError, PowerOfD, ScalingRule};

/// How jobs are dispatched and servers started.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// Dispatching at arrivals, scaling at times of its own.
    Asynchronous {
        /// Where an arriving job goes.
        dispatch: Dispatch,
        /// Whether a scaling time starts a server.
        scaling: ScalingRule,
    },
    /// TABS-d, token-based auto-balance scaling: an arrival joins an idle server if there is one, else the shortest of
    /// `d` busy ones drawn with replacement (`d = 1`: any), and then, if a server is cold, one starts. An arrival that is
    /// lost or rejected starts one too. There are no scaling times: `alpha` plays no role.
    ///
    /// # Source
    /// D. Mukherjee, S. Dhara, S. Borst, J. van Leeuwaarden, *Optimal Service Elasticity in Large-Scale Distributed Systems*,
    /// Proceedings of the ACM on Measurement and Analysis of Computing Systems, 2017.
    Tabs(PowerOfD),
    /// The central queue with set-up and delayed-off (M/M/N/setup/delay-off): an arrival that finds no idle server waits,
    /// and starts a cold one if there is one; a server that becomes idle or warm takes the job that has waited longest,
    /// and a server that initializes for no waiting job any more goes cold. `B N` jobs have room in all.
    ///
    /// # Source
    /// A. Gandhi, S. Doroudi, M. Harchol-Balter, A. Scheller-Wolf, *Exact analysis of the M/M/k/setup class of Markov
    /// chains via recursive renewal reward*, Queueing Systems, 2014.
    CentralQueue,
}

impl Scheme {
    /// Names of the kinds of schemes in scenario files.
    pub const KINDS: [&'static str; 3] = ["asynchronous", "tabs", "central-queue"];

    /// Dispatching at arrivals, scaling at times of its own.
    pub const fn asynchronous(dispatch: Dispatch, scaling: ScalingRule) -> Self {
        Self::Asynchronous { dispatch, scaling }
    }

    /// TABS-d with `d >= 1`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for `d = 0`.
    pub fn tabs(d: u32) -> Result<Self, ModelError> {
        PowerOfD::new(d).map(Self::Tabs)
    }

    /// Every scheme of the catalogues but the central queue, which has no fluid limit here: what tests, benches and studies
    /// loop over.
    ///
    /// # Errors
    /// None in practice: all parameters are valid.
    pub fn catalogue() -> Result<Vec<Self>, ModelError> {
        let scalings = ScalingRule::catalogue()?;
        let pair = |dispatch| scalings.iter().map(move |&scaling| Self::asynchronous(dispatch, scaling));
        let mut schemes: Vec<Self> = Dispatch::catalogue()?.into_iter().flat_map(pair).collect();
        schemes.extend([Self::tabs(1)?, Self::tabs(2)?]);
        Ok(schemes)
    }

    /// Its kind's name in scenario files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Asynchronous { .. } => Self::KINDS[0],
            Self::Tabs(_) => Self::KINDS[1],
            Self::CentralQueue => Self::KINDS[2],
        }
    }

    /// Which server an arriving job joins; none where jobs wait in a central queue.
    pub fn dispatch(&self) -> Option<Dispatch> {
        match *self {
            Self::Asynchronous { dispatch, .. } => Some(dispatch),
            Self::Tabs(choices) => Some(Dispatch::idle_or_shortest_of(choices)),
            Self::CentralQueue => None,
        }
    }
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asynchronous { dispatch, scaling } => write!(f, "{dispatch} + {scaling}"),
            Self::Tabs(choices) if choices.d() == 1 => f.write_str("TABS"),
            Self::Tabs(choices) => write!(f, "TABS-{}", choices.d()),
            Self::CentralQueue => f.write_str("central queue"),
        }
    }
}

//! What can happen to a state, and how fast.

/// Where a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// Turned off.
    Cold,
    /// Starting.
    Initializing,
    /// Warm with this many jobs.
    Warm(usize),
}

/// One server goes from a place to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Where the server was.
    pub from: Place,
    /// Where it is now.
    pub to: Place,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// A job joined a warm server that held `level` jobs.
    Accepted {
        /// Jobs found.
        level: usize,
    },
    /// A job was sent to a full server.
    Rejected,
    /// A job found no warm server.
    Lost,
    /// A job joined the central queue.
    Queued,
    /// A server that held `level >= 1` jobs finished one.
    Completion {
        /// Jobs before.
        level: usize,
    },
    /// A scaling time started a cold server; where arrivals start servers, that is part of the arrival.
    ScaleUp,
    /// A scaling time started nothing.
    IdleScaling,
    /// A server became warm.
    Initialization,
    /// An idle warm server went cold.
    Expiration,
}

/// An event with its rate per server (times `N`: rate in the chain) and the servers that it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transition {
    /// What happens.
    pub event: Event,
    /// Servers moved: none for a job that is turned away, two where an arrival also starts a server.
    pub moves: [Option<Move>; 2],
    /// By how much the number of jobs in the central queue changes: -1, 0 or 1.
    pub waiting: i8,
    /// Rate per server and mean service time.
    pub rate: f64,
}

impl Transition {
    /// One server moves.
    pub(crate) fn moving(event: Event, from: Place, to: Place, rate: f64) -> Self {
        Self { event, moves: [Some(Move { from, to }), None], waiting: 0, rate }
    }

    /// Nothing moves, but the event counts.
    pub(crate) fn counted(event: Event, rate: f64) -> Self {
        Self { event, moves: [None; 2], waiting: 0, rate }
    }

    /// One more server moves, if `happens`.
    pub(crate) fn and(mut self, happens: bool, from: Place, to: Place) -> Self {
        self.moves[1] = happens.then_some(Move { from, to });
        self
    }

    /// A job joins (1) or leaves (-1) the central queue.
    pub(crate) fn with_queue(mut self, change: i8) -> Self {
        self.waiting = change;
        self
    }
}

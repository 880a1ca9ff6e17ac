//! How often each kind of event happened.

use crate::uniformized::table::Step;

/// Numbers of events, of every class of [`alba_model::Event`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventCounts {
    /// Jobs that joined a warm server.
    pub accepted: u64,
    /// Jobs sent to a full server.
    pub rejected: u64,
    /// Jobs that found no warm server.
    pub lost: u64,
    /// Jobs finished.
    pub completions: u64,
    /// Starts of a cold server: scaling times that started one, or, where arrivals start servers, events of their own.
    pub scale_ups: u64,
    /// Scaling times that started nothing.
    pub idle_scalings: u64,
    /// Servers that became warm.
    pub initializations: u64,
    /// Idle servers that went cold.
    pub expirations: u64,
}

impl EventCounts {
    /// Every class with its name in tables, in their order.
    pub fn classes(&self) -> [(&'static str, u64); 8] {
        [
            ("accepted", self.accepted),
            ("rejected", self.rejected),
            ("lost", self.lost),
            ("completions", self.completions),
            ("scale_ups", self.scale_ups),
            ("idle_scalings", self.idle_scalings),
            ("initializations", self.initializations),
            ("expirations", self.expirations),
        ]
    }

    /// All events.
    pub fn total(&self) -> u64 {
        self.classes().iter().map(|class| class.1).sum()
    }

    /// All jobs that arrived.
    pub fn arrivals(&self) -> u64 {
        self.accepted + self.rejected + self.lost
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.lost += other.lost;
        self.completions += other.completions;
        self.scale_ups += other.scale_ups;
        self.idle_scalings += other.idle_scalings;
        self.initializations += other.initializations;
        self.expirations += other.expirations;
    }
}

/// What one replication counts on its way.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    /// `found[i]`: jobs accepted after the warm-up that found `i` jobs.
    pub(crate) found: Vec<u64>,
    /// Jobs accepted after the warm-up that joined a central queue.
    pub(crate) queued: u64,
    /// All events.
    pub(crate) events: u64,
    /// The classes that are counted one by one: all but accepted jobs and completions.
    pub(crate) counted: EventCounts,
    /// Of the warm-up.
    before: EventCounts,
}

impl Tally {
    pub(crate) fn new(levels: usize) -> Self {
        let none = EventCounts::default();
        Self { found: vec![0; levels], queued: 0, events: 0, counted: none, before: none }
    }

    /// Counts a step `by` times; jobs accepted or finished are counted elsewhere.
    pub(crate) fn count(&mut self, step: Step, by: i64) {
        self.events = self.events.wrapping_add_signed(by * step.counted() as i64);
        let counted = &mut self.counted;
        let class = match step.plain() {
            Step::REJECTED => Some(&mut counted.rejected),
            Step::LOST => Some(&mut counted.lost),
            Step::SCALE_UP => Some(&mut counted.scale_ups),
            Step::IDLE_SCALING => Some(&mut counted.idle_scalings),
            Step::INITIALIZATION => Some(&mut counted.initializations),
            Step::EXPIRATION => Some(&mut counted.expirations),
            _ => None,
        };
        class.into_iter().for_each(|class| *class = class.wrapping_add_signed(by));
        if step.started() {
            counted.scale_ups = counted.scale_ups.wrapping_add_signed(by);
        }
    }

    /// The warm-up is over.
    pub(crate) fn begin(&mut self) {
        self.before = self.all();
        self.found.fill(0);
        self.queued = 0;
    }

    /// Events so far.
    pub(crate) fn all(&self) -> EventCounts {
        let accepted = self.before.accepted + self.found.iter().sum::<u64>() + self.queued;
        let mut all = EventCounts { accepted, ..self.counted };
        all.completions = self.events - all.total();
        all
    }

    /// Jobs lost and rejected after the warm-up, and all that arrived then.
    pub(crate) fn turned_away(&self) -> TurnedAway {
        let all = self.all();
        TurnedAway {
            lost: all.lost - self.before.lost,
            rejected: all.rejected - self.before.rejected,
            arrivals: all.arrivals() - self.before.arrivals(),
        }
    }
}

/// Jobs that were turned away, among all that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnedAway {
    pub(crate) lost: u64,
    pub(crate) rejected: u64,
    pub(crate) arrivals: u64,
}

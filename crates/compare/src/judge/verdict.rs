//! What a judgement says.

use super::Runs;
use alba_model::Measure;
use alba_scenario::Scenario;
use std::fmt;

/// What the fluid model is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Judged {
    /// Servers initializing, idle or busy: what server-hours count.
    ServersOn,
    /// A measure.
    Measure(Measure),
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServersOn => f.write_str("servers on (server-hours)"),
            Self::Measure(measure) => f.write_str(&measure.name()),
        }
    }
}

/// Averages along the run of fluid model and chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// Of what.
    pub judged: Judged,
    /// The fluid model's.
    pub fluid: f64,
    /// The chain's.
    pub chain: f64,
    /// Of the chain's 95 % interval.
    pub half_width: f64,
}

impl Deviation {
    /// Fluid model less chain, as a share of the chain's; infinite where that is 0 and the other not.
    pub fn share(&self) -> f64 {
        let difference = self.fluid - self.chain;
        if difference == 0.0 { 0.0 } else { difference / self.chain }
    }

    /// Whether neither chance nor rounding would do it.
    pub fn is_clear(&self) -> bool {
        const ROUNDING: f64 = 1e-9;
        (self.fluid - self.chain).abs() > self.half_width + ROUNDING
    }

    /// How large it is as a share of what matters to a user: of the value itself, or, for parts that may be next to nothing, of all
    /// servers that are on, or of all arrivals.
    fn weight(&self, on: f64) -> f64 {
        let difference = (self.fluid - self.chain).abs();
        match self.judged {
            Judged::Measure(Measure::Cold | Measure::Initializing | Measure::Idle) => difference / on,
            Judged::Measure(Measure::LostFraction | Measure::RejectedFraction) => difference,
            Judged::ServersOn | Judged::Measure(_) => self.share().abs(),
        }
    }

    /// The same as a share of what is allowed.
    fn excess(&self, on: f64) -> f64 {
        let allowed = match self.judged {
            Judged::Measure(Measure::LostFraction | Measure::RejectedFraction) => Judgement::TURNED_AWAY,
            Judged::ServersOn | Judged::Measure(_) => Judgement::GOOD,
        };
        let weight = self.weight(on);
        if self.is_clear() && weight >= Judgement::NEGLIGIBLE { weight / allowed } else { 0.0 }
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (judged, percent) = (self.judged, 100.0 * self.share().abs());
        let way = if self.share() < 0.0 { "too low" } else { "too high" };
        if !self.is_clear() {
            write!(f, "{judged} right as far as can be told ({:.4}, +- {:.4})", self.chain, self.half_width)
        } else if percent.is_finite() {
            write!(f, "{judged} {percent:.1} % {way} ({:.4} instead of {:.4})", self.fluid, self.chain)
        } else {
            write!(f, "{judged} too high ({:.4} instead of 0)", self.fluid)
        }
    }
}

/// How good the fluid model is for the scenario's number of servers.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The scenario's name.
    pub scenario: String,
    /// N.
    pub servers: u64,
    /// By what.
    pub runs: Runs,
    /// Servers on, then every measure that both know.
    pub deviations: Vec<Deviation>,
}

impl Judgement {
    /// A fluid model is good whose measures are off by no more than this share of themselves, and idle, initializing and cold servers
    /// by no more than that of all servers on.
    pub const GOOD: f64 = 0.05;
    /// And lost and rejected jobs by no more than this share of all.
    pub const TURNED_AWAY: f64 = 0.01;
    /// Less than this is not worth a word.
    const NEGLIGIBLE: f64 = 1e-3;

    pub(super) fn new(scenario: &Scenario, runs: Runs, deviations: Vec<Deviation>) -> Self {
        Self { scenario: scenario.name().to_owned(), servers: scenario.servers(), runs, deviations }
    }

    /// Servers that are on in the chain, as a fraction of all.
    fn on(&self) -> f64 {
        self.of(Judged::ServersOn).map_or(1.0, |on| on.chain)
    }

    /// One of them.
    pub fn of(&self, judged: Judged) -> Option<&Deviation> {
        self.deviations.iter().find(|deviation| deviation.judged == judged)
    }

    /// The one that is furthest off in terms of what is allowed of it, if any is clearly off at all.
    pub fn worst(&self) -> Option<&Deviation> {
        let on = self.on();
        // Where power counts servers on, both are off by the same but for rounding.
        let rounded = |deviation: &Deviation| (1e6 * deviation.excess(on)).round();
        let off = self.deviations.iter().rev().filter(|deviation| rounded(deviation) > 0.0);
        off.max_by(|a, b| rounded(a).total_cmp(&rounded(b)))
    }

    /// Whether nothing is further off than allowed.
    pub fn is_good(&self) -> bool {
        self.worst().is_none_or(|worst| worst.excess(self.on()) <= 1.0)
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenario, servers, runs, .. } = self;
        let verdict = if self.is_good() { "is good" } else { "is off" };
        write!(f, "{scenario}: the fluid model {verdict} for N = {servers}")?;
        let worst = self.worst();
        match worst {
            Some(worst) => write!(f, "; worst, on average over time: {worst}")?,
            None => write!(f, "; no measure is clearly off on average over time")?,
        }
        let turned_away = [Measure::LostFraction, Measure::RejectedFraction].map(Judged::Measure);
        let turned_away = turned_away
            .into_iter()
            .filter_map(|judged| self.of(judged))
            .filter(|off| off.excess(self.on()) > 1.0);
        let costs = [Judged::ServersOn, Judged::Measure(Measure::Energy)];
        let costs = costs.into_iter().filter_map(|judged| self.of(judged));
        for deviation in turned_away.chain(costs).filter(|deviation| Some(*deviation) != worst) {
            write!(f, "; {deviation}")?;
        }
        write!(f, "; judged by {runs}")
    }
}

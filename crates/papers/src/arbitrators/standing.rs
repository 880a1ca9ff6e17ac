//! What every contender costs on one system, over several seeds.

use super::contender::{Contender, Kind, Setting};
use alba_cluster::{ClusterError, PolicyOutcome};
use alba_compare::Progress;
use alba_compare::under;
use alba_ctmc::Estimate;
use alba_model::{Measure, Parts};
use alba_replicate::{Nature, PairedMoments, student_quantile};

/// What is asked of every contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    MeanResponseTime,
    P99,
    EnergyPerRequest,
    ServersOn,
    TurnedAway,
    Overload,
    Cost,
}

impl Quantity {
    pub(super) const ALL: [Self; 7] = [
        Self::MeanResponseTime,
        Self::P99,
        Self::EnergyPerRequest,
        Self::ServersOn,
        Self::TurnedAway,
        Self::Overload,
        Self::Cost,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::MeanResponseTime => "mean_response_time",
            Self::P99 => "p99",
            // Energy over requests that arrive.
            Self::EnergyPerRequest => "energy_per_request",
            // Initializing and warm ones, mean over time.
            Self::ServersOn => "servers_on",
            // Rejected and lost ones, of those that arrive.
            Self::TurnedAway => "turned_away",
            // Share of time in which some server is full.
            Self::Overload => "overload_fraction",
            Self::Cost => "cost",
        }
    }

    /// What is known of it beforehand.
    pub(super) fn nature(self) -> Nature {
        match self {
            Self::TurnedAway | Self::Overload => Nature::SHARE,
            Self::MeanResponseTime | Self::P99 | Self::EnergyPerRequest | Self::ServersOn | Self::Cost => {
                Nature::default()
            }
        }
    }

    /// Of an outcome. A request costs the energy that is spent on it, and the time that it waits; one that is turned away, as
    /// much as if it had waited behind a full server.
    fn of(self, outcome: &PolicyOutcome, setting: &Setting) -> f64 {
        let metric = |metric| outcome.metric(metric).value.unwrap_or(f64::NAN);
        match self {
            Self::MeanResponseTime => metric(Measure::MeanResponseTime),
            Self::P99 => metric(Measure::P99),
            Self::EnergyPerRequest => metric(Measure::Energy) / setting.mean_arrival_rate(),
            Self::ServersOn => metric(Measure::ServersOn),
            Self::TurnedAway => metric(Measure::RejectedFraction) + metric(Measure::LostFraction),
            Self::Overload => metric(Measure::OverloadFraction),
            Self::Cost => {
                let [energy, away] =
                    [Self::EnergyPerRequest, Self::TurnedAway].map(|of| of.of(outcome, setting));
                let full = f64::from(setting.model.buffer().limit().unwrap_or(u32::MAX));
                let waiting = outcome.metric(Measure::MeanWaitingTime).value.unwrap_or(0.0);
                energy + (1.0 - away) * waiting + away * full
            }
        }
    }
}

impl Setting {
    /// Over the time that is measured, per server and mean service time.
    fn mean_arrival_rate(&self) -> f64 {
        self.model.arrivals().mean_rate(self.warm_up, self.grid.horizon())
    }
}

/// A contender on one system: every quantity for every seed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standing {
    pub(super) name: String,
    pub(super) kind: Kind,
    seeds: Vec<[f64; Quantity::ALL.len()]>,
}

impl Standing {
    /// Mean over seeds, with Student's interval; an undefined value in one seed leaves the whole undefined.
    pub(super) fn estimate(&self, quantity: Quantity) -> Estimate {
        defined(Estimate::of_sample_within(&self.values(quantity), quantity.nature()))
    }

    /// The mean difference from `other`, seed by seed: both met the same requests.
    pub(super) fn difference(&self, other: &Self, quantity: Quantity) -> Estimate {
        let pairs = self.values(quantity).into_iter().zip(other.values(quantity));
        let nature = quantity.nature();
        if nature == Nature::default() {
            return defined(Estimate::of_sample(
                &pairs.map(|(own, others)| own - others).collect::<Vec<_>>(),
            ));
        }
        let part = |numerator| Parts { numerator, denominator: 1.0 };
        let mut paired = PairedMoments::of([nature; 2]);
        pairs.for_each(|(own, others)| paired.push(part(own), part(others)));
        defined(paired.difference(student_quantile(self.seeds.len() as u64)))
    }

    pub(super) fn values(&self, quantity: Quantity) -> Vec<f64> {
        self.seeds.iter().map(|seed| seed[quantity as usize]).collect()
    }

    pub(super) fn mean(&self, quantity: Quantity) -> f64 {
        self.estimate(quantity).value.unwrap_or(f64::NAN)
    }
}

/// Undefined if one of the values is.
fn defined(estimate: Estimate) -> Estimate {
    if estimate.value.is_some_and(f64::is_finite) { estimate } else { Estimate::default() }
}

/// Runs every contender with every seed; all meet the same requests.
pub(super) fn standings(
    contenders: &[Contender],
    setting: &Setting,
    seeds: std::ops::Range<u64>,
    replications: u64,
    progress: &dyn Progress,
) -> Result<Vec<Standing>, ClusterError> {
    let standing = |contender: &Contender| {
        let problem = contender.numbered(setting)?;
        let run = |seed| -> Result<_, ClusterError> {
            let policy = contender.policy().clone();
            let outcome = under(policy, &problem, replications, seed, &|_| progress.advance(1))?;
            Ok(Quantity::ALL.map(|quantity| quantity.of(&outcome, setting)))
        };
        let seeds = seeds.clone().map(run).collect::<Result<_, _>>()?;
        Ok(Standing { name: contender.name.clone(), kind: contender.kind, seeds })
    };
    contenders.iter().map(standing).collect()
}

/// By cost, cheapest first.
pub(super) fn ranked(standings: &[Standing]) -> Vec<&Standing> {
    let mut ranked: Vec<&Standing> = standings.iter().collect();
    ranked.sort_by(|a, b| a.mean(Quantity::Cost).total_cmp(&b.mean(Quantity::Cost)));
    ranked
}

/// In how many seeds each of `ranked` has its place, those counted as equal whose costs differ by less than their interval.
pub(super) fn seeds_that_agree(ranked: &[&Standing]) -> Vec<usize> {
    let seeds = ranked.first().map_or(0, |standing| standing.seeds.len());
    let differs = |a: &Standing, b: &Standing| {
        let Estimate { value, half_width } = a.difference(b, Quantity::Cost);
        value.zip(half_width).is_some_and(|(value, half_width)| value.abs() > half_width)
    };
    let holds = |place: usize, seed: usize| {
        let cost = |standing: &Standing| standing.seeds[seed][Quantity::Cost as usize];
        ranked.iter().enumerate().all(|(other, standing)| {
            let ordered = cost(ranked[place]) < cost(standing);
            other == place || ordered == (place < other) || !differs(ranked[place], standing)
        })
    };
    (0..ranked.len()).map(|place| (0..seeds).filter(|&seed| holds(place, seed)).count()).collect()
}

/// Whether nobody who turns away about as few requests is as good in both energy and delay, and better in one.
pub(super) fn is_efficient(standing: &Standing, all: &[Standing]) -> bool {
    let away = |standing: &Standing| standing.mean(Quantity::TurnedAway);
    let fewest = all.iter().map(away).fold(f64::INFINITY, f64::min);
    let useful = |standing: &Standing| away(standing) < fewest + USEFUL;
    let at = |standing: &Standing| {
        (standing.mean(Quantity::EnergyPerRequest), standing.mean(Quantity::MeanResponseTime))
    };
    let (energy, response) = at(standing);
    let beaten = |other: &Standing| {
        let (e, r) = at(other);
        let no_worse = !is_less(energy, e) && !is_less(response, r);
        useful(other) && no_worse && (is_less(e, energy) || is_less(r, response))
    };
    useful(standing) && !all.iter().any(beaten)
}

/// Beyond rounding: with all servers on energies differ by nothing else.
fn is_less(one: f64, other: f64) -> bool {
    const ROUNDING: f64 = 1e-9;
    one < other * (1.0 - ROUNDING)
}

/// Who turns so many more requests away than others buys its speed with them.
const USEFUL: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(name: &str, costs: &[f64], energy: f64, response: f64) -> Standing {
        let seed = |cost: &f64| {
            let mut values = [0.0; Quantity::ALL.len()];
            values[Quantity::Cost as usize] = *cost;
            values[Quantity::EnergyPerRequest as usize] = energy;
            values[Quantity::MeanResponseTime as usize] = response;
            values
        };
        Standing { name: name.to_owned(), kind: Kind::Scaled, seeds: costs.iter().map(seed).collect() }
    }

    #[test]
    fn ranks_hold_or_not() {
        let all = [
            standing("dear", &[3.0, 3.1, 2.9], 2.0, 1.0),
            standing("cheap", &[1.0, 1.2, 1.1], 1.0, 2.0),
            standing("about as cheap", &[1.1, 1.1, 1.2], 1.0, 3.0),
        ];
        let ranked = ranked(&all);
        let names: Vec<_> = ranked.iter().map(|standing| standing.name.as_str()).collect();
        assert_eq!(names, ["cheap", "about as cheap", "dear"]);
        assert_eq!(seeds_that_agree(&ranked), [3, 3, 3]);
        let efficient: Vec<bool> = all.iter().map(|standing| is_efficient(standing, &all)).collect();
        assert_eq!(efficient, [true, true, false]);
        let rounded = [standing("quick", &[1.0], 2.0, 1.0), standing("slow", &[1.0], 2.0 - 1e-15, 3.0)];
        assert_eq!(rounded.each_ref().map(|standing| is_efficient(standing, &rounded)), [true, false]);
        let difference = all[0].difference(&all[1], Quantity::Cost);
        assert!((difference.value.unwrap() - (3.0 - 1.1)).abs() < 1e-12);
    }
}

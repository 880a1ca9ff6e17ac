//! What the comparison found: claims with their intervals, and the same in words.

use super::contender::Kind;
use super::round::Round;
use super::standing::{Quantity, Standing, is_efficient, ranked};
use alba_compare::with_half_width;
use alba_ctmc::Estimate;
use alba_table::Schema;

/// What is claimed of two contenders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statement {
    Cheapest,
    ArbitratorWins,
    SchemeWins,
    SwitchingOffSaves,
    Fastest,
}

impl Statement {
    fn text(self) -> &'static str {
        match self {
            Self::Cheapest => "costs least of all",
            Self::ArbitratorWins => "the arbitrator costs less than the best scheme",
            Self::SchemeWins => "the best scheme costs less than the arbitrator",
            Self::SwitchingOffSaves => "switching servers off saves energy",
            Self::Fastest => "nobody answers faster than",
        }
    }

    /// Of which `better` has less than `worse`.
    fn quantity(self) -> Quantity {
        match self {
            Self::Cheapest | Self::ArbitratorWins | Self::SchemeWins => Quantity::Cost,
            Self::SwitchingOffSaves => Quantity::EnergyPerRequest,
            Self::Fastest => Quantity::MeanResponseTime,
        }
    }
}

/// A claim about a round.
pub(super) struct Claim<'r> {
    round: &'r Round,
    statement: Statement,
    better: &'r Standing,
    worse: &'r Standing,
}

impl Claim<'_> {
    /// Over seeds.
    fn difference(&self) -> Estimate {
        self.better.difference(self.worse, self.statement.quantity())
    }

    /// Whether the interval of the difference excludes zero.
    fn holds(&self) -> bool {
        let Estimate { value, half_width } = self.difference();
        value.zip(half_width).is_some_and(|(value, half_width)| value + half_width < 0.0)
    }
}

/// Those of every round.
pub(super) fn claims(rounds: &[Round]) -> Vec<Claim<'_>> {
    rounds.iter().flat_map(claims_of).collect()
}

fn claims_of(round: &Round) -> Vec<Claim<'_>> {
    let ranked = ranked(&round.standings);
    let first = |wanted: &dyn Fn(&Standing) -> bool| ranked.iter().copied().find(|standing| wanted(standing));
    let least = |quantity: Quantity, wanted: &dyn Fn(&Standing) -> bool| {
        let of = round.standings.iter().filter(|standing| wanted(standing));
        of.min_by(|a, b| a.order(b, quantity))
    };
    let arbitrator = first(&|standing| standing.is_phase_partition);
    let scheme = first(&|standing| standing.kind == Kind::Scaled);
    let wins = arbitrator
        .zip(scheme)
        .is_none_or(|(arbitrator, scheme)| arbitrator.order(scheme, Quantity::Cost).is_le());
    let energy = Quantity::EnergyPerRequest;
    let pairs = [
        (Statement::Cheapest, ranked.first().copied(), ranked.get(1).copied()),
        if wins {
            (Statement::ArbitratorWins, arbitrator, scheme)
        } else {
            (Statement::SchemeWins, scheme, arbitrator)
        },
        (
            Statement::SwitchingOffSaves,
            least(energy, &|standing| standing.kind != Kind::AlwaysOn),
            least(energy, &|standing| standing.kind == Kind::AlwaysOn),
        ),
        (
            Statement::Fastest,
            least(Quantity::MeanResponseTime, &|_| true),
            least(Quantity::MeanResponseTime, &|standing| standing.is_phase_partition),
        ),
    ];
    let claim = |(statement, better, worse): (_, Option<_>, Option<_>)| {
        Some(Claim { round, statement, better: better?, worse: worse? })
    };
    pairs.into_iter().filter_map(claim).filter(|claim| claim.better.name != claim.worse.name).collect()
}

/// A row a claim, with the difference over seeds and whether its interval excludes zero.
pub(super) fn claim_columns<'r>() -> Schema<'static, Claim<'r>> {
    let value = |of: &Standing, claim: &Claim<'r>| of.mean(claim.statement.quantity());
    Schema::new()
        .column("round", "", "system or day", |row: &Claim<'r>| row.round.name.clone())
        .column("claim", "", "what is said of the two", |row| row.statement.text())
        .column("contender", "", "who has less", |row| row.better.name.clone())
        .column("compared_with", "", "who has more", |row| row.worse.name.clone())
        .column("quantity", "", "of what", |row| row.statement.quantity().name())
        .column("value", "", "of the contender", move |row| value(row.better, row))
        .column("other_value", "", "of whom it is compared with", move |row| value(row.worse, row))
        .columns(with_half_width("difference", "", "seed by seed", Claim::difference))
        .column("holds", "", "whether the difference is told from zero", Claim::holds)
}

/// Markdown.
pub(super) fn text(rounds: &[Round], claims: &[Claim<'_>]) -> String {
    let mut text = String::from(
        "# Which would you deploy?\n\n\
         Every contender runs the same equal servers, each of which does one unit of work in a service time, and meets the same \
         requests. A request costs the energy spent on it (servers on, for as long as they are on, per request) and the time \
         that it waits, in service times; one that is turned away costs as much as waiting behind a full server. Intervals: 95 %, \
         over seeds. Another price of waiting gives another order: the table has energy and delay apart, and marks as \
         efficient whom nobody beats in both.\n\n\
         | system | cheapest | cost | energy | response | runner-up | best arbitrator | its cost |\n|---|---|---|---|---|---|---|---|\n",
    );
    for round in rounds {
        let ranked = ranked(&round.standings);
        let (Some(first), Some(second)) = (ranked.first(), ranked.get(1)) else { continue };
        let arbitrator = ranked.iter().find(|standing| standing.is_phase_partition);
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} ({}) | {} | {} |\n",
            round.name,
            first.name,
            with_interval(first.estimate(Quantity::Cost)),
            shown(first.mean(Quantity::EnergyPerRequest)),
            shown(first.mean(Quantity::MeanResponseTime)),
            second.name,
            with_interval(second.estimate(Quantity::Cost)),
            arbitrator.map_or("", |standing| standing.name.as_str()),
            arbitrator.map_or(String::new(), |standing| with_interval(standing.estimate(Quantity::Cost))),
        ));
    }
    text.push_str("\n## Whom nobody beats in both energy and delay\n\n");
    for round in rounds {
        let efficient = round.standings.iter().filter(|standing| is_efficient(standing, &round.standings));
        let names: Vec<&str> = efficient.map(|standing| standing.name.as_str()).collect();
        text.push_str(&format!("- {}: {}\n", round.name, names.join("; ")));
    }
    text.push_str("\n## Where the arbitrator wins, and where it does not\n\n");
    for (wanted, verb) in [(Statement::ArbitratorWins, "less"), (Statement::SchemeWins, "more")] {
        for claim in claims.iter().filter(|claim| claim.statement == wanted) {
            let (arbitrator, scheme) = match wanted {
                Statement::ArbitratorWins => (claim.better, claim.worse),
                _ => (claim.worse, claim.better),
            };
            let Some((value, half_width)) = claim.difference().value.zip(claim.difference().half_width)
            else {
                continue;
            };
            let sure = if claim.holds() { "" } else { ", within its interval" };
            text.push_str(&format!(
                "- {}: {} costs {verb} than {}, by {:.3} ± {half_width:.3}{sure}\n",
                claim.round.name, arbitrator.name, scheme.name, -value,
            ));
        }
    }
    text
}

/// To three digits; nothing where it is undefined.
fn shown(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| format!("{number:.3}"))
}

fn with_interval(estimate: Estimate) -> String {
    match estimate.value.zip(estimate.half_width) {
        Some((value, half_width)) => format!("{value:.3} ± {half_width:.3}"),
        None => String::new(),
    }
}

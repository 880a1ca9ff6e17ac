//! What the comparison found: claims with their intervals, and the same in words.

use super::contender::Kind;
use super::round::Round;
use super::standing::{Quantity, Standing, is_efficient, ranked};
use alba_ctmc::Estimate;
use alba_table::{Cell, Table};

/// Whether a contender is the phase-partition arbitrator.
fn is_partition(standing: &Standing) -> bool {
    standing.name.starts_with("phase partition")
}

/// A claim: `better` has less of `quantity` than `worse`.
struct Claim<'r> {
    text: &'static str,
    better: &'r Standing,
    worse: &'r Standing,
    quantity: Quantity,
}

fn claims_of(round: &Round) -> Vec<Claim<'_>> {
    let ranked = ranked(&round.standings);
    let first = |wanted: &dyn Fn(&Standing) -> bool| ranked.iter().copied().find(|standing| wanted(standing));
    let least = |quantity: Quantity, wanted: &dyn Fn(&Standing) -> bool| {
        let of = round.standings.iter().filter(|standing| wanted(standing));
        of.min_by(|a, b| a.mean(quantity).total_cmp(&b.mean(quantity)))
    };
    let scaled = |standing: &Standing| standing.kind == Kind::Scaled;
    let mut claims = vec![];
    let mut claim = |text, better: Option<_>, worse: Option<_>, quantity| {
        claims.extend(better.zip(worse).map(|(better, worse)| Claim { text, better, worse, quantity }));
    };
    claim("costs least of all", ranked.first().copied(), ranked.get(1).copied(), Quantity::Cost);
    let (arbitrator, scheme) = (first(&is_partition), first(&scaled));
    let order = |a: Option<&Standing>, b: Option<&Standing>| match a.zip(b) {
        Some((a, b)) => a.mean(Quantity::Cost) <= b.mean(Quantity::Cost),
        None => true,
    };
    if order(arbitrator, scheme) {
        claim("the arbitrator costs less than the best scheme", arbitrator, scheme, Quantity::Cost);
    } else {
        claim("the best scheme costs less than the arbitrator", scheme, arbitrator, Quantity::Cost);
    }
    let always = |standing: &Standing| standing.kind == Kind::AlwaysOn;
    claim(
        "switching servers off saves energy",
        least(Quantity::EnergyPerRequest, &|standing| standing.kind != Kind::AlwaysOn),
        least(Quantity::EnergyPerRequest, &always),
        Quantity::EnergyPerRequest,
    );
    claim(
        "nobody answers faster than",
        least(Quantity::MeanResponseTime, &|_| true),
        least(Quantity::MeanResponseTime, &is_partition),
        Quantity::MeanResponseTime,
    );
    claims.retain(|claim| claim.better.name != claim.worse.name);
    claims
}

/// A row a claim, with the difference over seeds and whether its interval excludes zero.
pub(super) fn claims(rounds: &[Round]) -> Table {
    let mut table = Table::new([
        "round",
        "claim",
        "contender",
        "compared_with",
        "quantity",
        "value",
        "other_value",
        "difference",
        "difference_half_width",
        "holds",
    ]);
    for round in rounds {
        for Claim { text, better, worse, quantity } in claims_of(round) {
            let Estimate { value, half_width } = better.difference(worse, quantity);
            let holds = value.zip(half_width).is_some_and(|(value, half_width)| value + half_width < 0.0);
            table.push(vec![
                round.name.clone().into(),
                text.into(),
                better.name.clone().into(),
                worse.name.clone().into(),
                quantity.name().into(),
                better.estimate(quantity).value.into(),
                worse.estimate(quantity).value.into(),
                value.into(),
                half_width.into(),
                Cell::Truth(holds),
            ]);
        }
    }
    table
}

/// Markdown.
pub(super) fn text(rounds: &[Round], claims: &Table) -> String {
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
        let arbitrator = ranked.iter().find(|standing| is_partition(standing));
        text.push_str(&format!(
            "| {} | {} | {} | {:.3} | {:.3} | {} ({}) | {} | {} |\n",
            round.name,
            first.name,
            with_interval(first.estimate(Quantity::Cost)),
            first.mean(Quantity::EnergyPerRequest),
            first.mean(Quantity::MeanResponseTime),
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
    let wins = "the arbitrator costs less than the best scheme";
    let loses = "the best scheme costs less than the arbitrator";
    for (claim, verb) in [(wins, "less"), (loses, "more")] {
        for row in claims.rows().iter().filter(|row| row[1] == Cell::from(claim)) {
            let (Cell::Text(round), Cell::Text(better), Cell::Text(worse)) = (&row[0], &row[2], &row[3])
            else {
                continue;
            };
            let (arbitrator, scheme) = if verb == "less" { (better, worse) } else { (worse, better) };
            let number = |column: usize| row[column].number().unwrap_or(f64::NAN);
            let sure = if row[9] == Cell::Truth(true) { "" } else { ", within its interval" };
            text.push_str(&format!(
                "- {round}: {arbitrator} costs {verb} than {scheme}, by {:.3} ± {:.3}{sure}\n",
                -number(7),
                number(8),
            ));
        }
    }
    text
}

fn with_interval(estimate: Estimate) -> String {
    match estimate.value.zip(estimate.half_width) {
        Some((value, half_width)) => format!("{value:.3} ± {half_width:.3}"),
        None => String::new(),
    }
}

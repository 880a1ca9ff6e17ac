//! The figures: delay against energy, and everything over time, load and number of servers.

use super::Contended;
use super::round::Round;
use super::standing::{Quantity, Standing, is_efficient};
use alba_compare::OnePolicy;
use alba_ctmc::Estimate;
use alba_model::Measure;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_replicate::Nature;
use alba_scenario::Scenario;

fn point(label: &str, index: usize, x: Option<f64>, y: Estimate) -> Series {
    let (colour, stroke) = Colour::with_stroke(index);
    let band = y.value.zip(y.half_width).and_then(|(value, half)| Some((x?, value - half, value + half)));
    Series {
        label: label.to_owned(),
        colour,
        stroke: stroke.of_point(),
        points: x.map(|x| (x, y.value)).into_iter().collect(),
        band: band.into_iter().collect(),
    }
}

/// The figure of one scenario.
pub(super) fn of_scenario(scenario: &Scenario, contenders: &[Contended<'_>]) -> Figure {
    let replications = scenario.run().replications;
    Figure {
        title: scenario.name().to_owned(),
        caption: format!(
            "N = {} servers of equal speed, exponential times; means of {replications} replications with 95 % intervals. All meet \
             the same requests. Nearer to the lower left is better.",
            scenario.servers()
        ),
        columns: 2,
        panels: vec![
            against_energy(
                contenders,
                Measure::MeanResponseTime,
                "Delay and energy",
                "mean response time (service times)",
                true,
            ),
            against_energy(
                contenders,
                Measure::P99,
                "The slowest per cent",
                "p99 of the response time (service times)",
                false,
            ),
            over("Servers on", Axis::linear("initializing and warm servers"), contenders, &|point| {
                let on = [Measure::Initializing, Measure::Idle, Measure::Busy].map(|measure| {
                    let index = Measure::of_state().position(|other| other == measure)?;
                    point.estimates.get(index)?.value
                });
                Some(scenario.servers() as f64 * on.into_iter().sum::<Option<f64>>()?)
            }),
            over(
                "Overload",
                Axis { range: Some((0.0, 1.0)), ..Axis::linear("probability that some server is full") },
                contenders,
                &|point| point.overload.value,
            ),
        ],
    }
}

fn against_energy(
    contenders: &[Contended<'_>],
    measure: Measure,
    title: &str,
    label: &str,
    with_legend: bool,
) -> Panel {
    let dots = contenders.iter().enumerate().map(
        |(index, Contended { contender, sampled: OnePolicy { outcome, .. }, .. })| {
            let label = if with_legend { contender.name.as_str() } else { "" };
            point(label, index, outcome.metric(Measure::Energy).value, outcome.metric(measure))
        },
    );
    Panel {
        title: title.to_owned(),
        x: Axis::linear("energy (power per server)"),
        y: Axis::log10(label),
        series: dots.collect(),
    }
}

/// A number over time; colours as in the first panel.
fn over(
    title: &str,
    y: Axis,
    contenders: &[Contended<'_>],
    number: &dyn Fn(&alba_cluster::GridPoint) -> Option<f64>,
) -> Panel {
    let curve = |(index, Contended { sampled: OnePolicy { outcome, .. }, .. }): (usize, &Contended<'_>)| {
        let (colour, stroke) = Colour::with_stroke(index);
        let points = outcome.points.iter().map(|point| (point.time, number(point))).collect();
        Series { label: String::new(), colour, stroke, points, band: vec![] }
    };
    Panel {
        title: title.to_owned(),
        x: Axis::linear("time (mean service times)"),
        y,
        series: contenders.iter().enumerate().map(curve).collect(),
    }
}

/// The figure over loads, numbers of servers and days.
pub(super) fn of_rounds(scenario: &Scenario, arrival_rate: f64, rounds: &[Round]) -> Figure {
    let servers = scenario.servers();
    let (model, rates) = (scenario.model(), scenario.model().rates());
    let base =
        rounds.iter().find(|round| round.arrival_rate == Some(arrival_rate) && round.servers == servers);
    let by_load = |round: &Round| round.arrival_rate.filter(|_| round.servers == servers);
    let by_servers =
        |round: &Round| (round.arrival_rate == Some(arrival_rate)).then_some(round.servers as f64);
    let load = |title: &str, axis: Axis, quantity| {
        curves(title, Axis::linear("arrival rate λ"), axis, quantity, rounds, &by_load)
    };
    let mut panels = vec![];
    panels.extend(base.map(|round| plane(&format!("Delay and energy, {}", round.name), round, true)));
    panels.push(load(
        "What a request costs",
        Axis::log10("energy + waiting (service times)"),
        Quantity::Cost,
    ));
    panels.push(load("Energy", Axis::log10("energy per request"), Quantity::EnergyPerRequest));
    panels.push(load("Delay", Axis::log10("mean response time (service times)"), Quantity::MeanResponseTime));
    panels.push(load("Requests turned away", Axis::linear("share of requests"), Quantity::TurnedAway));
    panels.push(curves(
        &format!("More servers, λ = {arrival_rate}"),
        Axis::log10("servers N"),
        Axis::log10("energy + waiting (service times)"),
        Quantity::Cost,
        rounds,
        &by_servers,
    ));
    let days = rounds.iter().filter(|round| round.arrival_rate.is_none());
    panels
        .extend(days.map(|round| plane(&format!("{}, {} servers", round.name, round.servers), round, false)));
    Figure {
        title: "Which would you deploy?".to_owned(),
        caption: format!(
            "Load balancers and scaling rules on the same servers and requests, simulated; 95 % intervals over seeds. β = {}, γ = {}, \
             α = {}, room for {} requests a server. Nearer to the lower left is better; the black line joins those whom nobody \
             beats in both. Colours and strokes are those of the first panel. Phase partition: servers are filled one after the other, in \
             portions of the room divided by r; to the share η before the next is touched. Turned away: no interval is drawn where \
             nobody was.",
            rates.initialization(),
            rates.expiration(),
            rates.scaling(),
            model.buffer().limit().unwrap_or_default(),
        ),
        columns: 2,
        panels,
    }
}

/// Delay against energy, with the Pareto front.
fn plane(title: &str, round: &Round, with_legend: bool) -> Panel {
    let mut front: Vec<&Standing> =
        round.standings.iter().filter(|standing| is_efficient(standing, &round.standings)).collect();
    let energy = |standing: &Standing| standing.mean(Quantity::EnergyPerRequest);
    front.sort_by(|a, b| a.order(b, Quantity::EnergyPerRequest));
    let front = front
        .into_iter()
        .filter_map(|standing| Some((energy(standing)?, standing.mean(Quantity::MeanResponseTime))));
    let label = if with_legend { "nobody beats these in both" } else { "" };
    let mut series = vec![Series {
        label: label.to_owned(),
        colour: Colour::Black,
        stroke: Stroke::Thin,
        points: front.collect(),
        band: vec![],
    }];
    for (index, standing) in round.standings.iter().enumerate() {
        let label = if with_legend { standing.name.as_str() } else { "" };
        series.push(point(label, index, energy(standing), standing.estimate(Quantity::MeanResponseTime)));
    }
    Panel {
        title: title.to_owned(),
        x: Axis::linear("energy per request (servers × service times)"),
        y: Axis::log10("mean response time (service times)"),
        series,
    }
}

/// The interval, within what can be; none where nothing was seen of what is counted: there it says how few the seeds are, and
/// would hide all others.
fn band(x: f64, estimate: Estimate, nature: Nature) -> Option<(f64, f64, f64)> {
    let (value, half) = estimate.value.zip(estimate.half_width)?;
    let ends = ((value - half).max(nature.least()), (value + half).min(nature.most()));
    (value > nature.least()).then_some((x, ends.0, ends.1))
}

/// A curve a contender over the rounds that `at` knows a place for.
fn curves(
    title: &str,
    x: Axis,
    y: Axis,
    quantity: Quantity,
    rounds: &[Round],
    at: &dyn Fn(&Round) -> Option<f64>,
) -> Panel {
    let mut of: Vec<(f64, &Round)> = rounds.iter().filter_map(|round| Some((at(round)?, round))).collect();
    of.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = of.first().map_or(0, |(_, round)| round.standings.len());
    let curve = |index: usize| {
        let (colour, stroke) = Colour::with_stroke(index);
        let points = of.iter().map(|(x, round)| (*x, round.standings[index].estimate(quantity)));
        let points: Vec<_> = points.collect();
        let band = points.iter().filter_map(|(x, estimate)| band(*x, *estimate, quantity.nature()));
        Series {
            label: String::new(),
            colour,
            stroke,
            points: points.iter().map(|(x, estimate)| (*x, estimate.value)).collect(),
            band: band.collect(),
        }
    };
    Panel { title: title.to_owned(), x, y, series: (0..count).map(curve).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_stay_within_what_can_be() {
        let estimate = |value: f64| Estimate { value: Some(value), half_width: Some(0.3) };
        assert_eq!(band(1.0, estimate(0.1), Nature::SHARE), Some((1.0, 0.0, 0.4)));
        assert_eq!(band(1.0, estimate(0.0), Nature::SHARE), None);
        assert_eq!(band(1.0, estimate(0.0), Nature::default()), Some((1.0, -0.3, 0.3)));
    }
}

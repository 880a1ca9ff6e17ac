//! The figures: delay against energy, and everything over time, load and number of servers.

use super::round::Round;
use super::standing::{Quantity, Standing, is_efficient};
use alba_ctmc::Estimate;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_replicate::Nature;
use alba_scenario::Scenario;
use alba_table::Table;

fn point(label: &str, index: usize, x: f64, y: Estimate) -> Series {
    let (colour, stroke) = Colour::with_stroke(index);
    let band = y.value.zip(y.half_width).map(|(value, half)| (x, value - half, value + half));
    let points = vec![(x, y.value)];
    Series {
        label: label.to_owned(),
        colour,
        stroke: stroke.of_point(),
        points,
        band: band.into_iter().collect(),
    }
}

/// The figure of one scenario.
pub(super) fn of_scenario(scenario: &Scenario, table: &Table, over_time: &Table) -> Figure {
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
                table,
                "mean_response_time",
                "Delay and energy",
                "mean response time (service times)",
                true,
            ),
            against_energy(
                table,
                "p99",
                "The slowest per cent",
                "p99 of the response time (service times)",
                false,
            ),
            over(
                "Servers on",
                "initializing and warm servers",
                scenario,
                over_time,
                &["initializing", "idle", "busy"],
            ),
            over("Overload", "probability that some server is full", scenario, over_time, &["overload"]),
        ],
    }
}

/// The contenders of all rows.
fn names(table: &Table) -> Vec<&str> {
    table.texts("contender").unwrap_or_default()
}

fn against_energy(table: &Table, column: &str, title: &str, label: &str, with_legend: bool) -> Panel {
    let numbers = |name: &str| table.numbers(name).unwrap_or_default();
    let (energy, values) = (numbers("energy"), numbers(column));
    let half_widths = numbers(&format!("{column}_half_width"));
    let dots = names(table).into_iter().enumerate().map(|(index, name)| {
        let label = if with_legend { name } else { "" };
        let y = Estimate { value: values[index], half_width: half_widths[index] };
        point(label, index, energy[index].unwrap_or(f64::NAN), y)
    });
    Panel {
        title: title.to_owned(),
        x: Axis::linear("energy (power per server)"),
        y: Axis::log10(label),
        series: dots.collect(),
    }
}

/// The sum of `columns` over time; colours as in the first panel.
fn over(title: &str, label: &str, scenario: &Scenario, over_time: &Table, columns: &[&str]) -> Panel {
    let numbers: Vec<_> =
        columns.iter().map(|column| over_time.numbers(column).unwrap_or_default()).collect();
    let factor = if columns.len() > 1 { scenario.servers() as f64 } else { 1.0 };
    let mut series: Vec<(&str, Series)> = vec![];
    for (row, name) in names(over_time).into_iter().enumerate() {
        if series.last().is_none_or(|last| last.0 != name) {
            let (colour, stroke) = Colour::with_stroke(series.len());
            series
                .push((name, Series { label: String::new(), colour, stroke, points: vec![], band: vec![] }));
        }
        let sum = numbers.iter().map(|column| column[row]).sum::<Option<f64>>();
        if let Some((last, time)) = series.last_mut().zip(over_time.rows()[row][1].number()) {
            last.1.points.push((time, sum.map(|sum| factor * sum)));
        }
    }
    Panel {
        title: title.to_owned(),
        x: Axis::linear("time (mean service times)"),
        y: if columns.len() > 1 {
            Axis::linear(label)
        } else {
            Axis { range: Some((0.0, 1.0)), ..Axis::linear(label) }
        },
        series: series.into_iter().map(|(_, series)| series).collect(),
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
    front.sort_by(|a, b| energy(a).total_cmp(&energy(b)));
    let front = front
        .into_iter()
        .map(|standing| (energy(standing), standing.estimate(Quantity::MeanResponseTime).value));
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

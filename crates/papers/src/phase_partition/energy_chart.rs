//! The paper's figures of power and energy.

use super::cases::{Case, Method};
use super::chart::{LINES, banded, caption, one_a_server, time};
use super::courses::{Shown, Spread};
use super::series::{self, ENERGY_SECONDS};
use super::shares::{share, shares_below, upright};
use alba_cluster::Assignment;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};

/// The methods that are compared.
const METHODS: [Method; 3] = [Method::RoundRobin, Method::LeastConnections, Method::Algorithm2];

/// Figures 13 to 17 or 18 to 22, and how far the random series are from the printed energies.
pub(super) fn energy(case: &'static Case, spreads: &[Spread], series: series::Series) -> Figure {
    let first = case.first_energy_figure;
    let [a, b, c] = case.capacities;
    let spread = |method| Spread::find(spreads, case, method, Assignment::OneByOne);
    let pair = |figure: u64, method: Method| {
        let title = format!("Figure {figure}a: {}", method.name());
        let all = format!("Figure {figure}b: {}, all servers", method.name());
        [servers(title, spread(method)), sum(all, spread(method))]
    };
    let algorithm_2 = spread(Method::Algorithm2);
    let title = format!("Figure {}: {}{}", first + 2, Method::Algorithm2.name(), starts(algorithm_2));
    let mut panels: Vec<Panel> = [(first, Method::RoundRobin), (first + 1, Method::LeastConnections)]
        .into_iter()
        .flat_map(|(figure, method)| pair(figure, method))
        .collect();
    let all: Vec<&Spread> = METHODS.into_iter().filter_map(spread).collect();
    panels.extend([
        servers(title, algorithm_2),
        powers(first + 3, &all),
        energies(first + 4, &all),
        differences(&all),
    ]);
    Figure {
        title: format!("Phase partition: power and energy, case {} (capacities {a}, {b}, {c})", case.number),
        caption: caption(series),
        columns: 2,
        panels,
    }
}

fn servers(title: String, spread: Option<&Spread>) -> Panel {
    let series = one_a_server(spread, Shown::PowerOf, ENERGY_SECONDS);
    Panel { title, x: time(ENERGY_SECONDS), y: power_from_zero(), series }
}

fn sum(title: String, spread: Option<&Spread>) -> Panel {
    let style = (Colour::Black, Stroke::Solid);
    let series = vec![banded("all servers".to_owned(), style, spread, Shown::Power, ENERGY_SECONDS)];
    Panel { title, x: time(ENERGY_SECONDS), y: power_from_zero(), series }
}

fn power_from_zero() -> Axis {
    // What the three servers of either case draw when full is below.
    let highest = 450.0;
    Axis { range: Some((0.0, highest)), ..Axis::linear("power (W)") }
}

fn powers(figure: u64, all: &[&Spread]) -> Panel {
    let one = |(spread, style): (&&Spread, (Colour, Stroke))| {
        banded(spread.line.method.name().to_owned(), style, Some(spread), Shown::Power, ENERGY_SECONDS)
    };
    let series = all.iter().zip(LINES).map(one).collect();
    Panel {
        title: format!("Figure {figure}: all servers"),
        x: time(ENERGY_SECONDS),
        y: power_from_zero(),
        series,
    }
}

/// What they come to is in the legend, computed and printed.
fn energies(figure: u64, all: &[&Spread]) -> Panel {
    let one = |(spread, style): (&&Spread, (Colour, Stroke))| {
        let (method, found) = (spread.line.method, spread.total.energy_j);
        let printed = spread.line.case.printed_energy_j(method);
        let sums = printed.map(|printed| format!(": {found:.1} J, printed {printed:.1} J"));
        let label = format!("{}{}", method.name(), sums.unwrap_or_default());
        banded(label, style, Some(spread), Shown::Energy, ENERGY_SECONDS)
    };
    let series = all.iter().zip(LINES).map(one).collect();
    let title = format!("Figure {figure}: energy since the start");
    Panel { title, x: time(ENERGY_SECONDS), y: Axis::linear("energy (J)"), series }
}

/// When servers 2 and 3 are switched on, computed and printed.
fn starts(spread: Option<&Spread>) -> String {
    let words = |spread: &Spread| {
        let [_, second, third] = spread.total.starts_s;
        let printed = |server| spread.line.case.printed_start_s(spread.line.method, server);
        Some(format!(
            ", servers 2 and 3 on at {} and {} s (printed: {} and {} s)",
            second?,
            third?,
            printed(1)?,
            printed(2)?
        ))
    };
    spread.and_then(words).unwrap_or_default()
}

/// How the random series' energies lie about the printed one: the share of them that is below.
fn differences(all: &[&Spread]) -> Panel {
    let one = |(spread, style): (&&Spread, (Colour, Stroke))| {
        let printed = spread.line.case.printed_energy_j(spread.line.method);
        let differences =
            spread.random_energies_j().filter_map(|energy| Some(100.0 * (energy / printed? - 1.0)));
        shares_below(spread.line.method.name(), style, differences.collect())
    };
    let mut series: Vec<Series> = all.iter().zip(LINES).map(one).collect();
    series.push(upright("printed", 0.0));
    Panel {
        title: "Random series: energy by 160 s against the printed one".to_owned(),
        x: Axis::linear("difference from the printed energy (%)"),
        y: share(),
        series,
    }
}

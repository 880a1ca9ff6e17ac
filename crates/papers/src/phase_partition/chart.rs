//! The paper's figures of connections, and what assignment by the second looks like.

use super::cases::Case;
use super::cases::{CASES, Method, SERVERS, assignment_name};
use super::courses::{Shown, Spread};
use super::series::{SECONDS, Series};
use super::shares::{share, shares_below, upright};
use super::summary::Contrast;
use alba_cluster::Assignment;
use alba_plot::{self, Axis, Colour, Figure, Panel, Stroke};

/// Red, blue dashed, black dash-dotted: as in the paper, in shades that colour-blind readers tell apart.
pub(super) const LINES: [(Colour, Stroke); SERVERS] = [
    (Colour::Vermillion, Stroke::Solid),
    (Colour::Blue, Stroke::Dashed),
    (Colour::Black, Stroke::DashDotted),
];

/// Seconds shown of what assignment by the second looks like: later its steps are lost in the scale.
const SHOWN_BY_SECOND: usize = 40;

/// Figures 5 to 12.
pub(super) fn connections(spreads: &[Spread], series: Series) -> Figure {
    let [same, different] = &CASES;
    let panel = |figure: u64, case: &'static Case, method: Method| {
        let title = format!("Figure {figure}: {}, case {}", method.name(), case.number);
        servers(title, Spread::find(spreads, case, method, Assignment::OneByOne), SECONDS)
    };
    Figure {
        title: "Phase partition: connections of three servers".to_owned(),
        caption: caption(series),
        columns: 2,
        panels: vec![
            requests(Spread::find(spreads, same, Method::RoundRobin, Assignment::OneByOne)),
            panel(6, same, Method::RoundRobin),
            panel(7, same, Method::LeastConnections),
            panel(8, same, Method::Algorithm1Lemma1),
            panel(9, same, Method::Algorithm1Lemma2),
            panel(10, different, Method::RoundRobin),
            panel(11, different, Method::LeastConnections),
            panel(12, different, Method::Algorithm2),
        ],
    }
}

/// Round robin and least connections, each second's requests placed at once, and what they differ by then.
pub(super) fn assignment(spreads: &[Spread], contrasts: &[Contrast], series: Series) -> Figure {
    let [same, _] = &CASES;
    let connections = [Method::RoundRobin, Method::LeastConnections].map(|method| {
        let title = format!("{}, {}, case 1", method.name(), assignment_name(Assignment::BySecond));
        servers(title, Spread::find(spreads, same, method, Assignment::BySecond), SHOWN_BY_SECOND)
    });
    let differences = CASES.iter().map(|case| differences(case, spreads));
    Figure {
        title: "A second's requests at once: what may tell round robin from least connections".to_owned(),
        caption: format!("{} {}", caption(series), verdict(contrasts)),
        columns: 2,
        panels: connections.into_iter().chain(differences).collect(),
    }
}

/// What round robin draws more than least connections, over the random series.
fn differences(case: &Case, spreads: &[Spread]) -> Panel {
    let energies = |method| {
        let spread = Spread::find(spreads, case, method, Assignment::BySecond);
        spread.into_iter().flat_map(Spread::random_energies_j)
    };
    let pairs = energies(Method::RoundRobin).zip(energies(Method::LeastConnections));
    let differences = pairs.map(|(one, other)| one - other).collect();
    let style = (Colour::Black, Stroke::Solid);
    Panel {
        title: format!("round robin less least connections, case {}", case.number),
        x: Axis::linear("difference of energies by 160 s (J)"),
        y: share(),
        series: vec![
            shares_below(assignment_name(Assignment::BySecond), style, differences),
            upright("printed", case.printed_difference_j()),
        ],
    }
}

pub(super) fn caption(series: Series) -> String {
    format!(
        "Lines: arrivals reconstructed from the paper's switch-on times. Bands: the middle 95 % of {}.",
        series.described()
    )
}

/// In words.
fn verdict(contrasts: &[Contrast]) -> String {
    let sentence = |contrast: &Contrast| {
        let Contrast { case, printed_j: printed, .. } = contrast;
        let (one_by_one, random) = contrast.one_by_one_j.zip(contrast.random)?;
        let inside = if random.holds(*printed) { "inside" } else { "outside" };
        Some(format!(
            "Case {case}: printed {printed:.1} J, one by one {one_by_one:.1} J, by the second {:.1} to {:.1} J over all \
             random series: {inside}.",
            random.lowest, random.highest
        ))
    };
    let cases: Vec<String> = contrasts.iter().filter_map(sentence).collect();
    let text = format!("Energy of round robin less that of least connections by 160 s. {}", cases.join(" "));
    text.replace(" -", " \u{2212}")
}

/// Figure 5.
fn requests(spread: Option<&Spread>) -> Panel {
    let style = (Colour::Black, Stroke::Solid);
    let series = banded("all servers".to_owned(), style, spread, Shown::Requests, SECONDS);
    Panel {
        title: "Figure 5: incoming requests (reconstructed)".to_owned(),
        x: time(SECONDS),
        y: Axis { range: Some((0.0, 50.0)), ..Axis::linear("requests per second") },
        series: vec![series],
    }
}

fn servers(title: String, spread: Option<&Spread>, until: usize) -> Panel {
    let capacities = spread.iter().flat_map(|spread| spread.line.case.capacities);
    let highest = capacities.max().map_or(0.0, f64::from);
    let y = Axis::linear("connections");
    let y = if until < SECONDS { y } else { Axis { range: Some((0.0, 1.05 * highest)), ..y } };
    Panel { title, x: time(until), y, series: one_a_server(spread, Shown::Connections, until) }
}

pub(super) fn one_a_server(
    spread: Option<&Spread>,
    shown: fn(usize) -> Shown,
    until: usize,
) -> Vec<alba_plot::Series> {
    let one =
        |server: usize| banded(format!("server {}", server + 1), LINES[server], spread, shown(server), until);
    (0..SERVERS).map(one).collect()
}

/// The published series of a line, with the band of the random ones.
pub(super) fn banded(
    label: String,
    (colour, stroke): (Colour, Stroke),
    spread: Option<&Spread>,
    shown: Shown,
    until: usize,
) -> alba_plot::Series {
    let seconds = |spread: &Spread| 0..spread.shown.len().min(until);
    let time = |second: usize| (second + 1) as f64;
    let points = spread.into_iter().flat_map(|spread| {
        seconds(spread).map(move |second| (time(second), Some(spread.shown[second][shown.index()])))
    });
    let band = spread.into_iter().flat_map(|spread| {
        seconds(spread).filter_map(move |second| {
            let (low, high) = spread.band(second, shown)?;
            Some((time(second), low, high))
        })
    });
    alba_plot::Series { label, colour, stroke, band: band.collect(), points: points.collect() }
}

pub(super) fn time(until: usize) -> Axis {
    Axis { range: Some((0.0, until as f64)), ..Axis::linear("time (s)") }
}

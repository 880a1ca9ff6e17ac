//! The paper's figures of connections, and what assignment by the second looks like.

use super::cases::{CASES, Method, SERVERS, assignment_name};
use super::series::{SECONDS, Series};
use super::shares::{random, share, shares_below, upright};
use super::{Tables, cases::Case};
use alba_cluster::Assignment;
use alba_plot::{self, Axis, Colour, Figure, Panel, Stroke};
use alba_table::{Cell, Table};

/// Red, blue dashed, black dash-dotted: as in the paper, in shades that colour-blind readers tell apart.
pub(super) const LINES: [(Colour, Stroke); SERVERS] = [
    (Colour::Vermillion, Stroke::Solid),
    (Colour::Blue, Stroke::Dashed),
    (Colour::Black, Stroke::DashDotted),
];

/// Seconds shown of what assignment by the second looks like: later its steps are lost in the scale.
const SHOWN_BY_SECOND: f64 = 40.0;

/// Figures 5 to 12.
pub(super) fn connections(tables: &Tables, series: Series) -> Figure {
    let [same, different] = &CASES;
    let panel = |figure: u64, case: &'static Case, method: Method| {
        let title = format!("Figure {figure}: {}, case {}", method.name(), case.number);
        servers(title, tables, (case, method, Assignment::OneByOne), SECONDS as f64)
    };
    Figure {
        title: "Phase partition: connections of three servers".to_owned(),
        caption: caption(series),
        columns: 2,
        panels: vec![
            requests(tables),
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
pub(super) fn assignment(tables: &Tables, series: Series) -> Figure {
    let [same, _] = &CASES;
    let connections = [Method::RoundRobin, Method::LeastConnections].map(|method| {
        let title = format!("{}, {}, case 1", method.name(), assignment_name(Assignment::BySecond));
        servers(title, tables, (same, method, Assignment::BySecond), SHOWN_BY_SECOND)
    });
    let differences = CASES.iter().map(|case| differences(case, tables));
    Figure {
        title: "A second's requests at once: what may tell round robin from least connections".to_owned(),
        caption: format!("{} {}", caption(series), verdict(&tables.assignment)),
        columns: 2,
        panels: connections.into_iter().chain(differences).collect(),
    }
}

/// What round robin draws more than least connections, over the random series.
fn differences(case: &Case, tables: &Tables) -> Panel {
    let energies = |method| random(&tables.random, case, method, Assignment::BySecond);
    let pairs = energies(Method::RoundRobin).into_iter().zip(energies(Method::LeastConnections));
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

/// What the table says, in words.
fn verdict(assignment: &Table) -> String {
    let numbers = |column: &str| assignment.numbers(column).unwrap_or_default();
    let columns =
        ["printed_j", "one_by_one_j", "by_second_random_lowest_j", "by_second_random_highest_j"].map(numbers);
    let sentence = |index: usize| {
        let [printed, one_by_one, lowest, highest] =
            columns.each_ref().map(|column| column.get(index).copied().flatten().unwrap_or(f64::NAN));
        let inside = if (lowest..=highest).contains(&printed) { "inside" } else { "outside" };
        format!(
            "Case {}: printed {printed:.1} J, one by one {one_by_one:.1} J, by the second {lowest:.1} to {highest:.1} J over all \
             random series: {inside}.",
            index + 1
        )
    };
    let cases: Vec<String> = (0..CASES.len()).map(sentence).collect();
    let text = format!("Energy of round robin less that of least connections by 160 s. {}", cases.join(" "));
    text.replace(" -", " \u{2212}")
}

/// Figure 5.
fn requests(tables: &Tables) -> Panel {
    let line = (&CASES[0], Method::RoundRobin, Assignment::OneByOne);
    let style = (Colour::Black, Stroke::Solid);
    let label = "all servers".to_owned();
    let series = banded(label, style, &tables.seconds, line, "requests", SECONDS as f64);
    Panel {
        title: "Figure 5: incoming requests (reconstructed)".to_owned(),
        x: time(SECONDS as f64),
        y: Axis { range: Some((0.0, 50.0)), ..Axis::linear("requests per second") },
        series: vec![series],
    }
}

fn servers(title: String, tables: &Tables, line: Run, until: f64) -> Panel {
    let names = ["connections_1", "connections_2", "connections_3"];
    let highest = line.0.capacities.iter().max().map_or(0.0, |capacity| f64::from(*capacity));
    let y = Axis::linear("connections");
    let y = if until < SECONDS as f64 { y } else { Axis { range: Some((0.0, 1.05 * highest)), ..y } };
    Panel { title, x: time(until), y, series: one_a_server(tables, line, names, until) }
}

/// A case, method and assignment.
pub(super) type Run = (&'static Case, Method, Assignment);

pub(super) fn one_a_server(
    tables: &Tables,
    line: Run,
    columns: [&str; SERVERS],
    until: f64,
) -> Vec<alba_plot::Series> {
    let one = |(server, column): (usize, &str)| {
        let label = format!("server {}", server + 1);
        banded(label, LINES[server], &tables.seconds, line, column, until)
    };
    columns.into_iter().enumerate().map(one).collect()
}

/// The published series of a line, with the band of the random ones.
pub(super) fn banded(
    label: String,
    (colour, stroke): (Colour, Stroke),
    seconds: &Table,
    line: Run,
    column: &str,
    until: f64,
) -> alba_plot::Series {
    let within = |points: Vec<(f64, Option<f64>)>| points.into_iter().filter(move |point| point.0 <= until);
    let lows = within(curve(seconds, line, column, "_low"));
    let highs = within(curve(seconds, line, column, "_high"));
    let band = lows.zip(highs).filter_map(|((second, low), (_, high))| Some((second, low?, high?)));
    let points = within(curve(seconds, line, column, ""));
    alba_plot::Series { label, colour, stroke, band: band.collect(), points: points.collect() }
}

pub(super) fn time(until: f64) -> Axis {
    Axis { range: Some((0.0, until)), ..Axis::linear("time (s)") }
}

fn curve(
    seconds: &Table,
    (case, method, assignment): Run,
    column: &str,
    suffix: &str,
) -> Vec<(f64, Option<f64>)> {
    let of_line = [Cell::from(case.number), method.name().into(), assignment_name(assignment).into()];
    let times = seconds.numbers("second").unwrap_or_default();
    let values = seconds.numbers(&format!("{column}{suffix}")).unwrap_or_default();
    let rows = seconds.rows().iter().zip(times.into_iter().zip(values));
    let ours = rows.filter(|(row, _)| row.starts_with(&of_line));
    ours.filter_map(|(_, (second, value))| Some((second?, value))).collect()
}

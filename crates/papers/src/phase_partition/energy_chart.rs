//! The paper's figures of power and energy.

use super::Tables;
use super::cases::{Case, Method, assignment_name};
use super::chart::{LINES, banded, caption, one_a_server, time};
use super::series::{self, ENERGY_SECONDS};
use super::shares::{random, share, shares_below, upright};
use alba_cluster::Assignment;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_table::Cell;

/// The methods that are compared.
const METHODS: [Method; 3] = [Method::RoundRobin, Method::LeastConnections, Method::Algorithm2];
const POWERS: [&str; 3] = ["power_1_w", "power_2_w", "power_3_w"];
const UNTIL: f64 = ENERGY_SECONDS as f64;

/// Figures 13 to 17 or 18 to 22, and how far the random series are from the printed energies.
pub(super) fn energy(case: &'static Case, tables: &Tables, series: series::Series) -> Figure {
    let first = case.first_energy_figure;
    let [round_robin, least_connections, algorithm_2] = METHODS;
    let [a, b, c] = case.capacities;
    Figure {
        title: format!("Phase partition: power and energy, case {} (capacities {a}, {b}, {c})", case.number),
        caption: caption(series),
        columns: 2,
        panels: vec![
            servers(format!("Figure {first}a: {}", round_robin.name()), case, round_robin, tables),
            sum(format!("Figure {first}b: {}, all servers", round_robin.name()), case, round_robin, tables),
            servers(
                format!("Figure {}a: {}", first + 1, least_connections.name()),
                case,
                least_connections,
                tables,
            ),
            sum(
                format!("Figure {}b: {}, all servers", first + 1, least_connections.name()),
                case,
                least_connections,
                tables,
            ),
            servers(
                format!("Figure {}: {}{}", first + 2, algorithm_2.name(), starts(case, tables)),
                case,
                algorithm_2,
                tables,
            ),
            methods(format!("Figure {}: all servers", first + 3), ("power (W)", "power_w"), case, tables),
            methods(
                format!("Figure {}: energy since the start", first + 4),
                ("energy (J)", "energy_j"),
                case,
                tables,
            ),
            differences(case, tables),
        ],
    }
}

fn servers(title: String, case: &'static Case, method: Method, tables: &Tables) -> Panel {
    let series = one_a_server(tables, (case, method, Assignment::OneByOne), POWERS, UNTIL);
    Panel { title, x: time(UNTIL), y: from_zero("power (W)"), series }
}

fn sum(title: String, case: &'static Case, method: Method, tables: &Tables) -> Panel {
    let line = (case, method, Assignment::OneByOne);
    let style = (Colour::Black, Stroke::Solid);
    let series = vec![banded("all servers".to_owned(), style, &tables.seconds, line, "power_w", UNTIL)];
    Panel { title, x: time(UNTIL), y: from_zero("power (W)"), series }
}

fn from_zero(label: &str) -> Axis {
    // What the three servers of either case draw when full is below.
    let highest = 450.0;
    Axis { range: Some((0.0, highest)), ..Axis::linear(label) }
}

/// The three methods; with energies, what they come to is in the legend.
fn methods(title: String, (label, column): (&str, &str), case: &'static Case, tables: &Tables) -> Panel {
    let one = |(method, style): (Method, (Colour, Stroke))| {
        let name = match column {
            "energy_j" => format!("{}{}", method.name(), energies(case, method, tables)),
            _ => method.name().to_owned(),
        };
        banded(name, style, &tables.seconds, (case, method, Assignment::OneByOne), column, UNTIL)
    };
    let series = METHODS.into_iter().zip(LINES).map(one).collect();
    let y = if column == "power_w" { from_zero(label) } else { Axis::linear(label) };
    Panel { title, x: time(UNTIL), y, series }
}

/// Computed and printed.
fn energies(case: &Case, method: Method, tables: &Tables) -> String {
    let (found, printed) =
        (total(case, method, tables, "energy_j"), total(case, method, tables, "energy_j_printed"));
    match found.zip(printed) {
        Some((found, printed)) => format!(": {found:.1} J, printed {printed:.1} J"),
        None => String::new(),
    }
}

/// When servers 2 and 3 are switched on, computed and printed.
fn starts(case: &Case, tables: &Tables) -> String {
    let at = |column: &str| total(case, Method::Algorithm2, tables, column);
    let pair =
        |suffix: &str| at(&format!("server_2_start_s{suffix}")).zip(at(&format!("server_3_start_s{suffix}")));
    match pair("").zip(pair("_printed")) {
        Some(((second, third), (printed_second, printed_third))) => format!(
            ", servers 2 and 3 on at {second} and {third} s (printed: {printed_second} and {printed_third} s)"
        ),
        None => String::new(),
    }
}

fn is_line(row: &[Cell], case: &Case, method: Method) -> bool {
    let line = [Cell::from(case.number), method.name().into(), assignment_name(Assignment::OneByOne).into()];
    row.starts_with(&line)
}

fn total(case: &Case, method: Method, tables: &Tables, column: &str) -> Option<f64> {
    let row = tables.totals.rows().iter().position(|row| is_line(row, case, method))?;
    tables.totals.numbers(column)?.get(row).copied().flatten()
}

/// How the random series' energies lie about the printed one: the share of them that is below.
fn differences(case: &Case, tables: &Tables) -> Panel {
    let one = |(method, style): (Method, (Colour, Stroke))| {
        let printed = case.printed_energy_j(method);
        let energies = random(&tables.random, case, method, Assignment::OneByOne).into_iter();
        let differences = energies.filter_map(|energy| Some(100.0 * (energy / printed? - 1.0)));
        shares_below(method.name(), style, differences.collect())
    };
    let mut series: Vec<Series> = METHODS.into_iter().zip(LINES).map(one).collect();
    series.push(upright("printed", 0.0));
    Panel {
        title: "Random series: energy by 160 s against the printed one".to_owned(),
        x: Axis::linear("difference from the printed energy (%)"),
        y: share(),
        series,
    }
}

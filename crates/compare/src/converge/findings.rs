//! What a study of convergence found, in words.

use super::{Tables, rows};
use alba_scenario::Scenario;
use alba_table::Cell;

/// What theory expects of a smooth system.
const EXPECTED: [(&str, f64); 2] = [("bias", -1.0), ("path", -0.5)];

/// Markdown: what was measured, and a table of slopes a scenario with what they say.
pub(super) fn text(scenarios: &[Scenario], tables: &Tables) -> String {
    let mut text = String::from(
        "# How N servers approach the fluid model\n\n\
         Bias: E[X^N(t)] - x(t) of a measure at a report time. Path: the largest difference of any fraction of servers (cold, \
         initializing, warm with i jobs) between one path and the fluid model, at 400 times, in the mean over replications. lambda, alpha, beta and gamma \
         per server are the scenario's for every N; totals (requests of a trace, rates with a unit, 1/scaling_interval) grow with N. The fluid \
         model starts from the fractions that N servers start from. Laws are factor N^slope, fitted to the logarithms with \
         weights from the intervals; slopes have 95 % intervals, widened where the points lie further from the law than their own \
         intervals explain (chi squared per degree of freedom above 1). Where the drift is smooth a bias of slope -1 and \
         paths of slope -0.5 are expected; the slope between the two largest N shows whether a law only sets in. \
         Along a boundary on which the fluid model slides N servers keep a few servers away from it, in the mean \
         r/(1-r) where servers come at r times the rate at which they are taken: a bias of order 1/N too, but only for N far above \
         1/(1-r)^2; for fewer the noise of the crowd, one over the root of N, reaches the boundary, and slopes lie between -0.5 and -1.\n",
    );
    for scenario in scenarios {
        let name = scenario.name();
        text.push_str(&format!(
            "\n## {name}\n\n{}, start and rates as in the manifest.\n\n",
            scenario.model().scheme()
        ));
        text.push_str(
            "| quantity | measure | time | sizes of N | slope | factor | chi squared | slope of the last two | expected where smooth |\n\
             |---|---|---|---|---|---|---|---|---|\n",
        );
        rows(&tables.slopes, scenario, |_| true).into_iter().for_each(|row| text.push_str(&line(row)));
        text.push_str(&format!("\n{}\n", summary(scenario, tables)));
    }
    text
}

fn line(row: &[Cell]) -> String {
    let shown = |cell: &Cell| match cell {
        Cell::Text(text) => text.clone(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Integer(count) => count.to_string(),
        Cell::Number(number) => format!("{number:.4}"),
        Cell::Empty => String::new(),
    };
    let slope = match row[5].number().zip(row[6].number()) {
        Some((slope, half_width)) => format!("{slope:.3} +- {half_width:.3}"),
        None => "none: too few biases of one sign told from 0".to_owned(),
    };
    let verdict = match agrees(row) {
        Some(true) => "inside the interval",
        Some(false) => "outside",
        None => "",
    };
    let last = match row[9].number().zip(row[10].number()) {
        Some((slope, half_width)) => format!("{slope:.3} +- {half_width:.3}"),
        None => String::new(),
    };
    format!(
        "| {} | {} | {} | {} | {slope} | {} | {} | {last} | {verdict} |\n",
        shown(&row[1]),
        shown(&row[2]),
        shown(&row[3]),
        shown(&row[4]),
        shown(&row[7]),
        shown(&row[8])
    )
}

/// Whether a slope's interval holds what is expected of a smooth system.
fn agrees(row: &[Cell]) -> Option<bool> {
    let expected = EXPECTED.iter().find(|(quantity, _)| row[1] == Cell::from(*quantity))?.1;
    let (slope, half_width) = row[5].number().zip(row[6].number())?;
    Some((slope - expected).abs() <= half_width)
}

fn summary(scenario: &Scenario, tables: &Tables) -> String {
    let of =
        |quantity: &'static str| rows(&tables.slopes, scenario, move |row| row[1] == Cell::from(quantity));
    let biases = of("bias");
    let verdicts: Vec<bool> = biases.iter().filter_map(|row| agrees(row)).collect();
    let held = verdicts.iter().filter(|&&held| held).count();
    let slopes: Vec<f64> = biases.iter().filter_map(|row| row[5].number()).collect();
    let between = match (slopes.iter().copied().reduce(f64::min), slopes.iter().copied().reduce(f64::max)) {
        (Some(low), Some(high)) => format!(" (slopes from {low:.2} to {high:.2})"),
        _ => String::new(),
    };
    let paths = match of("path").first().and_then(|row| agrees(row)) {
        Some(true) => "paths agree with -0.5",
        Some(false) => "paths do not agree with -0.5",
        None => "no slope of paths",
    };
    format!("{held} of {} fitted biases agree with -1{between}; {paths}.", verdicts.len())
}

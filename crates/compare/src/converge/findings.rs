//! What a study of convergence found, in words.

use super::{Approach, Law, Quantity, about};
use alba_model::Measure;
use alba_scenario::Scenario;

/// Markdown: what was measured, and a table of slopes a scenario with what they say.
pub(super) fn text(scenarios: &[Scenario], approaches: &[Approach<'_>]) -> String {
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
        about(approaches, scenario).for_each(|approach| text.push_str(&line(approach)));
        text.push_str(&format!("\n{}\n", summary(about(approaches, scenario))));
    }
    text
}

fn line(approach: &Approach<'_>) -> String {
    let quantity = approach.quantity;
    let shown = |number: Option<f64>| number.map_or_else(String::new, |number| format!("{number:.4}"));
    let law = approach.law.as_ref();
    let slope = law.map_or_else(
        || "none: too few biases of one sign told from 0".to_owned(),
        |law| format!("{:.3} +- {:.3}", law.power.slope, law.power.half_width),
    );
    let verdict = match approach.agrees() {
        Some(true) => "inside the interval",
        Some(false) => "outside",
        None => "",
    };
    // One point alone has no interval: not shown then, as in the table.
    let last = law.map(|law| law.power.last).filter(|last| last.0.is_finite() && last.1.is_finite());
    format!(
        "| {} | {} | {} | {} | {slope} | {} | {} | {} | {verdict} |\n",
        quantity.name(),
        quantity.measure().map_or_else(String::new, Measure::name),
        shown(quantity.time()),
        approach.clear,
        shown(law.map(Law::factor)),
        shown(law.map(|law| law.power.chi_squared)),
        last.map_or_else(String::new, |(slope, half_width)| format!("{slope:.3} +- {half_width:.3}")),
    )
}

fn summary<'a, 's: 'a>(about: impl Iterator<Item = &'a Approach<'s>>) -> String {
    let (paths, biases): (Vec<_>, Vec<_>) = about.partition(|approach| approach.quantity == Quantity::Path);
    let verdicts: Vec<bool> = biases.iter().filter_map(|approach| approach.agrees()).collect();
    let held = verdicts.iter().filter(|&&held| held).count();
    let slopes: Vec<f64> =
        biases.iter().filter_map(|approach| Some(approach.law.as_ref()?.power.slope)).collect();
    let between = match (slopes.iter().copied().reduce(f64::min), slopes.iter().copied().reduce(f64::max)) {
        (Some(low), Some(high)) => format!(" (slopes from {low:.2} to {high:.2})"),
        _ => String::new(),
    };
    let paths = match paths.first().and_then(|approach| approach.agrees()) {
        Some(true) => "paths agree with -0.5",
        Some(false) => "paths do not agree with -0.5",
        None => "no slope of paths",
    };
    format!("{held} of {} fitted biases agree with -1{between}; {paths}.", verdicts.len())
}

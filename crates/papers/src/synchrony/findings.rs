//! What the comparison at equal energy found, in words.

use super::Comparison;
use super::equilibrium::{Measured, System};

/// Whether the asynchronous scheme waits less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Less,
    Unclear,
    More,
}

fn verdict(saved: Measured) -> Verdict {
    if saved.value > saved.half_width {
        Verdict::Less
    } else if saved.value < -saved.half_width {
        Verdict::More
    } else {
        Verdict::Unclear
    }
}

/// Markdown: the claim, a line a system, and where the advantage fades.
pub(super) fn text(comparisons: &[Comparison]) -> String {
    let count =
        |wanted| comparisons.iter().filter(|comparison| verdict(comparison.saved()) == wanted).count();
    let mut text = String::from(
        "# Asynchronous against synchronous scaling\n\n\
         Claim (Anselmi 2024, section V): JIQ + Rate-Idle waits less than TABS at equal energy. The paper's own parameters are \
         not known; here both are simulated in equilibrium, and alpha is tuned until as many servers are warm or \
         initializing. The interval (95 %) includes what is left of the energy difference, times the slope of Rate-Idle's \
         own curve.\n\n",
    );
    let [less, unclear, more] = [Verdict::Less, Verdict::Unclear, Verdict::More].map(count);
    let all = comparisons.len();
    text.push_str(&format!(
        "Of {all} systems, Rate-Idle waits less in {less}; in {unclear} the interval includes zero; in {more} TABS waits less.\n\n"
    ));
    text.push_str(
        "| N | lambda | gamma | beta | energy TABS | energy tuned | alpha | waiting TABS | saved by Rate-Idle | verdict |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    comparisons.iter().for_each(|comparison| text.push_str(&line(comparison)));
    text
}

fn line(comparison: &Comparison) -> String {
    let Comparison { system, tabs, tuned } = comparison;
    let System { servers, arrival, expiration, initialization, .. } = system;
    let saved = comparison.saved();
    let verdict = match verdict(saved) {
        Verdict::Less => "Rate-Idle waits less",
        Verdict::Unclear => "no difference seen",
        Verdict::More => "TABS waits less",
    };
    format!(
        "| {servers} | {arrival} | {expiration} | {initialization} | {:.5} | {:.5} | {:.4} | {:.5} | {:.5} +- {:.5} \
         ({:.0} %) | {verdict} |\n",
        tabs.energy.value,
        tuned.at.energy.value,
        tuned.scaling_rate,
        tabs.waiting.value,
        saved.value,
        saved.half_width,
        100.0 * saved.value / tabs.waiting.value,
    )
}

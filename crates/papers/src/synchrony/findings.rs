//! What the comparison at equal energy found, in words.

use alba_table::{Cell, Table};

/// Whether the asynchronous scheme waits less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Less,
    Unclear,
    More,
}

struct Finding {
    system: [f64; 4],
    tabs: f64,
    saved: f64,
    half_width: f64,
    energies: [f64; 2],
    scaling_rate: f64,
}

impl Finding {
    fn verdict(&self) -> Verdict {
        if self.saved > self.half_width {
            Verdict::Less
        } else if self.saved < -self.half_width {
            Verdict::More
        } else {
            Verdict::Unclear
        }
    }
}

fn findings(comparisons: &Table) -> Vec<Finding> {
    let read = |row: &[Cell]| {
        let at = |column: usize| row[column].number().unwrap_or(f64::NAN);
        Finding {
            system: [at(0), at(1), at(2), at(3)],
            tabs: at(6),
            saved: at(15),
            half_width: at(16),
            energies: [at(4), at(9)],
            scaling_rate: at(8),
        }
    };
    comparisons.rows().iter().map(|row| read(row)).collect()
}

/// Markdown: the claim, a line a system, and where the advantage fades.
pub(super) fn text(comparisons: &Table) -> String {
    let findings = findings(comparisons);
    let count = |verdict| findings.iter().filter(|finding| finding.verdict() == verdict).count();
    let mut text = String::from(
        "# Asynchronous against synchronous scaling\n\n\
         Claim (Anselmi 2024, section V): JIQ + Rate-Idle waits less than TABS at equal energy. The paper's own parameters are \
         not known; here both are simulated in equilibrium, and alpha is tuned until as many servers are warm or \
         initializing. The interval (95 %) includes what is left of the energy difference, times the slope of Rate-Idle's \
         own curve.\n\n",
    );
    let [less, unclear, more] = [Verdict::Less, Verdict::Unclear, Verdict::More].map(count);
    let all = findings.len();
    text.push_str(&format!(
        "Of {all} systems, Rate-Idle waits less in {less}; in {unclear} the interval includes zero; in {more} TABS waits less.\n\n"
    ));
    text.push_str(
        "| N | lambda | gamma | beta | energy TABS | energy tuned | alpha | waiting TABS | saved by Rate-Idle | verdict |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for finding in &findings {
        let [servers, arrival, expiration, initialization] = finding.system;
        let verdict = match finding.verdict() {
            Verdict::Less => "Rate-Idle waits less",
            Verdict::Unclear => "no difference seen",
            Verdict::More => "TABS waits less",
        };
        text.push_str(&format!(
            "| {servers} | {arrival} | {expiration} | {initialization} | {:.5} | {:.5} | {:.4} | {:.5} | {:.5} +- {:.5} \
             ({:.0} %) | {verdict} |\n",
            finding.energies[0],
            finding.energies[1],
            finding.scaling_rate,
            finding.tabs,
            finding.saved,
            finding.half_width,
            100.0 * finding.saved / finding.tabs,
        ));
    }
    text
}

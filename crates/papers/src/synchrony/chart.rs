//! The figure: delay against energy, and waiting times at equal energy.

use super::equilibrium::{Measured, System};
use super::{Comparison, Place};
use alba_model::Scheme;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_scenario::Scenario;

/// Which number of a system varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Varied {
    Servers,
    Arrival,
    Expiration,
    Initialization,
}

impl Varied {
    const ALL: [Self; 4] = [Self::Servers, Self::Arrival, Self::Expiration, Self::Initialization];

    fn of(self, system: &System) -> f64 {
        match self {
            Self::Servers => system.servers as f64,
            Self::Arrival => system.arrival,
            Self::Expiration => system.expiration,
            Self::Initialization => system.initialization,
        }
    }

    /// The systems that differ from the base in it only, in its order.
    fn among(self, base: System, comparisons: &[Comparison]) -> Vec<&Comparison> {
        let same = |system: &System| {
            Self::ALL.iter().all(|other| *other == self || other.of(system) == other.of(&base))
        };
        let mut found: Vec<_> = comparisons.iter().filter(|comparison| same(&comparison.system)).collect();
        found.sort_by(|a, b| self.of(&a.system).total_cmp(&self.of(&b.system)));
        found
    }
}

pub(super) fn figure(
    scenario: &Scenario,
    base: System,
    comparisons: &[Comparison],
    curves: &[Place],
) -> Figure {
    let asynchronous = scenario.model().scheme();
    let System { servers, arrival, expiration, initialization, .. } = base;
    let over = |title: &str, axis: Axis, varied: Varied| {
        at_equal_energy(title, axis, varied, &varied.among(base, comparisons))
    };
    Figure {
        title: "Asynchronous against synchronous scaling".to_owned(),
        caption: format!(
            "{asynchronous} against TABS and a central queue with set-up and delayed-off, simulated in equilibrium; 95 % \
             intervals. N = {servers}, λ = {arrival}, γ = {expiration}, β = {initialization} but for the number that varies. \
             Energy: servers warm or initializing, per server. In all panels but the first α is tuned until {asynchronous} \
             uses the same energy as TABS."
        ),
        columns: 3,
        panels: vec![
            plane(curves),
            over("Over the arrival rate", Axis::linear("arrival rate λ"), Varied::Arrival),
            over("Over the expiration rate", Axis::log10("expiration rate γ"), Varied::Expiration),
            over(
                "Over the initialization rate",
                Axis::log10("initialization rate β"),
                Varied::Initialization,
            ),
            over("Over the number of servers", Axis::log10("servers N"), Varied::Servers),
            saved(base, comparisons),
        ],
    }
}

/// Points with bars of `half_width` around them.
fn series(label: &str, colour: Colour, stroke: Stroke, points: &[(f64, f64, f64)]) -> Series {
    Series {
        label: label.to_owned(),
        colour,
        stroke,
        points: points.iter().map(|&(x, y, _)| (x, Some(y))).collect(),
        band: points.iter().map(|&(x, y, half_width)| (x, y - half_width, y + half_width)).collect(),
    }
}

/// Every scheme's waiting time against its energy: a curve where the scaling rate varies, else a point.
fn plane(curves: &[Place]) -> Panel {
    let mut schemes: Vec<Scheme> = vec![];
    for place in curves {
        if !schemes.contains(&place.scheme) {
            schemes.push(place.scheme);
        }
    }
    let all = schemes.into_iter().zip(Colour::ALL).map(|(scheme, colour)| {
        let of = curves.iter().filter(|place| place.scheme == scheme);
        let points: Vec<_> =
            of.map(|Place { at, .. }| (at.energy.value, at.waiting.value, at.waiting.half_width)).collect();
        let stroke = if points.len() > 1 { Stroke::Solid } else { Stroke::Points };
        series(&scheme.to_string(), colour, stroke, &points)
    });
    Panel {
        title: "Delay against energy".to_owned(),
        x: Axis::linear("servers warm or initializing (share of N)"),
        y: Axis::log10("mean waiting time (service times)"),
        series: all.collect(),
    }
}

fn at_equal_energy(title: &str, axis: Axis, varied: Varied, comparisons: &[&Comparison]) -> Panel {
    let points = |y: fn(&Comparison) -> Measured| -> Vec<_> {
        let point = |of: &&Comparison| (varied.of(&of.system), y(of).value, y(of).half_width);
        comparisons.iter().map(point).collect()
    };
    let tabs = points(|of| of.tabs.waiting);
    // At the energy of TABS, with the interval of the difference.
    let tuned = points(|of| Measured { value: of.tabs.waiting.value - of.saved().value, ..of.saved() });
    Panel {
        title: title.to_owned(),
        x: axis,
        y: Axis::log10("mean waiting time (service times)"),
        series: vec![
            series("TABS", Colour::Vermillion, Stroke::Solid, &tabs),
            series("JIQ + Rate-Idle at that energy", Colour::Blue, Stroke::Solid, &tuned),
        ],
    }
}

/// What part of the waiting time is saved, over every number that varies.
fn saved(base: System, comparisons: &[Comparison]) -> Panel {
    let of = |label: &str, colour, varied: Varied| {
        let point = |comparison: &Comparison| {
            let (percent, saved) = (100.0 / comparison.tabs.waiting.value, comparison.saved());
            let x = varied.of(&comparison.system) / varied.of(&base);
            (x, percent * saved.value, percent * saved.half_width)
        };
        let points: Vec<_> = varied.among(base, comparisons).into_iter().map(point).collect();
        series(label, colour, Stroke::Solid, &points)
    };
    Panel {
        title: "Where the advantage fades".to_owned(),
        x: Axis::log10("what varies, over its value elsewhere"),
        y: Axis::linear("waiting saved by Rate-Idle (%)"),
        series: vec![
            of("λ", Colour::Blue, Varied::Arrival),
            of("γ", Colour::Vermillion, Varied::Expiration),
            of("β", Colour::Green, Varied::Initialization),
            of("N", Colour::Purple, Varied::Servers),
        ],
    }
}

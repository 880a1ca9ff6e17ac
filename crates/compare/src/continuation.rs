//! A fixed point followed along a parameter.

use super::fixed_point::{FixedPointReport, PointReport, fixed_points};
use super::{Answer, Progress};
use crate::{Error, InputError, ResultsFolder};
use alba_model::Measure;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke, render};
use alba_scenario::{Override, Scenario};
use alba_table::{Cell, Table};
use std::path::{Path, PathBuf};

/// A key of the scenario and the values that it goes through.
#[derive(Debug, Clone, PartialEq)]
pub struct Continuation {
    key: String,
    from: f64,
    to: f64,
    steps: usize,
}

impl Continuation {
    /// `KEY=FROM..TO` in `steps >= 1` equal steps; between whole numbers more than one and at most `steps` apart, in
    /// steps of one.
    ///
    /// # Errors
    /// [`InputError::Continuation`] if the text is not of that form.
    pub fn parse(text: &str, steps: usize) -> Result<Self, InputError> {
        let wrong = || InputError::Continuation { text: text.to_owned() };
        let (key, range) = text.split_once('=').ok_or_else(wrong)?;
        let (from, to) = range.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse().ok().filter(|value: &f64| value.is_finite());
        let (from, to) = number(from).zip(number(to)).ok_or_else(wrong)?;
        if key.trim().is_empty() || from == to || steps == 0 {
            return Err(wrong());
        }
        // Between whole numbers not further apart than the steps: a key that counts takes no others.
        let whole = from.fract() == 0.0 && to.fract() == 0.0 && (to - from).abs() <= steps as f64;
        let steps = if whole && (to - from).abs() > 1.0 { (to - from).abs() as usize } else { steps };
        Ok(Self { key: key.trim().to_owned(), from, to, steps })
    }

    /// The key.
    pub fn key(&self) -> &str {
        &self.key
    }

    fn value(&self, index: usize) -> f64 {
        if index == self.steps {
            self.to
        } else {
            self.from + (self.to - self.from) * (index as f64 / self.steps as f64)
        }
    }
}

/// A fixed point followed, and where table and figure are kept.
#[derive(Debug)]
pub struct Continued {
    /// A row for each value and fixed point.
    pub answer: Answer,
    /// The results folder.
    pub folder: PathBuf,
}

/// Of every fixed point.
const MEASURES: [Measure; 10] = [
    Measure::Cold,
    Measure::Initializing,
    Measure::Idle,
    Measure::Busy,
    Measure::JobsPerServer,
    Measure::JobsPerWarm,
    Measure::MeanResponseTime,
    Measure::P99,
    Measure::RejectedFraction,
    Measure::Energy,
];

fn columns(key: &str) -> impl Iterator<Item = String> {
    let first = [key, "regime", "saturated"].map(str::to_owned).into_iter();
    let last = ["stable", "leading_eigenvalue", "note"].map(str::to_owned);
    first.chain(MEASURES.map(Measure::name)).chain(last)
}

/// Finds the fixed points for every value of the continuation; `load` gives the scenario with a key set. Where the first
/// one becomes saturated or loses its stability, the value is located and noted. Table, manifest and, where there is a fixed
/// point, figure go to `results/NAME-continued/`.
///
/// # Errors
/// Those of `load` and [`fixed_points`], but for queues that grow for ever: then the row says so.
/// [`Error::NotOurs`], [`Error::Write`].
pub fn continue_fixed_points(
    load: &dyn Fn(&Override) -> Result<Scenario, InputError>,
    continuation: &Continuation,
    results: &Path,
    progress: &dyn Progress,
) -> Result<Continued, Error> {
    let at = |value: f64| -> Result<(Scenario, Result<FixedPointReport, Error>), Error> {
        let scenario =
            load(&Override::parse(&format!("{}={value}", continuation.key)).map_err(InputError::from)?)?;
        match fixed_points(&scenario, &[]) {
            Err(error) if error.is_input() => Err(error),
            report => Ok((scenario, report)),
        }
    };
    let mut table = Table::new(columns(&continuation.key));
    let mut previous: Option<(f64, Mark)> = None;
    progress.begin("fixed points", continuation.steps as u64 + 1);
    for index in 0..=continuation.steps {
        let value = continuation.value(index);
        let (_, report) = at(value)?;
        let mark = Mark::of(&report);
        let note = match previous {
            Some((before, earlier)) if earlier != mark => {
                let change = locate(before, value, |value| Ok(Mark::of(&at(value)?.1) == earlier))?;
                format!("{} at {} = {change:.6}", earlier.change(mark), continuation.key)
            }
            _ => String::new(),
        };
        add(&mut table, value, &report, &note);
        previous = Some((value, mark));
        progress.advance(1);
    }
    progress.end();
    let (scenario, _) = at(continuation.from)?;
    let folder = keep(&scenario, continuation, &table, results)?;
    Ok(Continued { answer: Answer { table, warnings: vec![] }, folder })
}

/// What is watched along the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// There is no isolated fixed point.
    Absent,
    /// There is one, or the first of several.
    Point { saturated: bool, stable: Option<bool> },
}

impl Mark {
    fn of(report: &Result<FixedPointReport, Error>) -> Self {
        match report.as_ref().map(|report| report.points.first()) {
            Ok(Some(point)) => Self::Point { saturated: point.saturated, stable: point.stable },
            Ok(None) | Err(_) => Self::Absent,
        }
    }

    fn change(self, to: Self) -> &'static str {
        match (self, to) {
            (Self::Absent, _) => "appears",
            (_, Self::Absent) => "disappears",
            (Self::Point { saturated: false, .. }, Self::Point { saturated: true, .. }) => "saturates",
            (Self::Point { saturated: true, .. }, Self::Point { saturated: false, .. }) => {
                "leaves saturation"
            }
            (Self::Point { .. }, Self::Point { stable: Some(true), .. }) => "gains stability",
            (Self::Point { .. }, Self::Point { stable: Some(false), .. }) => "loses stability",
            (Self::Point { .. }, Self::Point { stable: None, .. }) => "stability becomes undecided",
        }
    }
}

/// Where `same` ceases to hold between `low`, where it does, and `high`.
fn locate(mut low: f64, mut high: f64, same: impl Fn(f64) -> Result<bool, Error>) -> Result<f64, Error> {
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if same(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(0.5 * (low + high))
}

fn add(table: &mut Table, value: f64, report: &Result<FixedPointReport, Error>, note: &str) {
    let empty = |regime: &str, note: &str| {
        let mut row = vec![Cell::from(value), Cell::from(regime.to_owned())];
        row.extend(vec![Cell::from(None::<f64>); MEASURES.len() + 3]);
        row.push(Cell::from(note.to_owned()));
        row
    };
    match report {
        Err(error) => {
            let reason =
                std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
            table.push(empty("none", &[note, &reason].join(" ")));
        }
        Ok(report) => {
            for (index, point) in report.points.iter().enumerate() {
                table.push(row(value, point, if index == 0 { note } else { "" }));
            }
            for family in &report.families {
                table.push(empty(
                    &format!("family: {} to {} with {} jobs", family.from, family.to, family.level),
                    note,
                ));
            }
        }
    }
}

fn row(value: f64, point: &PointReport, note: &str) -> Vec<Cell> {
    let mut row = vec![value.into(), point.regime.clone().into(), Some(point.saturated).into()];
    row.extend(MEASURES.map(|measure| Cell::from(point.value(measure))));
    row.extend([point.stable.into(), point.leading_eigenvalue.into(), note.to_owned().into()]);
    row
}

fn keep(
    scenario: &Scenario,
    continuation: &Continuation,
    table: &Table,
    results: &Path,
) -> Result<PathBuf, Error> {
    let name = format!("{}-continued", scenario.name());
    let folder = ResultsFolder::create(results, &name)?;
    folder.add_table("table.csv", table)?;
    let figure = figure(scenario, continuation, table);
    // Without a fixed point all along there is nothing to draw: the table says why.
    if !figure.panels.is_empty() {
        let drawing = render(&figure)?;
        folder.add(&format!("figures/{name}.svg"), drawing.svg().as_bytes())?;
        folder.add(&format!("figures/{name}.png"), &drawing.png()?)?;
    }
    folder.finish("fixed-point", scenario)
}

/// Servers on the left, response times on the right.
fn figure(scenario: &Scenario, continuation: &Continuation, table: &Table) -> Figure {
    let curve = |column: &str, label: &str, colour| {
        let keys = table.numbers(&continuation.key).unwrap_or_default();
        let values = table.numbers(column).unwrap_or_default();
        let points = keys.into_iter().zip(values).filter_map(|(key, value)| Some((key?, value))).collect();
        Series { label: label.to_owned(), colour, stroke: Stroke::Solid, points, band: vec![] }
    };
    let panel = |title: &str, y: &str, series| Panel {
        title: title.to_owned(),
        x: Axis::linear(continuation.key.clone()),
        y: Axis::linear(y),
        series,
    };
    let servers = vec![
        curve("cold", "cold", Colour::Blue),
        curve("initializing", "initializing", Colour::Orange),
        curve("idle", "idle-on", Colour::Green),
        curve("busy", "busy", Colour::Vermillion),
    ];
    let times = vec![
        curve("mean_response_time", "mean", Colour::Blue),
        curve("p99", "99th percentile", Colour::Vermillion),
    ];
    let panels = vec![
        panel("Servers", "fraction of servers", servers),
        panel("Response time", "mean service times", times),
    ];
    let has_numbers =
        |panel: &Panel| panel.series.iter().any(|series| series.points.iter().any(|p| p.1.is_some()));
    Figure {
        title: format!("{}: fixed points", scenario.name()),
        caption: format!("{}. Fluid model at rest, along {}.", scenario.model().scheme(), continuation.key),
        columns: 2,
        panels: panels.into_iter().filter(has_numbers).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn saturation_is_located() {
        // Blind-.06 fills the cold pool's gap until 1 - lambda = alpha theta (1/beta + 1/gamma) = .15.
        let text = include_str!("../../../scenarios/figure1.toml");
        let load = |set: &Override| Ok(Scenario::parse("f", text, std::slice::from_ref(set))?);
        let along = Continuation::parse("system.arrival_rate=0.05..0.99", 20).unwrap();
        let results = tempfile::tempdir().unwrap();
        let continued = continue_fixed_points(&load, &along, results.path(), &Silent).unwrap();
        let mut csv = vec![];
        continued.answer.table.write(alba_table::Format::Csv, &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(csv.contains("saturates at system.arrival_rate = 0.850000"), "{csv}");
        assert!(continued.folder.join("figures/figure1-continued.png").exists());
    }

    #[test]
    fn without_a_fixed_point_there_is_a_table_that_says_why() {
        let text = include_str!("../../../scenarios/figure1.toml");
        let endless = Override::parse("system.buffer=infinite").unwrap();
        let load = |set: &Override| Ok(Scenario::parse("f", text, &[endless.clone(), set.clone()])?);
        let along = Continuation::parse("system.arrival_rate=1.2..1.5", 3).unwrap();
        let results = tempfile::tempdir().unwrap();
        let continued = continue_fixed_points(&load, &along, results.path(), &Silent).unwrap();
        assert_eq!(continued.answer.table.rows().len(), 4);
        assert!(continued.folder.join("table.csv").exists());
        assert!(!continued.folder.join("figures").exists());
    }

    #[test]
    fn malformed_ranges_are_refused() {
        for text in ["", "key", "key=1", "key=1..", "key=a..b", "=1..2", "key=1..1", "key=1..inf"] {
            assert!(Continuation::parse(text, 10).is_err(), "{text}");
        }
        assert!(Continuation::parse("key=1..2", 0).is_err());
    }
}

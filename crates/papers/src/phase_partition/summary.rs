//! Energies, savings and switch-on times, printed and computed, and whether assignment by the second explains what is left.

use super::cases::{CASES, Case, Method, SERVERS};
use super::courses::{Spread, middle};
use super::series::ENERGY_SECONDS;
use super::tables::line;
use alba_cluster::Assignment;
use alba_table::{Column, Schema, Table};

/// How numbers lie.
#[derive(Clone, Copy)]
pub(super) struct Moments {
    mean: f64,
    /// None for one value.
    standard_deviation: Option<f64>,
    /// Between these is the middle 95 %.
    middle: (f64, f64),
    pub(super) lowest: f64,
    pub(super) highest: f64,
}

impl Moments {
    /// None of no values.
    fn of(values: Vec<f64>) -> Option<Self> {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            mean,
            standard_deviation: (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
            lowest: values.iter().copied().reduce(f64::min)?,
            highest: values.iter().copied().reduce(f64::max)?,
            middle: middle(values)?,
        })
    }

    pub(super) fn holds(&self, value: f64) -> bool {
        (self.lowest..=self.highest).contains(&value)
    }
}

/// A number beside the printed one and the random ones.
struct Compared {
    value: Option<f64>,
    printed: Option<f64>,
    random: Option<Moments>,
}

/// Name and unit of a number that is compared, and how it is found.
type Number<'s> = (String, &'static str, Box<dyn Fn(&Spread) -> Compared + 's>);

fn numbers(spreads: &[Spread]) -> impl Iterator<Item = Number<'_>> {
    let energy: Number<'_> = ("energy_j".to_owned(), "J", Box::new(energy));
    let saving: Number<'_> = ("saving_percent".to_owned(), "%", Box::new(|spread| saving(spread, spreads)));
    let start = |server: usize| -> Number<'_> {
        (format!("server_{}_start_s", server + 1), "s", Box::new(move |spread| start(spread, server)))
    };
    [energy, saving].into_iter().chain((1..SERVERS).map(start))
}

fn columns((name, unit, compared): Number<'_>) -> Vec<Column<'_, Spread>> {
    let compared = std::rc::Rc::new(compared);
    let column = |suffix: &str, meaning: &str, get: fn(Compared) -> Option<f64>| {
        let compared = compared.clone();
        Column::new(format!("{name}{suffix}"), unit, meaning, move |spread| get(compared(spread)))
    };
    let mut columns = vec![
        column("", "with the published arrivals", |of| of.value),
        column("_printed", "as printed", |of| of.printed),
        column("_random_mean", "over the random series, as the next", |of| Some(of.random?.mean)),
        column("_random_standard_deviation", "", |of| of.random?.standard_deviation),
        column("_random_low", "lower end of the middle 95 %", |of| Some(of.random?.middle.0)),
        column("_random_high", "upper end", |of| Some(of.random?.middle.1)),
        column("_random_lowest", "of all", |of| Some(of.random?.lowest)),
        column("_random_highest", "of all", |of| Some(of.random?.highest)),
    ];
    let inside = move |spread: &Spread| {
        let Compared { printed, random, .. } = compared(spread);
        printed.map(|printed| random.is_some_and(|random| random.holds(printed)))
    };
    let meaning = "whether the printed one is between the lowest and the highest";
    columns.push(Column::new(format!("{name}_printed_inside"), "", meaning, inside));
    columns
}

/// A row a line. Energies and refused requests are those of 160 s, savings are against round robin one by one.
pub(super) fn totals(spreads: &[Spread]) -> Table {
    let printed = |spread: &Spread| spread.line.case.printed_energy_j(spread.line.method);
    let off =
        move |spread: &Spread| printed(spread).map(|printed| 100.0 * (spread.total.energy_j / printed - 1.0));
    let requests = |spread: &Spread| -> u64 {
        let seconds = spread.published.seconds.iter().take(ENERGY_SECONDS);
        seconds.map(|second| u64::from(second.requests)).sum()
    };
    let refusing = |spread: &Spread| spread.random.iter().filter(|total| total.refused > 0).count();
    let schema = line(|spread: &Spread| spread.line)
        .column("energy_difference_percent", "%", "of the energy from the printed one", off)
        .columns(numbers(spreads).flat_map(columns))
        .column("requests", "requests", "of the published series by 160 s", requests)
        .column("refused", "requests", "turned away of these", |spread| spread.total.refused)
        .column("random_series_with_refused", "series", "in which some are turned away", refusing);
    schema.table(spreads)
}

fn energy(spread: &Spread) -> Compared {
    Compared {
        value: Some(spread.total.energy_j),
        printed: spread.line.case.printed_energy_j(spread.line.method),
        random: Moments::of(spread.random_energies_j().collect()),
    }
}

fn start(spread: &Spread, server: usize) -> Compared {
    let second = |second: u64| second as f64;
    let random = spread.random.iter().filter_map(|total| total.starts_s[server]).map(second);
    Compared {
        value: spread.total.starts_s[server].map(second),
        printed: spread.line.case.printed_start_s(spread.line.method, server).map(second),
        random: Moments::of(random.collect()),
    }
}

/// What the line saves against round robin, one by one, with the same arrivals, in per cent.
fn saving(spread: &Spread, spreads: &[Spread]) -> Compared {
    let case = spread.line.case;
    let Some(reference) = Spread::find(spreads, case, Method::RoundRobin, Assignment::OneByOne) else {
        return Compared { value: None, printed: None, random: None };
    };
    let saved = |(energy, of): (f64, f64)| 100.0 * (1.0 - energy / of);
    let printed = match spread.line.method {
        Method::Algorithm2 => case.printed_energy_j(Method::Algorithm2),
        Method::RoundRobin
        | Method::LeastConnections
        | Method::Algorithm1Lemma1
        | Method::Algorithm1Lemma2 => None,
    };
    Compared {
        value: Some(saved((spread.total.energy_j, reference.total.energy_j))),
        printed: printed.zip(case.printed_energy_j(Method::RoundRobin)).map(saved),
        random: Moments::of(
            spread.random_energies_j().zip(reference.random_energies_j()).map(saved).collect(),
        ),
    }
}

/// What round robin draws by 160 s more than least connections.
pub(super) struct Contrast {
    pub(super) case: u64,
    pub(super) printed_j: f64,
    pub(super) one_by_one_j: Option<f64>,
    pub(super) by_second_j: Option<f64>,
    pub(super) random: Option<Moments>,
    /// The share of random series in which it has the printed sign.
    share_of_sign: Option<f64>,
    /// In which it is also at least as large.
    share_beyond: Option<f64>,
}

/// One a case: printed, and with requests placed one by one and by the second.
pub(super) fn contrasts(spreads: &[Spread]) -> Vec<Contrast> {
    let contrast = |case: &Case| {
        let printed_j = case.printed_difference_j();
        let pair = |assignment| {
            let of = |method| Spread::find(spreads, case, method, assignment);
            of(Method::RoundRobin).zip(of(Method::LeastConnections))
        };
        let published =
            |assignment| pair(assignment).map(|(one, other)| one.total.energy_j - other.total.energy_j);
        let random: Vec<f64> = pair(Assignment::BySecond).map_or(vec![], |(one, other)| {
            let pairs = one.random_energies_j().zip(other.random_energies_j());
            pairs.map(|(one, other)| one - other).collect()
        });
        let share = |at_least: f64| {
            let among = random.iter().filter(|found| **found * printed_j.signum() > at_least).count();
            (!random.is_empty()).then(|| among as f64 / random.len() as f64)
        };
        Contrast {
            case: case.number,
            printed_j,
            one_by_one_j: published(Assignment::OneByOne),
            by_second_j: published(Assignment::BySecond),
            share_of_sign: share(0.0),
            share_beyond: share(printed_j.abs()),
            random: Moments::of(random),
        }
    };
    CASES.iter().map(contrast).collect()
}

pub(super) fn contrast_columns() -> Schema<'static, Contrast> {
    let random = |suffix: &str, get: fn(Moments) -> Option<f64>| {
        let name = format!("by_second_random_{suffix}_j");
        Column::new(name, "J", "by the second, over the random series", move |row: &Contrast| {
            row.random.and_then(get)
        })
    };
    Schema::new()
        .column("case", "", "number of the paper's case", |row: &Contrast| row.case)
        .column("printed_j", "J", "round robin less least connections, as printed", |row| row.printed_j)
        .column("one_by_one_j", "J", "with requests placed one by one", |row| row.one_by_one_j)
        .column("by_second_j", "J", "with a second's requests placed at once", |row| row.by_second_j)
        .columns([
            random("mean", |of| Some(of.mean)),
            random("standard_deviation", |of| of.standard_deviation),
            random("lowest", |of| Some(of.lowest)),
            random("highest", |of| Some(of.highest)),
        ])
        .column("share_of_printed_sign", "", "of random series with the printed sign", |row| {
            row.share_of_sign
        })
        .column("share_beyond_printed", "", "of these, at least as large too", |row| row.share_beyond)
}

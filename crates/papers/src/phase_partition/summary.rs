//! Energies, savings and switch-on times, printed and computed, and whether assignment by the second explains what is left.

use super::cases::{CASES, Method, SERVERS};
use super::courses::{Spread, middle};
use super::series::ENERGY_SECONDS;
use super::tables::{LINE, line_cells};
use alba_cluster::Assignment;
use alba_table::{Cell, Row, Table};

/// A number beside the printed one and the random ones.
const COMPARED: [&str; 9] = [
    "",
    "_printed",
    "_random_mean",
    "_random_standard_deviation",
    "_random_low",
    "_random_high",
    "_random_lowest",
    "_random_highest",
    "_printed_inside",
];

/// A row a line. Energies and refused requests are those of 160 s, savings are against round robin one by one; `low` and `high` bound
/// the middle 95 % of the random series, `printed_inside` says whether the printed number is between the lowest and the highest.
pub(super) fn totals(spreads: &[Spread]) -> Table {
    let starts = (2..=SERVERS).map(|server| format!("server_{server}_start_s"));
    let compared = ["energy_j".to_owned(), "saving_percent".to_owned()].into_iter().chain(starts);
    let compared = compared.flat_map(|name| COMPARED.map(|suffix| format!("{name}{suffix}")));
    let rest = ["requests", "refused", "random_series_with_refused"].map(str::to_owned);
    let columns = LINE.map(str::to_owned).into_iter().chain(["energy_difference_percent".to_owned()]);
    let mut table = Table::new(columns.chain(compared).chain(rest));
    for spread in spreads {
        table.push(total(spread, spreads));
    }
    table
}

fn total(spread: &Spread, spreads: &[Spread]) -> Row {
    let (case, method) = (spread.line.case, spread.line.method);
    let mut row = line_cells(spread);
    let printed = case.printed_energy_j(method);
    row.push(printed.map(|printed| 100.0 * (spread.total.energy_j / printed - 1.0)).into());
    let energies = spread.random.iter().map(|total| total.energy_j).collect();
    row.extend(compared(Some(spread.total.energy_j), printed, energies));
    row.extend(saving(spread, spreads));
    for server in 1..SERVERS {
        let start = spread.total.starts_s[server].map(|second| second as f64);
        let random =
            spread.random.iter().filter_map(|total| total.starts_s[server]).map(|start| start as f64);
        row.extend(compared(
            start,
            case.printed_start_s(method, server).map(|start| start as f64),
            random.collect(),
        ));
    }
    let seconds = spread.published.seconds.iter().take(ENERGY_SECONDS);
    let requests: u64 = seconds.map(|second| u64::from(second.requests)).sum();
    let refusing = spread.random.iter().filter(|total| total.refused > 0).count() as u64;
    row.extend([requests, spread.total.refused, refusing].map(Cell::from));
    row
}

/// What the line saves against round robin, one by one, with the same arrivals, in per cent.
fn saving(spread: &Spread, spreads: &[Spread]) -> Row {
    let case = spread.line.case;
    let Some(reference) = find(spreads, case.number, Method::RoundRobin, Assignment::OneByOne) else {
        return vec![Cell::Empty; COMPARED.len()];
    };
    let saved = |energy: f64, of: f64| 100.0 * (1.0 - energy / of);
    let printed = match spread.line.method {
        Method::Algorithm2 => case.printed_energy_j(Method::Algorithm2),
        Method::RoundRobin
        | Method::LeastConnections
        | Method::Algorithm1Lemma1
        | Method::Algorithm1Lemma2 => None,
    };
    let printed =
        printed.zip(case.printed_energy_j(Method::RoundRobin)).map(|(energy, of)| saved(energy, of));
    let random =
        spread.random.iter().zip(&reference.random).map(|(one, of)| saved(one.energy_j, of.energy_j));
    compared(Some(saved(spread.total.energy_j, reference.total.energy_j)), printed, random.collect())
}

/// The cells of [`COMPARED`].
fn compared(value: Option<f64>, printed: Option<f64>, random: Vec<f64>) -> Row {
    let spread = Moments::of(&random);
    let (low, high) = middle(random);
    let inside = printed.map(|printed| (spread.lowest..=spread.highest).contains(&printed));
    vec![
        value.into(),
        printed.into(),
        spread.mean.into(),
        spread.standard_deviation.into(),
        low.into(),
        high.into(),
        spread.lowest.into(),
        spread.highest.into(),
        inside.into(),
    ]
}

struct Moments {
    mean: f64,
    standard_deviation: f64,
    lowest: f64,
    highest: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            mean,
            // Undefined for one value and for none.
            standard_deviation: if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { f64::NAN },
            lowest: values.iter().copied().fold(f64::INFINITY, f64::min),
            highest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

fn find(spreads: &[Spread], case: u64, method: Method, assignment: Assignment) -> Option<&Spread> {
    let wanted = |spread: &&Spread| {
        spread.line.case.number == case
            && spread.line.method == method
            && spread.line.assignment == assignment
    };
    spreads.iter().find(wanted)
}

const ASSIGNMENT: [&str; 10] = [
    "case",
    "printed_j",
    "one_by_one_j",
    "by_second_j",
    "by_second_random_mean_j",
    "by_second_random_standard_deviation_j",
    "by_second_random_lowest_j",
    "by_second_random_highest_j",
    "share_of_printed_sign",
    "share_beyond_printed",
];

/// What round robin draws by 160 s more than least connections, a row a case: printed, and with requests placed one by one and by the
/// second; the share of random series in which it has the printed sign, and in which it is also at least as large.
pub(super) fn assignment(spreads: &[Spread]) -> Table {
    let mut table = Table::new(ASSIGNMENT);
    for case in &CASES {
        let printed = case.printed_difference_j();
        let pair = |assignment| {
            let of = |method| find(spreads, case.number, method, assignment);
            of(Method::RoundRobin).zip(of(Method::LeastConnections))
        };
        let published =
            |assignment| pair(assignment).map(|(one, other)| one.total.energy_j - other.total.energy_j);
        let random: Vec<f64> = pair(Assignment::BySecond).map_or(vec![], |(one, other)| {
            one.random.iter().zip(&other.random).map(|(one, other)| one.energy_j - other.energy_j).collect()
        });
        let spread = Moments::of(&random);
        let share = |at_least: f64| {
            let among = random.iter().filter(|found| **found * printed.signum() > at_least).count();
            among as f64 / random.len() as f64
        };
        let mut row: Row = vec![case.number.into(), printed.into()];
        row.extend([Assignment::OneByOne, Assignment::BySecond].map(|how| Cell::from(published(how))));
        let numbers = [spread.mean, spread.standard_deviation, spread.lowest, spread.highest];
        row.extend(numbers.into_iter().chain([share(0.0), share(printed.abs())]).map(Cell::from));
        table.push(row);
    }
    table
}

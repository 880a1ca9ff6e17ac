//! The paper's tables beside the printed cells, and what was run.

use super::cases::{SERVERS, assignment_name};
use super::courses::{Line, Shown, Spread, Total};
use crate::partition::{Portion, portions};
use alba_cluster::{ClusterError, PartitionTable, Ratios};
use alba_table::{Column, Schema, Table};

/// A printed table: its number, capacities, ratios, and limits of each server.
type Printed = (u64, &'static [u32], &'static [&'static str], &'static [&'static [u32]]);

/// Of each of the three servers.
const TABLE_3: &[u32] = &[750, 1125, 1313, 1407, 1454, 1477, 1489, 1495, 1498, 1499, 1500];
const TABLE_4: &[u32] = &[750, 900, 975, 1013, 1032, 1041, 1046, 1048, 1049, 1050];

const PRINTED: [Printed; 5] = [
    (1, &[1000], &["10", "2"], &[&[100, 150, 175, 188, 194, 197, 199, 200]]),
    (2, &[1000], &["2"], &[&[500, 750, 875, 938, 969, 985, 993, 997, 999, 1000]]),
    (3, &[1500; SERVERS], &["2"], &[TABLE_3; SERVERS]),
    (4, &[1500; SERVERS], &["2", "5", "2"], &[TABLE_4; SERVERS]),
    (
        5,
        &[2000, 1500, 1000],
        &["2", "2.5", "2"],
        &[
            &[1000, 1400, 1600, 1700, 1750, 1775, 1788, 1794, 1797, 1799, 1800],
            &[750, 1050, 1200, 1275, 1313, 1332, 1341, 1346, 1348, 1349, 1350],
            &[500, 700, 800, 850, 875, 888, 894, 897, 899, 900, 900],
        ],
    ),
];

/// A portion beside the printed one.
pub(super) struct Beside {
    table: u64,
    capacity: u32,
    pub(super) portion: Portion,
    pub(super) printed_limit: Option<u64>,
}

/// Tables 1 to 5, computed and printed.
pub(super) fn partitions() -> Result<Vec<Beside>, ClusterError> {
    let mut all = vec![];
    for (table, capacities, ratios, printed) in PRINTED {
        let ratios = Ratios::parse(ratios)?;
        let partition = PartitionTable::new(capacities, &ratios)?;
        all.extend(portions(&partition, &ratios).into_iter().map(|portion| {
            let printed = printed.get(portion.server).and_then(|limits| limits.get(portion.phase - 1));
            let capacity = partition.capacity(portion.server);
            Beside { table, capacity, portion, printed_limit: printed.map(|limit| u64::from(*limit)) }
        }));
    }
    Ok(all)
}

pub(super) fn partition_columns() -> Schema<'static, Beside> {
    let percent = |row: &Beside| 100.0 * row.portion.limit as f64 / f64::from(row.capacity);
    Schema::new()
        .column("table", "", "number of the paper's table", |row: &Beside| row.table)
        .column("server", "", "its number, from 1", |row| row.portion.server + 1)
        .column("capacity", "requests", "of the server", |row| row.capacity)
        .column("phase", "", "from 1", |row| row.portion.phase)
        .column("ratio", "", "of the phase", |row| row.portion.ratio)
        .column("portion", "requests", "what the server may take in the phase", |row| row.portion.portion)
        .column("limit", "requests", "what it may have taken by the phase's end", |row| row.portion.limit)
        .column("limit_percent", "%", "the limit, of the capacity", percent)
        .column("printed_limit", "requests", "as printed", |row| row.printed_limit)
}

/// Columns that say what was run.
pub(super) fn line<'c, R>(of: impl Fn(&R) -> Line + Copy + 'c) -> Schema<'c, R> {
    Schema::new()
        .column("case", "", "number of the paper's case", move |row| of(row).case.number)
        .column("method", "", "how requests are given to servers", move |row| of(row).method.name())
        .column("assignment", "", "when", move |row| assignment_name(of(row).assignment))
}

/// Every second of the published series, and of the middle 95 % of the random ones.
pub(super) fn seconds(spreads: &[Spread]) -> Table {
    type Second<'s> = (&'s Spread, usize);
    let shown = Shown::ALL.into_iter().flat_map(|shown| {
        let (name, unit) = (shown.name(), shown.unit());
        let end = |suffix: &str, end: fn((f64, f64)) -> f64| {
            let get = move |(spread, second): &Second<'_>| spread.band(*second, shown).map(end);
            Column::new(format!("{name}{suffix}"), unit, "end of the middle 95 % of the random series", get)
        };
        let value = move |(spread, second): &Second<'_>| spread.shown[*second][shown.index()];
        let published = Column::new(name.clone(), unit, "with the published arrivals", value);
        [published, end("_low", |band| band.0), end("_high", |band| band.1)]
    });
    let refused = |(spread, second): &Second<'_>| spread.published.seconds[*second].refused;
    let schema = line(|(spread, _): &Second<'_>| spread.line)
        .column("second", "s", "from 1", |(_, second)| *second + 1)
        .column("refused", "requests", "turned away in that second", refused)
        .columns(shown);
    let rows = spreads.iter().flat_map(|spread| (0..spread.shown.len()).map(move |second| (spread, second)));
    schema.table(rows)
}

/// Every random series.
pub(super) fn random(spreads: &[Spread]) -> Table {
    type One<'s> = (&'s Spread, usize, &'s Total);
    let start = |server: usize| {
        let name = format!("server_{}_start_s", server + 1);
        Column::new(name, "s", "when the server is switched on", move |row: &One<'_>| row.2.starts_s[server])
    };
    let schema = line(|row: &One<'_>| row.0.line)
        .column("series", "", "its number, from 0", |row| row.1)
        .column("energy_j", "J", "of all servers by 160 s", |row| row.2.energy_j)
        .column("refused", "requests", "turned away by 160 s", |row| row.2.refused)
        .columns((0..SERVERS).map(start));
    schema.table(spreads.iter().flat_map(|spread| {
        spread.random.iter().enumerate().map(move |(series, total)| (spread, series, total))
    }))
}

//! The paper's tables beside the printed cells, and what was run.

use super::cases::{SERVERS, assignment_name};
use super::courses::{SHOWN, Spread};
use alba_cluster::{ClusterError, PartitionTable, Ratios};
use alba_table::{Cell, Row, Table};

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

/// Tables 1 to 5, computed and printed.
pub(super) fn partitions() -> Result<Table, ClusterError> {
    let columns = [
        "table",
        "server",
        "capacity",
        "phase",
        "ratio",
        "portion",
        "limit",
        "limit_percent",
        "printed_limit",
    ];
    let mut table = Table::new(columns);
    for (number, capacities, ratios, printed) in PRINTED {
        let ratios = Ratios::parse(ratios)?;
        let partition = PartitionTable::new(capacities, &ratios)?;
        for server in 0..partition.servers() {
            for phase in 1..=partition.phases() {
                let limit = partition.limit(server, phase);
                let printed = printed.get(server).and_then(|limits| limits.get(phase - 1));
                table.push(vec![
                    number.into(),
                    (server as u64 + 1).into(),
                    u64::from(partition.capacity(server)).into(),
                    (phase as u64).into(),
                    ratios.ratio(phase).value().into(),
                    u64::from(partition.portion(server, phase)).into(),
                    u64::from(limit).into(),
                    (100.0 * f64::from(limit) / f64::from(partition.capacity(server))).into(),
                    printed.map_or(Cell::Empty, |limit| u64::from(*limit).into()),
                ]);
            }
        }
    }
    Ok(table)
}

/// Columns that say what was run.
pub(super) const LINE: [&str; 3] = ["case", "method", "assignment"];

pub(super) fn line_cells(spread: &Spread) -> Row {
    let line = spread.line;
    vec![line.case.number.into(), line.method.name().into(), assignment_name(line.assignment).into()]
}

/// Every second of the published series, and of the middle 95 % of the random ones.
pub(super) fn seconds(spreads: &[Spread]) -> Table {
    let shown = SHOWN.iter().flat_map(|name| ["", "_low", "_high"].map(|suffix| format!("{name}{suffix}")));
    let columns = LINE.into_iter().chain(["second", "refused"]).map(str::to_owned).chain(shown);
    let mut table = Table::new(columns);
    for spread in spreads {
        for (index, second) in spread.published.seconds.iter().enumerate() {
            let mut row = line_cells(spread);
            row.extend([index as u64 + 1, second.refused.into()].map(Cell::from));
            for (value, (low, high)) in spread.shown[index].into_iter().zip(spread.bands[index]) {
                row.extend([value, low, high].map(Cell::from));
            }
            table.push(row);
        }
    }
    table
}

/// Every random series.
pub(super) fn random(spreads: &[Spread]) -> Table {
    let starts = (1..=SERVERS).map(|server| format!("server_{server}_start_s"));
    let columns = LINE.into_iter().chain(["series", "energy_j", "refused"]).map(str::to_owned).chain(starts);
    let mut table = Table::new(columns);
    for spread in spreads {
        for (series, total) in spread.random.iter().enumerate() {
            let mut row = line_cells(spread);
            row.extend([Cell::from(series as u64), total.energy_j.into(), total.refused.into()]);
            row.extend(total.starts_s.map(|start| start.map_or(Cell::Empty, Cell::from)));
            table.push(row);
        }
    }
    table
}

//! A row a function, a column a minute.

use super::layout::{Layout, Table};
use super::lines::Lines;
use super::names::digits_of;
use super::{Counted, LARGEST, SECOND, Stop, TraceKeys, TraceProblem, merged};

/// Sums over the chosen functions, or all.
pub(super) fn read(lines: &mut Lines, table: &Table, keys: &TraceKeys) -> Result<Counted, Stop> {
    let Layout::Functions { hash, minutes: (first_minute, end) } = table.layout else {
        return Err(lines.wrong(1, TraceProblem::NoRow));
    };
    let mut requests = vec![0.0; end - first_minute];
    let mut found = vec![false; keys.functions.len()];
    table.for_each_row(lines, |line, cells, _| {
        let name = cells[hash].bytes(line);
        let mut chosen = keys.functions.is_empty();
        for (wanted, found) in keys.functions.iter().zip(&mut found) {
            let hit = name.starts_with(wanted.as_bytes());
            (chosen, *found) = (chosen || hit, *found || hit);
        }
        for ((sum, cell), minute) in
            requests.iter_mut().zip(&cells[first_minute..end]).zip(&table.names[first_minute..end])
        {
            let number = cell.number(line).filter(|number| *number >= 0.0);
            let number = number.ok_or_else(|| cell.no_number(line, minute))?;
            *sum += if chosen { number } else { 0.0 };
            if number > LARGEST || *sum > LARGEST {
                let what = format!("the sum of column {minute:?}");
                return Err((cell.column(line), TraceProblem::TooMany { what }));
            }
        }
        Ok(())
    })?;
    if let Some((name, _)) = keys.functions.iter().zip(&found).find(|(_, found)| !**found) {
        return Err(Stop::Wrong {
            line: 1,
            column: 1,
            problem: TraceProblem::NoFunction { name: name.clone() },
        });
    }
    let start = table.names.get(first_minute).map(|minute| format!("minute {}", digits_of(minute)));
    let counted = Counted { requests, interval: 60 * SECOND, start, gaps: 0, remarks: vec![] };
    merged(counted, keys, lines.number())
}

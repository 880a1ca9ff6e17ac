//! A column as colour over two others.

use super::lines::axis;
use super::rows::{Rows, shown};
use super::{Chart, ChartError};
use crate::{HeatMap, Steps};
use alba_table::Cell;

pub(super) fn map(rows: &Rows<'_>, request: &Chart, colour: &str) -> Result<HeatMap, ChartError> {
    let [y] = &request.y[..] else { return Err(ChartError::OneColumn { columns: request.y.len() }) };
    let (x_index, y_index, values) = (rows.index(&request.x)?, rows.index(y)?, rows.numbers(colour)?);
    let (xs, ys) = (distinct(rows, x_index), distinct(rows, y_index));
    let mut fields = vec![vec![None; xs.len()]; ys.len()];
    let mut owners: Vec<Vec<Option<usize>>> = vec![vec![None; xs.len()]; ys.len()];
    for (index, row) in rows.rows.iter().enumerate() {
        let at = |cells: &[Cell], cell: &Cell| cells.iter().position(|other| other == cell);
        let Some((column, line)) = at(&xs, &row[x_index]).zip(at(&ys, &row[y_index])) else { continue };
        if let Some(other) = owners[line][column] {
            let shared =
                [(&request.x, x_index), (y, y_index)].map(|(name, i)| format!("{name} = {}", shown(&row[i])));
            return Err(rows.several(&[other, index], shared.into(), &[colour]));
        }
        owners[line][column] = Some(index);
        fields[line][column] = values[index];
    }
    if fields.iter().flatten().all(Option::is_none) {
        return Err(ChartError::NoRow);
    }
    let steps = |label: &str, cells: &[Cell]| Steps {
        label: label.to_owned(),
        values: cells.iter().map(shown).collect(),
    };
    Ok(HeatMap {
        title: request.title.clone(),
        caption: String::new(),
        x: steps(&request.x, &xs),
        y: steps(y, &ys),
        colour: axis(colour, request.log_y),
        fields,
    })
}

/// The values of a column: numbers in order, then names as they come.
fn distinct(rows: &Rows<'_>, column: usize) -> Vec<Cell> {
    let mut found: Vec<Cell> = vec![];
    for row in &rows.rows {
        if row[column] != Cell::Empty && !found.contains(&row[column]) {
            found.push(row[column].clone());
        }
    }
    found.sort_by(|a, b| match (a.number(), b.number()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    found
}

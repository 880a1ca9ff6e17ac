//! The rows of a table that are drawn.

use super::ChartError;
use alba_table::nearest;
use alba_table::{Cell, Row, Table};

/// Rows chosen.
pub(super) struct Rows<'t> {
    table: &'t Table,
    pub(super) rows: Vec<&'t Row>,
}

/// Columns that say nothing about what a row is: its number, and how it went.
const BOOKKEEPING: [&str; 3] = ["cell", "status", "error"];

impl<'t> Rows<'t> {
    pub(super) fn new(table: &'t Table, only: &[(String, String)]) -> Result<Self, ChartError> {
        let mut rows = Self { table, rows: table.rows().iter().collect() };
        for (column, value) in only {
            let index = rows.index(column)?;
            let number = value.parse::<f64>().ok();
            rows.rows.retain(|row| match &row[index] {
                Cell::Number(found) => Some(*found) == number,
                other => shown(other) == *value,
            });
        }
        Ok(rows)
    }

    fn columns(&self) -> Vec<&'t str> {
        self.table.heads().iter().map(|head| head.name.as_str()).collect()
    }

    pub(super) fn index(&self, column: &str) -> Result<usize, ChartError> {
        let columns = self.columns();
        columns.iter().position(|name| *name == column).ok_or_else(|| ChartError::UnknownColumn {
            name: column.to_owned(),
            nearest: nearest(column, &columns).map(str::to_owned),
            known: columns.iter().map(|name| (*name).to_owned()).collect(),
        })
    }

    /// The numbers of a column; empty cells are none.
    pub(super) fn numbers(&self, column: &str) -> Result<Vec<Option<f64>>, ChartError> {
        let index = self.index(column)?;
        let number = |row: &&Row| match &row[index] {
            Cell::Text(value) => {
                Err(ChartError::NotNumbers { column: column.to_owned(), value: value.clone() })
            }
            cell => Ok(cell.number()),
        };
        self.rows.iter().map(number).collect()
    }

    /// The half-widths of a column, where the table has them.
    pub(super) fn half_widths(&self, column: &str) -> Vec<Option<f64>> {
        self.numbers(&format!("{column}_half_width")).unwrap_or_else(|_| vec![None; self.rows.len()])
    }

    /// What tells the curve of each row from others, as legends show it.
    pub(super) fn labels(&self, by: &[String]) -> Result<Vec<String>, ChartError> {
        let indices = by.iter().map(|column| self.index(column)).collect::<Result<Vec<_>, _>>()?;
        let label = |row: &&Row| {
            let parts = by.iter().zip(&indices).map(|(column, index)| part(column, &row[*index]));
            parts.collect::<Vec<_>>().join(", ")
        };
        Ok(self.rows.iter().map(label).collect())
    }

    /// Several rows where one is meant.
    pub(super) fn several(&self, which: &[usize], shared: Vec<String>, measures: &[&str]) -> ChartError {
        let differs =
            |index: &usize| which.iter().any(|row| self.rows[*row][*index] != self.rows[which[0]][*index]);
        let columns = self.columns();
        let last = columns.iter().position(|name| *name == "seed").unwrap_or(columns.len().saturating_sub(1));
        let differing = (0..=last)
            .filter(differs)
            .map(|index| columns[index])
            .filter(|name| !BOOKKEEPING.contains(name) && !measures.contains(name))
            .map(str::to_owned);
        ChartError::SeveralRows { count: which.len(), shared, differing: differing.collect() }
    }
}

/// `theta = 0.06` for a number, a name as it is, a rule by its name and parameters.
fn part(column: &str, cell: &Cell) -> String {
    let key = column.rsplit('.').next().unwrap_or(column);
    match cell {
        Cell::Text(text) => legible(text),
        other => format!("{key} = {}", shown(other)),
    }
}

pub(super) fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Number(number) => short(*number),
        Cell::Integer(integer) => integer.to_string(),
        Cell::Text(text) => legible(text),
        Cell::Truth(truth) => truth.to_string(),
    }
}

/// Four digits: a legend is no table.
fn short(number: f64) -> String {
    if number == 0.0 || (1e-3..1e6).contains(&number.abs()) {
        let digits = 3 - if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
        let scale = 10f64.powi(digits);
        let rounded = (number * scale).round() / scale;
        // Rounding by a scale may leave 0.30000000000000004.
        return format!("{rounded:.*}", digits.max(0) as usize).parse::<f64>().unwrap_or(rounded).to_string();
    }
    format!("{number:.3e}")
}

/// A table of TOML, as a rule is, without its braces and quotes; other names as they are.
fn legible(text: &str) -> String {
    let Ok(table) = format!("v = {text}").parse::<toml::Table>() else { return text.to_owned() };
    let Some(toml::Value::Table(table)) = table.get("v") else { return text.to_owned() };
    let bare = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let rule = table.get("rule").map(bare).into_iter();
    let others = table.iter().filter(|(key, _)| *key != "rule");
    rule.chain(others.map(|(key, value)| format!("{key} = {}", bare(value)))).collect::<Vec<_>>().join(", ")
}

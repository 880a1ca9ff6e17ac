//! Figures of any table: lines with error bars, heat maps, Pareto fronts.

mod heat;
mod lines;
mod pareto;
mod rows;

use crate::{Drawing, PlotError, render, render_heat_map};
use alba_table::Table;
use rows::Rows;

/// What to draw of a table, by the names of its columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// Horizontal axis.
    pub x: String,
    /// Vertical axis; several columns are several curves.
    pub y: Vec<String>,
    /// Columns whose values tell curves apart.
    pub by: Vec<String>,
    /// Which figure.
    pub kind: Kind,
    /// Only rows in which these columns have these values.
    pub only: Vec<(String, String)>,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis, or that of colours, is.
    pub log_y: bool,
    /// Line above; none if empty.
    pub title: String,
}

/// Which figure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Kind {
    /// Curves, with error bars where the table has half-widths.
    #[default]
    Lines,
    /// The column of this name as colour over x and y.
    Heat(String),
    /// x against y, less of both being better, and the rows that no other one beats.
    Pareto,
}

/// Why a table cannot be drawn as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChartError {
    /// A column that the table does not have.
    #[error("no column {name}{}: the table has {}", hint(nearest.as_deref()), known.join(", "))]
    UnknownColumn {
        /// The name given.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// The columns there are.
        known: Vec<String>,
    },
    /// A column of names where numbers are needed.
    #[error("column {column} holds {value:?}, not numbers: names go to --by")]
    NotNumbers {
        /// The column.
        column: String,
        /// A value in it.
        value: String,
    },
    /// No row is left.
    #[error("no row has numbers to draw")]
    NoRow,
    /// Several rows for one point of a figure.
    #[error(
        "{count} rows have {}: name the columns that tell them apart in --by, or choose some of them with --only{}",
        shared.join(", "), hint_differing(differing)
    )]
    SeveralRows {
        /// How many.
        count: usize,
        /// What they share.
        shared: Vec<String>,
        /// Columns, no measures, in which they differ.
        differing: Vec<String>,
    },
    /// More curves than can be told apart.
    #[error("{curves} curves: at most {most} can be told apart; choose some with --only")]
    TooManyCurves {
        /// How many.
        curves: usize,
        /// The most.
        most: usize,
    },
    /// Several columns where one is needed.
    #[error("{columns} columns for y: this figure needs one")]
    OneColumn {
        /// How many are given.
        columns: usize,
    },
}

fn hint(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

fn hint_differing(columns: &[String]) -> String {
    if columns.is_empty() { String::new() } else { format!(" (they differ in {})", columns.join(", ")) }
}

/// Why there is no figure of a table.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// It cannot be drawn as asked.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// It cannot be drawn at all.
    #[error("the figure cannot be drawn")]
    Plot(#[from] PlotError),
}

/// Draws a table.
///
/// # Errors
/// [`DrawError`].
pub fn chart(table: &Table, request: &Chart) -> Result<Drawing, DrawError> {
    let rows = Rows::new(table, &request.only)?;
    Ok(match &request.kind {
        Kind::Lines => render(&lines::figure(&rows, request)?)?,
        Kind::Pareto => render(&pareto::figure(&rows, request)?)?,
        Kind::Heat(colour) => render_heat_map(&heat::map(&rows, request, colour)?)?,
    })
}

#[cfg(test)]
mod tests;

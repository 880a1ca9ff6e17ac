//! What stands at one place of a table.

use serde::{Deserialize, Serialize};

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Undefined.
    Empty,
    /// A real number.
    Number(f64),
    /// A whole number.
    Integer(u64),
    /// A name.
    Text(String),
    /// Yes or no.
    Truth(bool),
}

/// A row: one cell for every column.
pub type Row = Vec<Cell>;

impl Cell {
    /// The number in it.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Integer(integer) => Some(*integer as f64),
            Self::Empty | Self::Text(_) | Self::Truth(_) => None,
        }
    }

    /// As in CSV: Rust's shortest form that reads back unchanged; nothing for what is undefined.
    pub fn field(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Number(number) => number.to_string(),
            Self::Integer(integer) => integer.to_string(),
            Self::Text(text) => text.clone(),
            Self::Truth(truth) => truth.to_string(),
        }
    }
}

/// What all cells of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Real numbers, whole ones too.
    Number,
    /// Names, and whatever does not go together.
    Text,
    /// Yes or no.
    Truth,
}

impl ColumnKind {
    pub(crate) fn of(cell: &Cell) -> Option<Self> {
        match cell {
            Cell::Empty => None,
            Cell::Number(_) => Some(Self::Number),
            Cell::Integer(_) => Some(Self::Integer),
            Cell::Text(_) => Some(Self::Text),
            Cell::Truth(_) => Some(Self::Truth),
        }
    }

    /// The narrowest kind that holds both.
    pub(crate) fn joined(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Integer | Self::Number, Self::Integer | Self::Number) => Self::Number,
            _ => Self::Text,
        }
    }

    /// The cell that a field of CSV stands for.
    pub(crate) fn cell(self, field: &str) -> Cell {
        let otherwise = || if field.is_empty() { Cell::Empty } else { Cell::Text(field.to_owned()) };
        match self {
            Self::Integer => field.parse().map_or_else(|_| otherwise(), Cell::Integer),
            Self::Number => field.parse().map_or_else(|_| otherwise(), Cell::Number),
            Self::Text => otherwise(),
            Self::Truth => field.parse().map_or_else(|_| otherwise(), Cell::Truth),
        }
    }
}

/// What a field of a row can be, and the kind of the column that shows it; of an [`Option`], none is an empty cell.
pub trait Value {
    /// That of its column.
    const KIND: ColumnKind;

    /// The cell that shows it.
    fn cell(self) -> Cell;
}

impl Value for f64 {
    const KIND: ColumnKind = ColumnKind::Number;

    /// No format of ours has a number that is not finite. The sum of no numbers is -0 and becomes 0.
    fn cell(self) -> Cell {
        if self.is_finite() { Cell::Number(self + 0.0) } else { Cell::Empty }
    }
}

impl Value for u64 {
    const KIND: ColumnKind = ColumnKind::Integer;

    fn cell(self) -> Cell {
        Cell::Integer(self)
    }
}

impl Value for u32 {
    const KIND: ColumnKind = ColumnKind::Integer;

    fn cell(self) -> Cell {
        Cell::Integer(self.into())
    }
}

impl Value for usize {
    const KIND: ColumnKind = ColumnKind::Integer;

    fn cell(self) -> Cell {
        Cell::Integer(self as u64)
    }
}

impl Value for bool {
    const KIND: ColumnKind = ColumnKind::Truth;

    fn cell(self) -> Cell {
        Cell::Truth(self)
    }
}

impl Value for String {
    const KIND: ColumnKind = ColumnKind::Text;

    fn cell(self) -> Cell {
        Cell::Text(self)
    }
}

impl Value for &str {
    const KIND: ColumnKind = ColumnKind::Text;

    fn cell(self) -> Cell {
        Cell::Text(self.to_owned())
    }
}

impl<V: Value> Value for Option<V> {
    const KIND: ColumnKind = V::KIND;

    fn cell(self) -> Cell {
        self.map_or(Cell::Empty, V::cell)
    }
}

//! Tables: what studies print, write and draw; and where they go.
//!
//! A study returns rows, structs of its own; a [`Schema`] says which columns show them, and makes a [`Table`], which is written as CSV,
//! JSON, Parquet or Markdown to an [`Output`]. [`Cell`]s are made here and looked at nowhere but where a user names a column of a
//! file of theirs ([`Table::read`]).

mod cell;
mod error;
mod nearest;
mod output;
mod parquet;
mod read;
mod schema;
mod table;
mod write;

pub use cell::{Cell, ColumnKind, Row, Value};
pub use error::{ReadError, WriteError};
pub use nearest::nearest;
pub use output::{Output, new_folder};
pub use parquet::ParquetWriter;
pub use schema::{Column, Head, Schema};
pub use table::Table;
pub use write::{Format, TableWriter, csv_line};

//! Columns and rows together.

use crate::parquet::kinds_of;
use crate::{Head, Row};

/// Named columns and rows, each of which has one cell for every column: made by a [`Schema`](crate::Schema), or read from a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    heads: Vec<Head>,
    rows: Vec<Row>,
}

impl Table {
    /// Rows are as long as `heads`: a schema's are, and readers refuse others.
    pub(crate) fn of(heads: Vec<Head>, rows: Vec<Row>) -> Self {
        Self { heads, rows }
    }

    /// A file says no more than names: kinds are guessed.
    pub(crate) fn guessed(names: Vec<String>, rows: Vec<Row>) -> Self {
        let kinds = kinds_of(&rows, names.len());
        let head = |(name, kind)| Head { name, kind, unit: "", meaning: String::new() };
        Self { heads: names.into_iter().zip(kinds).map(head).collect(), rows }
    }

    /// What the columns are.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The numbers of a column of a table that was read; none if there is no such column.
    pub fn numbers(&self, column: &str) -> Option<Vec<Option<f64>>> {
        let index = self.heads.iter().position(|head| head.name == column)?;
        Some(self.rows.iter().map(|row| row[index].number()).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Format, Schema, Table};

    struct Pair {
        a: Option<u64>,
        b: String,
        c: f64,
    }

    fn pair(a: Option<u64>, b: &str, c: f64) -> Pair {
        Pair { a, b: b.to_owned(), c }
    }

    fn schema() -> Schema<'static, Pair> {
        Schema::new()
            .column("a", "", "a count", |pair: &Pair| pair.a)
            .column("b", "", "a name", |pair| pair.b.clone())
            .column("c", "s", "a time", |pair| pair.c)
    }

    fn written(table: &Table, format: Format) -> String {
        let mut text = vec![];
        table.write(format, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn csv_and_json() {
        let table = schema().table([pair(Some(3), "x,y", f64::NAN), pair(None, "", 0.1 + 0.2)]);
        assert_eq!(written(&table, Format::Csv), "a,b,c\n3,\"x,y\",\n,,0.30000000000000004\n");
        assert_eq!(
            written(&table, Format::Json),
            "[\n{\"a\":3,\"b\":\"x,y\",\"c\":null},\n{\"a\":null,\"b\":\"\",\"c\":0.30000000000000004}\n]\n"
        );
        let none: [Pair; 0] = [];
        assert_eq!(written(&schema().table(none), Format::Json), "[\n]\n");
        assert!(written(&schema().table([pair(None, "", -0.0)]), Format::Csv).ends_with(",,0\n"));
    }

    #[test]
    fn markdown() {
        let mut text = vec![];
        schema().table([pair(Some(3), "x|y\nz", 2.0)]).write_markdown(&mut text).unwrap();
        let expected = "| a | b | c |\n| --- | --- | --- |\n| 3 | x\\|y z | 2 |\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn numbers_read_back_unchanged() {
        for number in [1e-300, 5e-324, 1e300, 0.1, 1.0, -0.1, 123456789.12345679, f64::MAX] {
            let table = Schema::new().column("x", "", "", |x: &f64| *x).table([number]);
            let csv = written(&table, Format::Csv);
            let json = written(&table, Format::Json);
            let fields = [csv.lines().nth(1).unwrap(), json.split([':', '}']).nth(1).unwrap()];
            for field in fields {
                assert_eq!(field.parse::<f64>().unwrap().to_bits(), number.to_bits());
            }
        }
    }

    #[test]
    fn columns_by_name() {
        let table = schema().table([pair(Some(3), "", 0.0), pair(None, "", 0.0)]);
        assert_eq!(table.numbers("a"), Some(vec![Some(3.0), None]));
        assert_eq!(table.numbers("d"), None);
    }

    /// Also where no cell says what a column holds.
    #[test]
    fn parquet_has_the_kinds_of_the_schema() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let table = schema().table([pair(None, "", f64::INFINITY)]);
        table.write(Format::Parquet, std::fs::File::create(&path).unwrap()).unwrap();
        let file =
            ::parquet::file::reader::SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let fields = ::parquet::file::reader::FileReader::metadata(&file)
            .file_metadata()
            .schema()
            .get_fields()
            .to_vec();
        let types: Vec<String> = fields.iter().map(|field| field.get_physical_type().to_string()).collect();
        assert_eq!(types, ["INT64", "BYTE_ARRAY", "DOUBLE"]);
    }

    #[test]
    fn a_row_of_another_length_is_refused() {
        let mut writer = crate::TableWriter::new(Format::Csv, vec![], schema().heads()).unwrap();
        let error = writer.row(&[crate::Cell::Empty, crate::Cell::Empty]).unwrap_err();
        assert_eq!(error.to_string(), "a row of 2 cells in a table of 3 columns");
        let columns = vec![("a".to_owned(), crate::ColumnKind::Integer)];
        let mut writer = crate::ParquetWriter::new(columns, vec![]);
        assert_eq!(writer.line("1,2").unwrap_err().to_string(), "a row of 2 cells in a table of 1 columns");
    }

    #[test]
    fn a_file_whose_rows_are_of_different_lengths_is_no_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "a,b\n1,2\n3\n").unwrap();
        assert!(matches!(Table::read(&path), Err(crate::ReadError::NoTable { .. })));
    }
}

//! The fields of a line of CSV.

use super::TraceProblem;

/// Where a field stands in its line, quotes left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    start: usize,
    end: usize,
}

/// Values longer than this are shown shortened.
const LONGEST_SHOWN: usize = 60;

/// The delimiter of the file whose first line this is: what it has most of.
pub(super) fn delimiter(line: &[u8]) -> u8 {
    let count = |delimiter: u8| line.iter().filter(|&&byte| byte == delimiter).count();
    *[b'\t', b';', b','].iter().max_by_key(|&&delimiter| count(delimiter)).unwrap_or(&b',')
}

/// Cuts `line` into `cells`; in a quoted field delimiters count for nothing and two quotes are one. The error is the
/// column, from 1.
pub(super) fn split(line: &[u8], delimiter: u8, cells: &mut Vec<Cell>) -> Result<(), usize> {
    cells.clear();
    let mut start = 0;
    loop {
        let quoted = line.get(start) == Some(&b'"');
        let (cell, end) = if quoted {
            let close = closing_quote(line, start + 1).ok_or(start + 1)?;
            (Cell { start: start + 1, end: close }, close + 1)
        } else {
            let end =
                line[start..].iter().position(|&byte| byte == delimiter).map_or(line.len(), |at| start + at);
            (Cell { start, end }, end)
        };
        cells.push(cell);
        match line.get(end) {
            None => return Ok(()),
            Some(&byte) if byte == delimiter => start = end + 1,
            Some(_) => return Err(start + 1),
        }
    }
}

fn closing_quote(line: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = from + line.get(from..)?.iter().position(|&byte| byte == b'"')?;
        if line.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        from = quote + 2;
    }
}

impl Cell {
    /// The field without spaces around it, two quotes still two.
    pub(super) fn bytes(self, line: &[u8]) -> &[u8] {
        line[self.start..self.end].trim_ascii()
    }

    /// The field as text.
    pub(super) fn text(self, line: &[u8]) -> String {
        String::from_utf8_lossy(self.bytes(line)).replace("\"\"", "\"")
    }

    /// The field shortened to be shown.
    pub(super) fn shown(self, line: &[u8]) -> String {
        let text = self.text(line);
        match text.char_indices().nth(LONGEST_SHOWN) {
            Some((end, _)) => format!("{} ...", &text[..end]),
            None => text,
        }
    }

    /// The number in the field, if it is one.
    pub(super) fn number(self, line: &[u8]) -> Option<f64> {
        std::str::from_utf8(self.bytes(line)).ok()?.parse::<f64>().ok().filter(|number| number.is_finite())
    }

    /// Whether the field says that nothing is known.
    pub(super) fn is_unknown(self, line: &[u8]) -> bool {
        let unknown: [&[u8]; 6] = [b"", b"-", b"na", b"n/a", b"nan", b"null"];
        unknown.iter().any(|word| self.bytes(line).eq_ignore_ascii_case(word))
    }

    /// Column of the field's first character, from 1.
    pub(super) fn column(self, line: &[u8]) -> usize {
        String::from_utf8_lossy(&line[..self.start]).chars().count() + 1
    }

    /// Columns of the first characters of `cells`, which follow each other in `line`, from 1.
    pub(super) fn columns(cells: &[Self], line: &[u8]) -> Vec<usize> {
        let mut place = (0, 1);
        let column = |cell: &Self| {
            let passed = String::from_utf8_lossy(&line[place.0..cell.start]).chars().count();
            place = (cell.start, place.1 + passed);
            place.1
        };
        cells.iter().map(column).collect()
    }

    /// Column and problem of a field that is no number of requests.
    pub(super) fn no_number(self, line: &[u8], column: &str) -> (usize, TraceProblem) {
        let problem = TraceProblem::Number { column: column.to_owned(), value: self.shown(line) };
        (self.column(line), problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Result<Vec<String>, usize> {
        let mut cells = vec![];
        split(line.as_bytes(), b',', &mut cells)?;
        Ok(cells.iter().map(|cell| cell.text(line.as_bytes())).collect())
    }

    #[test]
    fn quotes() {
        assert_eq!(fields("a, b ,c").unwrap(), ["a", "b", "c"]);
        assert_eq!(fields("\"a,b\",\"say \"\"x\"\"\",").unwrap(), ["a,b", "say \"x\"", ""]);
        assert_eq!(fields("").unwrap(), [""]);
        assert_eq!(fields("a,\"b"), Err(3));
        assert_eq!(fields("a,\"b\"c"), Err(3));
        assert_eq!(fields("\""), Err(1));
        assert_eq!(fields("\"\"\""), Err(1));
    }

    #[test]
    fn the_delimiter_is_what_there_is_most_of() {
        for (line, expected) in [("a", b','), ("a;b", b';'), ("a;b,c,d", b','), ("a\tb", b'\t')] {
            assert_eq!(delimiter(line.as_bytes()), expected, "{line}");
        }
    }
}

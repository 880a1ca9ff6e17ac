//! The numbers of README.md are those of the tables in `results/`.
//!
//! Every sentence with numbers is made anew from the tables and must be in the text, word for word; what is left in the text with
//! a digit in it must be listed as no result.

use alba_table::{Cell, Row, Table};
use std::path::{Path, PathBuf};

mod quotations;

/// Fragments with digits that are no results: what is said of the program, of scenarios, of printed papers' names.
const NO_RESULTS: &[&str] = &[
    "95 % band",
    "95 % interval",
    "probability of 95 %",
    "fewer than 100 events",
    "fewer than about 20 independent requests",
    "and 0 only where",
    "Of its three scenarios",
    "(1000 times",
    "slides along x02 = 0",
    "biases of N = 30 to 1000",
    "among 1120 servers",
    "With 28 servers",
    "80 % load at the peak",
    "*Azure Functions Trace 2019* (Microsoft, CC-BY 4.0)",
    "NASA log of 13 July 1995",
    "Power-of-2",
    "JBT-1",
    "Proposition 1",
    // The table takes a quarter of an hour and is not kept.
    "with 1000 servers it waits about 28 % less (.0017 against .0023 service times)",
    "(lambda = .9)",
    "(beta = .5)",
    "with 100 servers TABS waits less",
    "a minute of 110 % of",
    "Algorithm 2 takes",
    "200 random series",
    "the exit code is 1",
    "MSER-5",
    "Figure 1",
    "2024",
    "Apache-2.0",
];

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// Without blocks of code, code in a line and addresses of links; each run of white space is one space.
fn prose(markdown: &str) -> String {
    let outside = |text: &str, fence: &str| text.split(fence).step_by(2).collect::<Vec<_>>().join(" ");
    let without_code = outside(&outside(markdown, "```"), "`");
    let mut parts = without_code.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push(' ');
        text.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_quotation_is_there() {
    for (name, quotations) in [("README.md", quotations::all()), ("results/README.md", quotations::sweeps())]
    {
        let text = prose(&read(name));
        let missing: Vec<_> =
            quotations.into_iter().filter(|quotation| !text.contains(quotation.as_str())).collect();
        assert!(missing.is_empty(), "{name} does not say, as the tables do:\n{}", missing.join("\n"));
    }
}

#[test]
fn every_number_is_a_quotation() {
    let mut text = prose(&read("README.md"));
    let quotations = quotations::all();
    let known = quotations.iter().map(String::as_str).chain(NO_RESULTS.iter().copied());
    for fragment in known {
        text = text.replace(fragment, " ");
    }
    let left: Vec<_> = text.split(' ').filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect();
    assert!(left.is_empty(), "README.md has numbers that no table is quoted for: {left:?}");
}

/// A table of a results folder.
struct Results {
    path: PathBuf,
    table: Table,
}

impl Results {
    fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(name);
        let table = Table::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, table }
    }

    fn place(&self, column: &str) -> usize {
        let found = self.table.heads().iter().position(|head| head.name == column);
        found.unwrap_or_else(|| panic!("{}: no column {column}", self.path.display()))
    }

    /// Rows whose cells in these columns are these.
    fn rows(&self, keys: &[(&str, &str)]) -> Vec<&Row> {
        let places: Vec<_> = keys.iter().map(|(column, text)| (self.place(column), *text)).collect();
        let is = |row: &Row| places.iter().all(|(place, text)| shown(&row[*place]) == *text);
        self.table.rows().iter().filter(|row| is(row)).collect()
    }

    /// The numbers of a column in these rows; undefined ones are left out.
    fn numbers(&self, keys: &[(&str, &str)], column: &str) -> Vec<f64> {
        let place = self.place(column);
        self.rows(keys).into_iter().filter_map(|row| row[place].number()).collect()
    }

    /// The one number there.
    fn number(&self, keys: &[(&str, &str)], column: &str) -> f64 {
        match self.numbers(keys, column)[..] {
            [number] => number,
            ref others => panic!("{}: {column} of {keys:?}: {others:?}", self.path.display()),
        }
    }

    /// The smallest and the largest number there.
    fn range(&self, keys: &[(&str, &str)], column: &str) -> (f64, f64) {
        range(self.numbers(keys, column))
    }
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Number(number) => number.to_string(),
        Cell::Integer(number) => number.to_string(),
        Cell::Text(text) => text.clone(),
        Cell::Truth(truth) => truth.to_string(),
    }
}

/// The smallest and the largest; there must be some.
fn range(numbers: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers
        .into_iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
    assert!(low <= high, "no numbers");
    (low, high)
}

/// With so many digits behind the point, and none before it where that is 0: `.07`.
fn short(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    match (text.strip_prefix("0."), text.strip_prefix("-0.")) {
        (Some(rest), _) => format!(".{rest}"),
        (_, Some(rest)) => format!("-.{rest}"),
        (None, None) => text,
    }
}

/// A whole number with commas: `42,540`.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[test]
fn numbers_are_written_as_in_the_text() {
    assert_eq!(
        [short(0.0699, 2), short(-0.3, 1), short(7.04, 1), short(12.0, 0)],
        [".07", "-.3", "7.0", "12"]
    );
    assert_eq!([grouped(42_540.2), grouped(999.6), grouped(12.0)], ["42,540", "1,000", "12"]);
    assert_eq!(prose("a `1` [b](c2)\n```\n3\n```\nd  e"), "a [b d e");
}

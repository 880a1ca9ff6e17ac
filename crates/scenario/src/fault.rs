//! What is wrong with a scenario, said so that a person can put it right.

use alba_table::nearest;
use alba_trace::TraceProblem;
use std::fmt;

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Where it was written.
    pub place: Place,
    /// What is wrong.
    pub problem: Problem,
}

/// Where something was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In a file.
    File {
        /// Its path as given.
        file: String,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
    },
    /// On the command line: the option as given.
    Option(String),
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// A key that nobody reads.
    UnknownKey {
        /// The full dotted key.
        key: String,
        /// The keys of its table.
        allowed: Vec<&'static str>,
    },
    /// The text is no TOML.
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// A required key is not there.
    MissingKey {
        /// The full dotted key.
        key: String,
        /// What it would hold.
        allowed: String,
    },
    /// A value that is not allowed.
    Value {
        /// The full dotted key.
        key: String,
        /// The value as written.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// A value that is not one of the allowed names.
    Name {
        /// The full dotted key.
        key: String,
        /// The name given.
        name: String,
        /// The names allowed.
        allowed: &'static [&'static str],
    },
    /// Something in a trace file.
    Trace(TraceProblem),
}

impl Fault {
    /// Unknown keys come first: they explain the missing ones.
    pub fn rank(&self) -> (bool, &Place) {
        (!matches!(self.problem, Problem::UnknownKey { .. }), &self.place)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Self::Option(option) => f.write_str(option),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { key, allowed } => {
                write!(f, "unknown key {key}")?;
                suggest(f, key.rsplit('.').next().unwrap_or(key), allowed)
            }
            Self::Syntax { message } => f.write_str(message),
            Self::Trace(problem) => problem.fmt(f),
            Self::MissingKey { key, allowed } => write!(f, "missing key {key}: {allowed}"),
            Self::Value { key, value, allowed } => write!(f, "{key} = {value} is not allowed: {allowed}"),
            Self::Name { key, name, allowed } => {
                write!(f, "{key} = {name:?} is not allowed")?;
                suggest(f, name, allowed)
            }
        }
    }
}

fn suggest(f: &mut fmt::Formatter<'_>, given: &str, allowed: &[&str]) -> fmt::Result {
    if let Some(name) = nearest(given, allowed) {
        write!(f, " (did you mean {name}?)")?;
    }
    let some = if allowed.len() > 1 { "one of " } else { "" };
    write!(f, ": {some}{}", allowed.join(", "))
}

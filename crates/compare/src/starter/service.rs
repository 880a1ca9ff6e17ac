//! Service times of a trace, and the laws that stand for them.

use super::quoted;
use crate::InputError;
use alba_cluster::Law;
use alba_trace::{Stop, TraceFacts, TraceFormat, TraceProblem};
use std::path::Path;

/// What was measured of service times.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceTimes {
    /// The column.
    pub column: String,
    /// What a number in it counts, in seconds.
    pub unit_s: f64,
    /// How many there are.
    pub count: usize,
    /// Their mean in seconds.
    pub mean_s: f64,
    /// Their squared coefficient of variation: variance over squared mean.
    pub squared_variation: f64,
}

/// Below, times are as good as equal: their standard deviation is below a tenth of their mean.
const EQUAL: f64 = 0.01;
/// So far from 1 an exponential law's squared coefficient of variation may be.
const EXPONENTIAL: f64 = 0.1;

impl ServiceTimes {
    /// Reads `column` of the trace, or the one that its names say; a number there counts `unit_s` seconds, unless nothing
    /// is given: then what its name says, else what times do. None if there is no such column.
    ///
    /// # Errors
    /// [`InputError::Trace`] with the line that is wrong.
    pub fn read(
        facts: &TraceFacts,
        column: Option<&str>,
        unit_s: Option<f64>,
    ) -> Result<Option<Self>, InputError> {
        let found = facts.durations.as_ref();
        let Some(column) = column.or(found.map(|(name, _)| name.as_str())) else { return Ok(None) };
        let path = &facts.path;
        if facts.format != TraceFormat::TimeStamps {
            let problem = TraceProblem::Unused { key: "--duration-column", format: facts.format.name() };
            return Err(wrong(path, problem));
        }
        let by_name = || found.filter(|(name, _)| name == column).map(|(_, unit_s)| *unit_s);
        let unit_s = unit_s.or_else(by_name).or_else(|| alba_trace::duration_unit_s(column)).unwrap_or(1.0);
        let times = alba_trace::durations(path, column).map_err(|stop| stop.of(path))?;
        let count = times.len();
        let law = Law::empirical(times).map_err(|_| {
            let problem = TraceProblem::NoTime { column: column.to_owned() };
            wrong(path, problem)
        })?;
        let (mean_s, squared_variation) = (law.mean() * unit_s, law.squared_variation());
        Ok(Some(Self { column: column.to_owned(), unit_s, count, mean_s, squared_variation }))
    }

    /// What is said of them.
    pub(super) fn note(&self) -> String {
        let Self { column, unit_s, count, mean_s, squared_variation } = self;
        let unit = alba_scenario::unit_named(*unit_s).unwrap_or("s");
        format!(
            "service times: column {column:?} in {unit} (--duration-column, --duration-unit): {count} of them, mean {mean_s:.4} s, \
             squared coefficient of variation {squared_variation:.3}; fitted: {}",
            self.fit().1
        )
    }

    /// The empirical law, as a scenario says it.
    pub(super) fn empirical(&self, path: &str) -> String {
        let unit = alba_scenario::unit_named(self.unit_s).unwrap_or("s");
        let (path, column) = (quoted(path), quoted(&self.column));
        format!("{{ law = \"empirical\", file = {path}, column = {column}, unit = \"{unit}\" }}")
    }

    /// The law that has their mean, 1, and their variation, and why it is this one.
    pub(super) fn fit(&self) -> (String, String) {
        let squared = self.squared_variation;
        if squared < EQUAL {
            let why = format!("deterministic, as their squared coefficient of variation is below {EQUAL}");
            ("\"deterministic\"".to_owned(), why)
        } else if (squared - 1.0).abs() <= EXPONENTIAL {
            let why = format!(
                "exponential, as their squared coefficient of variation is within {EXPONENTIAL} of 1"
            );
            ("\"exponential\"".to_owned(), why)
        } else {
            let why = "log-normal with their mean and their squared coefficient of variation".to_owned();
            (format!("{{ law = \"log-normal\", mean = 1.0, squared_variation = {squared} }}"), why)
        }
    }
}

/// What is wrong with the file as a whole.
fn wrong(path: &Path, problem: TraceProblem) -> InputError {
    Stop::Wrong { line: 1, column: 1, problem }.of(path).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_go_by_the_variation() {
        let fit = |squared_variation| {
            let times =
                ServiceTimes { column: "d".into(), unit_s: 1.0, count: 9, mean_s: 1.0, squared_variation };
            times.fit().0
        };
        assert_eq!(fit(0.0), "\"deterministic\"");
        assert_eq!(fit(0.0099), "\"deterministic\"");
        assert_eq!(fit(0.5), "{ law = \"log-normal\", mean = 1.0, squared_variation = 0.5 }");
        assert_eq!(fit(0.95), "\"exponential\"");
        assert_eq!(fit(4.0), "{ law = \"log-normal\", mean = 1.0, squared_variation = 4 }");
    }
}

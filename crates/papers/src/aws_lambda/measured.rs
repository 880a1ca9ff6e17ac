//! The measured loads.

/// One measured steady state.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
pub(super) struct Measured {
    /// Its number.
    pub(super) experiment: u64,
    pub(super) requests_per_s: f64,
    /// Mean response time of requests that found an idle instance.
    warm_ms: f64,
    /// Of those that did not.
    cold_ms: f64,
    /// Time average.
    pub(super) instances: f64,
    pub(super) cold_start_fraction: f64,
    /// Standard error.
    pub(super) cold_start_fraction_error: f64,
}

impl Measured {
    /// The keys of the scenario that make it this load.
    pub(super) fn overrides(&self) -> Vec<String> {
        let start = self.cold_ms - self.warm_ms;
        vec![
            format!("system.mean_service_time={} ms", self.warm_ms),
            format!("system.arrival_rate={} /s", self.requests_per_s),
            format!("system.initialization_time={start} ms"),
            format!("cluster.initialization.mean={start} ms"),
        ]
    }
}

/// All ten, by load.
///
/// # Source
/// In the table's first lines.
pub(super) fn measured() -> Vec<Measured> {
    let text = include_str!("measured.csv");
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    // Compiled in, and read by a test: a row that cannot be read is not there.
    reader.into_deserialize().filter_map(Result::ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_read() {
        let loads = measured();
        assert_eq!(loads.len(), 10);
        assert!(loads.is_sorted_by_key(|load| load.requests_per_s));
        assert_eq!((loads[0].experiment, loads[9].experiment), (13, 11));
        assert!(loads.iter().all(|load| load.cold_ms > load.warm_ms));
    }
}

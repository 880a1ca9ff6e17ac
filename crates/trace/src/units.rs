//! Units of time.

/// Units of time and their length in seconds.
const UNITS: [(&str, f64); 7] =
    [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86400.0)];

/// The length of a unit of time in seconds: ns, us, ms, s, min, h, d.
pub fn unit_s(unit: &str) -> Option<f64> {
    UNITS.iter().find(|(name, _)| *name == unit).map(|(_, length)| *length)
}

/// The unit of this many seconds.
pub fn unit_named(seconds: f64) -> Option<&'static str> {
    UNITS.iter().find(|(_, length)| *length == seconds).map(|(name, _)| *name)
}

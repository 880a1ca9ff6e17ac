//! What names of columns say. Letters and digits only, in lower case, so that `Start_Time (ms)` is `starttimems`.

use super::Values;

/// Columns that hold times whatever is in them; with a unit at the end they say what a number there counts.
const TIMES: [&str; 19] = [
    "time",
    "times",
    "timestamp",
    "datetime",
    "date",
    "t",
    "ts",
    "epoch",
    "unixtime",
    "start",
    "starttime",
    "starttimestamp",
    "arrival",
    "arrivaltime",
    "arrivaltimestamp",
    "requesttime",
    "invocationtime",
    "submittime",
    "eventtime",
];
/// Columns of times that are called after what they count, in seconds.
const COUNTED_TIMES: [(&str, f64); 8] = [
    ("second", 1.0),
    ("seconds", 1.0),
    ("secondofday", 1.0),
    ("minute", 60.0),
    ("minutes", 60.0),
    ("minuteofday", 60.0),
    ("hour", 3600.0),
    ("hours", 3600.0),
];
/// Ends of names that say a unit, longer ones first, and its length in seconds.
const UNITS: [(&str, f64); 21] = [
    ("milliseconds", 1e-3),
    ("microseconds", 1e-6),
    ("nanoseconds", 1e-9),
    ("millis", 1e-3),
    ("micros", 1e-6),
    ("nanos", 1e-9),
    ("seconds", 1.0),
    ("minutes", 60.0),
    ("hours", 3600.0),
    ("msec", 1e-3),
    ("usec", 1e-6),
    ("nsec", 1e-9),
    ("secs", 1.0),
    ("sec", 1.0),
    ("min", 60.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("ns", 1e-9),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
];
/// Columns of numbers of requests.
const REQUESTS: [&str; 11] = [
    "requests",
    "request",
    "requestcount",
    "reqs",
    "count",
    "counts",
    "invocations",
    "arrivals",
    "hits",
    "calls",
    "numrequests",
];
/// Columns of numbers that may be anything.
const NUMBERS: [&str; 3] = ["total", "sum", "value"];
/// Columns of rates.
const RATES: [(&str, Values); 6] = [
    ("rps", Values::PerSecond),
    ("qps", Values::PerSecond),
    ("tps", Values::PerSecond),
    ("rpm", Values::PerMinute),
    ("qpm", Values::PerMinute),
    ("rph", Values::PerHour),
];
/// What rates are of, before `per second`, `/s` and the like.
const RATED: [&str; 9] =
    ["requests", "request", "reqs", "req", "invocations", "arrivals", "hits", "calls", "queries"];
/// What follows, without the slash.
const PER: [(&str, Values); 12] = [
    ("persecond", Values::PerSecond),
    ("persec", Values::PerSecond),
    ("pers", Values::PerSecond),
    ("s", Values::PerSecond),
    ("sec", Values::PerSecond),
    ("second", Values::PerSecond),
    ("perminute", Values::PerMinute),
    ("permin", Values::PerMinute),
    ("min", Values::PerMinute),
    ("minute", Values::PerMinute),
    ("perhour", Values::PerHour),
    ("hour", Values::PerHour),
];
/// Rates in a unit that the name does not say.
const SOME_RATE: [&str; 6] = ["rate", "requestrate", "arrivalrate", "throughput", "load", "traffic"];
/// Columns of service times, the likeliest first; with a unit at the end they say it.
const DURATIONS: [&str; 6] =
    ["duration", "servicetime", "executiontime", "exectime", "executionduration", "processingtime"];
/// Before the number of a minute.
const MINUTES: [&str; 4] = ["", "minute", "min", "m"];

pub(super) fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What the name of a column of times says of its numbers: seconds that one counts, where it says so.
pub(super) fn time(name: &str) -> Option<Option<f64>> {
    // `t_s` is in seconds, `ts` a time stamp.
    let parts = name.trim_end_matches([')', ']']).rsplit_once(|c: char| !c.is_alphanumeric());
    let apart = parts.and_then(|(head, unit)| {
        let unit = bare(unit);
        let unit_s = UNITS.iter().find(|(known, _)| *known == unit).map(|(_, unit_s)| *unit_s)?;
        TIMES.contains(&bare(head).as_str()).then_some(unit_s)
    });
    if apart.is_some() {
        return Some(apart);
    }
    let name = bare(name);
    let counted = COUNTED_TIMES.iter().find(|(known, _)| *known == name).map(|(_, unit)| Some(*unit));
    counted.or_else(|| with_unit(&name, &TIMES).map(|(_, unit)| unit))
}

/// Which of `known` the name is, with the length of the unit that follows, if one does.
fn with_unit(name: &str, known: &[&str]) -> Option<(usize, Option<f64>)> {
    let find = |name: &str| known.iter().position(|known| *known == name);
    let units = || UNITS.iter().find_map(|(end, s)| Some((find(name.strip_suffix(end)?)?, Some(*s))));
    find(name).map(|index| (index, None)).or_else(units)
}

/// What numbers under a name are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Says {
    /// Numbers of requests, or rates in this unit.
    Values(Values),
    /// Rates, but not per what.
    Rate,
    /// Numbers of something.
    Number,
}

/// What the name of a column says of requests, the clearest first.
pub(super) fn requests(name: &str) -> Option<Says> {
    let slash = name.contains('/');
    let name = bare(name);
    let of = |list: &[&str]| list.contains(&name.as_str());
    if of(&REQUESTS) {
        return Some(Says::Values(Values::Counts));
    }
    let rate = RATES.iter().find(|(known, _)| *known == name).map(|(_, values)| *values);
    let per = |(end, values): &(&str, Values)| {
        let what = name.strip_suffix(end)?;
        ((slash || end.starts_with("per")) && RATED.contains(&what)).then_some(*values)
    };
    let rate = rate.or_else(|| PER.iter().find_map(per)).map(Says::Values);
    let some_rate = || of(&SOME_RATE).then_some(Says::Rate);
    rate.or_else(some_rate).or_else(|| of(&NUMBERS).then_some(Says::Number))
}

/// Whether a word of a file's name is one of numbers of requests, as in `elb_request_count_8c0756.csv`.
pub(super) fn mentions_requests(file: &str) -> bool {
    file.split(|c: char| !c.is_alphanumeric()).any(|word| REQUESTS.contains(&bare(word).as_str()))
}

/// Whether the name is one of service times: how likely, the best first, and the unit that it says, in seconds.
pub(super) fn duration(name: &str) -> Option<(usize, Option<f64>)> {
    let name = bare(name);
    let end = |index: &usize| name.find(DURATIONS[*index]);
    let index = (0..DURATIONS.len()).find(|index| end(index).is_some())?;
    let rest = &name[end(&index)?..];
    with_unit(rest, &DURATIONS)
}

/// The number of the minute that a column is for, and what stands before it.
pub(super) fn minute(name: &str) -> Option<(String, u32)> {
    let digits = digits_of(name);
    let prefix = bare(&name[..name.len() - digits.len()]);
    MINUTES.contains(&prefix.as_str()).then_some(())?;
    Some((prefix, digits.parse().ok()?))
}

/// The digits at the end.
pub(super) fn digits_of(name: &str) -> &str {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit());
    &name[rest.len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (name, expected) in [
            ("TIMESTAMP", Some(None)),
            ("ts", Some(None)),
            ("t_s", Some(Some(1.0))),
            ("time_ms", Some(Some(1e-3))),
            ("Start Time (us)", Some(Some(1e-6))),
            ("minute_of_day", Some(Some(60.0))),
            ("start", Some(None)),
            ("latency", None),
        ] {
            assert_eq!(time(name), expected, "{name}");
        }
    }

    #[test]
    fn numbers_and_rates() {
        use Says::{Number, Rate};
        for (name, expected) in [
            ("Requests", Some(Says::Values(Values::Counts))),
            ("value", Some(Number)),
            ("rps", Some(Says::Values(Values::PerSecond))),
            ("requests/s", Some(Says::Values(Values::PerSecond))),
            ("requests_per_second", Some(Says::Values(Values::PerSecond))),
            ("requests_per_minute", Some(Says::Values(Values::PerMinute))),
            ("requestss", None),
            ("rate", Some(Rate)),
            ("latency", None),
        ] {
            assert_eq!(requests(name), expected, "{name}");
        }
    }

    #[test]
    fn files() {
        for (name, expected) in [
            ("elb_request_count_8c0756.csv", true),
            ("web-Requests.csv.gz", true),
            ("prometheus.csv", false),
            ("requested.csv", false),
        ] {
            assert_eq!(mentions_requests(name), expected, "{name}");
        }
    }

    #[test]
    fn durations_and_minutes() {
        assert_eq!(duration("duration"), Some((0, None)));
        assert_eq!(duration("aws_duration_ms"), Some((0, Some(1e-3))));
        assert_eq!(duration("Service-Time [s]"), Some((1, Some(1.0))));
        assert_eq!(duration("response_s"), None);
        assert_eq!(duration("durational"), None);
        assert_eq!(minute("minute_17"), Some(("minute".to_owned(), 17)));
        assert_eq!(minute("480"), Some((String::new(), 480)));
        assert_eq!(minute("percentile_Average_99"), None);
        assert_eq!(minute("Trigger"), None);
    }
}

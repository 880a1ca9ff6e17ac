//! Files that can be read in more than one way, and what is assumed of them.

use super::*;

fn trace(text: &str, keys: &TraceKeys) -> Trace {
    read_bytes(text.as_bytes(), keys)
        .unwrap_or_else(|error| panic!("{error}: {}", &text[..text.len().min(200)]))
}

fn refusal(text: &str, keys: &TraceKeys) -> String {
    read_bytes(text.as_bytes(), keys).unwrap_err()
}

/// `header`, and a line for each of `rows`.
fn file<T: std::fmt::Display>(header: &str, rows: impl IntoIterator<Item = T>) -> String {
    std::iter::once(header.to_owned())
        .chain(rows.into_iter().map(|row| row.to_string()))
        .map(|l| l + "\n")
        .collect()
}

fn said(trace: &Trace) -> Vec<String> {
    trace.facts.remarks.iter().map(ToString::to_string).collect()
}

#[test]
fn an_interval_that_times_do_not_fill_is_left_out() {
    // An hour at 10 /s, and one request more after .2 s of the next minute.
    let hour = file("t_s", (0..36_000).map(|i| f64::from(i) / 10.0).chain([3600.2]));
    let read = trace(&hour, &keys());
    assert_eq!((read.requests.len(), read.facts.total, read.facts.dispersion), (60, 36_000.0, Some(0.0)));
    let expected =
        "the last interval is left out: the times of requests end 0.3 s into its 60 s (1 requests)";
    assert_eq!(said(&read), [expected]);
    let half = file("t_s", (0..180).map(|i| f64::from(i) / 2.0));
    let expected =
        "the last interval is left out: the times of requests end 30 s into its 60 s (60 requests)";
    assert_eq!(
        (requests(&half, &keys()), said(&trace(&half, &keys()))),
        (vec![120.0], vec![expected.to_owned()])
    );
    // Two minutes to the last half second are two minutes.
    let whole = file("t_s", (0..240).map(|i| f64::from(i) / 2.0));
    assert_eq!((requests(&whole, &keys()), said(&trace(&whole, &keys()))), (vec![120.0, 120.0], vec![]));
    // Whole seconds: the last one lasts until the interval's end.
    let seconds = file("t_s", (0..1200).map(|i| i / 10));
    assert_eq!((requests(&seconds, &keys()), said(&trace(&seconds, &keys()))), (vec![600.0, 600.0], vec![]));
}

#[test]
fn so_is_the_first_one_where_rows_are_in_no_order() {
    let rows = (200..440).chain((180..200).rev()).map(|i| f64::from(i) / 2.0);
    let read = trace(&file("t_s", rows), &keys());
    assert_eq!((read.requests.clone(), read.facts.start.as_deref()), (vec![120.0, 120.0], Some("time 100")));
    let expected =
        "the first interval is left out: the times of requests cover the last 10 s of its 60 s (20 requests)";
    assert_eq!(said(&read), [expected]);
}

#[test]
fn times_that_fill_no_interval_need_a_shorter_one() {
    let short = file("t_s", (0..60).map(|i| f64::from(i) / 2.0));
    let expected = ":1: the times of requests span 30 s, less than an interval of 60 s: choose a shorter interval (key interval, \
                    --interval)";
    assert!(refusal(&short, &keys()).ends_with(expected), "{}", refusal(&short, &keys()));
    assert_eq!(requests(&short, &every(10.0)), [20.0, 20.0, 20.0]);
    // Of a few requests nothing is known.
    assert_eq!(requests("t\n5\n", &keys()), [1.0]);
    assert!(refusal("t\n5\n17\n", &keys()).contains("span 13 s"));
}

#[test]
fn what_is_left_of_rows_is_said() {
    let read = trace("second,requests\n0,1\n1,2\n2,3\n3,4\n4,5\n", &every(2.0));
    let expected = "the last 1 rows are left out: they do not fill an interval of 2 s (5 requests)";
    assert_eq!((read.requests.clone(), said(&read)), (vec![3.0, 7.0], vec![expected.to_owned()]));
}

const THREE: &str = "1998-06-23 22:00,71,136973\n1998-06-23 22:01,77,150011\n1998-06-23 22:02,69,141000\n";

#[test]
fn a_row_a_request_or_a_row_an_interval_must_be_clear() {
    let three = "1:1: is each row a request, or does one of \"2\", \"3\" say how many there were? Add the key format = \
                 \"time-stamps\" (--trace-format time-stamps) or column = \"2\" or \"3\" (--column)";
    assert_eq!(refusal(THREE, &keys()), three);
    assert_eq!(requests(THREE, &column("2")), [71.0, 77.0, 69.0]);
    assert_eq!(requests(THREE, &format(TraceFormat::TimeStamps)), [1.0, 1.0, 1.0]);
    // With names that say nothing: rows that come like a clock's ticks.
    let named = |rows: &str| format!("when,users,bytes\n{rows}");
    let expected = three.replace("\"2\"", "\"users\"").replace("\"3\"", "\"bytes\"");
    assert_eq!(refusal(&named(THREE), &keys()), expected);
    assert_eq!(requests(&named(&THREE.replace("22:02", "22:02:17")), &keys()), [1.0, 1.0, 1.0]);
    // Nothing else is a number.
    assert_eq!(requests(&THREE.replace(",71,", ",GET,").replace(",77,", ",PUT,"), &column("3")).len(), 3);
    assert_eq!(requests("time,path\n1,/a\n2,/b\n", &every(1.0)), [1.0, 1.0]);
    // A first line with a date is no header.
    let mixed = "1998-06-23 22:00,a,71\n1998-06-23 22:01,b,77\n";
    assert_eq!(requests(mixed, &column("3")), [71.0, 77.0]);
}

fn column(name: &str) -> TraceKeys {
    TraceKeys { column: Some(name.into()), ..keys() }
}

fn values(values: Values) -> TraceKeys {
    TraceKeys { values: Some(values), ..keys() }
}

#[test]
fn fractions_are_numbers_or_rates() {
    let series = "ts,value\n0,12.5\n60,7\n120,0.25\n";
    let expected = "2:3: value = \"12.5\" is no whole number: is it the requests of an interval on average, or a rate? Add the key \
                    values = \"counts\" or values = \"rate-per-second\" (--values)";
    assert_eq!(refusal(series, &column("value")), expected);
    assert!(
        refusal(&series.replace("value", "requests"), &keys())
            .starts_with("2:3: requests = \"12.5\" is no whole")
    );
    assert_eq!(requests(series, &values(Values::Counts)), [12.5, 7.0, 0.25]);
    assert_eq!(requests(series, &values(Values::PerSecond)), [750.0, 420.0, 15.0]);
    assert_eq!(requests(series, &values(Values::PerMinute)), [12.5, 7.0, 0.25]);
    assert_eq!(requests(series, &values(Values::PerHour)), [12.5 / 60.0, 7.0 / 60.0, 0.25 / 60.0]);
    let longer = TraceKeys { interval_s: Some(120.0), ..values(Values::PerSecond) };
    assert_eq!(requests(series, &longer), [1170.0]);
    let untimed = TraceKeys { column: Some("x".into()), interval_s: Some(5.0), ..values(Values::PerSecond) };
    assert_eq!(requests("x\n1.5\n2\n", &untimed), [7.5, 10.0]);
}

#[test]
fn names_say_what_numbers_are() {
    for (name, factor) in
        [("rps", 60.0), ("requests/s", 60.0), ("requests_per_minute", 1.0), ("calls per hour", 1.0 / 60.0)]
    {
        let read = trace(&format!("ts,{name}\n0,12\n60,7.5\n"), &keys());
        assert_eq!(read.requests, [12.0 * factor, 7.5 * factor], "{name}");
        assert_eq!(said(&read).len(), 1, "{name}");
        assert_eq!(requests(&format!("ts,{name}\n0,12\n60,7.5\n"), &values(Values::Counts)), [12.0, 7.5]);
    }
    let expected = "column \"value\" is read as numbers of requests per interval, which its name does not say: else add the key \
                    values = \"rate-per-second\" (--values rate-per-second)";
    let whole = "ts,value\n0,12\n60,7\n";
    let counts = TraceKeys { format: Some(TraceFormat::Counts), ..keys() };
    assert_eq!(said(&trace(whole, &column("value"))), [expected]);
    assert_eq!(said(&trace(whole, &counts)), [""; 0]);
    assert_eq!(said(&trace("ts,value\n0,12\n60,7\n", &values(Values::Counts))), [""; 0]);
    assert_eq!(said(&trace("ts,requests\n0,12\n60,7\n", &keys())), [""; 0]);
    let expected = "1:4: column \"rate\" may be requests per interval or a rate: add the key values = \"counts\", \
                    \"rate-per-second\", ... (--values)";
    assert_eq!(refusal("ts,rate\n0,12\n60,7\n", &keys()), expected);
    for name in ["value", "total", "sum"] {
        let (header, expected) =
            (format!("ts,{name}"), expected.replace("rate\" may", &format!("{name}\" may")));
        assert_eq!(refusal(&whole.replace("ts,value", &header), &keys()), expected);
        assert_eq!(refusal(&whole.replace("ts,value", &header).replace(",12", ",12.0"), &keys()), expected);
    }
    assert_eq!(
        refusal("t\n0\n60\n", &values(Values::PerSecond)),
        "1:1: the key values has no meaning in the format time-stamps"
    );
}

#[test]
fn scrapes_come_late() {
    let scraped = "time,requests\n1000.012,5\n1060.000,6\n1120.9,7\n1240.001,8\n";
    let gaps = TraceKeys { gaps: Gaps::Zero, ..every(60.0) };
    let read = trace(scraped, &gaps);
    assert_eq!((read.requests.clone(), read.facts.interval_s), (vec![5.0, 6.0, 7.0, 0.0, 8.0], 60.0));
    let expected =
        "3 rows are not whole intervals of 60 s after the row before, by up to 0.9 s (line 4): rounded";
    assert_eq!(said(&read), [expected]);
    // The shortest time fits its own row; the first that it does not fit is blamed.
    let expected = "4:1: time 1120.9 is not a whole number of intervals (59.988 s) after the first row's time: if times are not \
                    exact add the key interval (--interval); half of the rows are 60.9 s apart or less";
    assert_eq!(refusal(scraped, &keys()), expected);
    let hour: String = file(
        "time,requests",
        (0..60).map(|i| format!("{},1", f64::from(i) * 60.0 + f64::from(i * i % 7) / 1000.0)),
    );
    assert_eq!(requests(&hour, &every(300.0)), [5.0; 12]);
    assert!(
        refusal(&hour, &every(100.0)).contains("is the interval right?"),
        "{}",
        refusal(&hour, &every(100.0))
    );
    // Slow clocks: 60.002 s between rows are a minute, for three weeks.
    let slow = file(
        "time,requests",
        (0..30_000).map(|i| format!("{:.3},1", f64::from(i) * 60.002 + f64::from(i % 2) * 1e-3)),
    );
    assert_eq!(requests(&slow, &every(60.0)), vec![1.0; 30_000]);
    // Two rows whose only distance is not exact.
    assert_eq!(requests("time,requests\n0,1\n59.99,2\n", &every(60.0)), [1.0, 2.0]);
}

#[test]
fn numbers_that_are_not_exact_are_refused() {
    let many =
        "is not allowed: at most 9007199254740991 (2^53 - 1) requests in all, more are not counted exactly";
    for (text, expected) in [
        (
            "second,requests\n0,1\n1,9007199254740993\n",
            format!("3:3: requests = \"9007199254740993\" {many}"),
        ),
        ("second,requests\n0,1e308\n1,1e308\n2,1e308\n", format!("2:3: requests = \"1e308\" {many}")),
        (
            "second,requests\n0,9007199254740991\n1,1\n",
            format!("3:1: a total of 9.007199254740992e15 requests {many}"),
        ),
        ("HashFunction,1,2\nf,9007199254740991,1\ng,1,1\n", format!("3:3: the sum of column \"1\" {many}")),
    ] {
        assert_eq!(refusal(text, &keys()), expected);
    }
    assert_eq!(requests("second,requests\n0,9007199254740990\n1,1\n", &keys()), [9007199254740990.0, 1.0]);
    let rate = TraceKeys { interval_s: Some(60.0), ..values(Values::PerSecond) };
    assert!(refusal("requests\n9e15\n", &rate).contains(many));
}

#[test]
fn epochs_in_milliseconds_are_found_out() {
    for (factor, unit) in [(1i64, "ms"), (1000, "us"), (1_000_000, "ns")] {
        let stamps = file("timestamp", (0..120i64).map(|i| (1_700_158_546_123 + 500 * i) * factor));
        let read = trace(&stamps, &every(20.0));
        assert_eq!(read.requests, [40.0, 40.0, 40.0], "{unit}");
        let expected = format!(
            "column \"timestamp\" is read in {unit} since 1970, as its numbers are too large for seconds (key time_unit, --time-unit \
             {unit})"
        );
        assert_eq!(said(&read), [expected]);
    }
    assert_eq!(requests("ts,requests\n1700158540000,5\n1700158600000,7\n", &keys()), [5.0, 7.0]);
    let message = refusal("t_s\n1700158546680\n", &keys());
    assert!(
        message.ends_with("; if it counts ms since 1970: the key time_unit = \"ms\" (--time-unit ms)"),
        "{message}"
    );
    let milliseconds = TraceKeys { time_unit_s: Some(1e-3), ..keys() };
    assert_eq!(requests("t_s\n1700158546680\n", &milliseconds), [1.0]);
}

#[test]
fn minutes_have_many_names() {
    for prefix in ["minute_", "Minute ", "min", "m", ""] {
        let minutes: Vec<String> = (1..=1440).map(|minute| format!("{prefix}{minute}")).collect();
        let header = format!("HashOwner,HashApp,HashFunction,Trigger,{}", minutes.join(","));
        let row = |name: &str| format!("o,a,{name},http,{}", vec!["2"; 1440].join(","));
        let text = file(&header, [row("f"), row("g")]);
        let read = trace(&text, &keys());
        assert_eq!((read.requests.len(), read.facts.total), (1440, 5760.0), "{prefix}");
        assert_eq!(read.facts.start.as_deref(), Some("minute 1"));
        let broken = text.replacen(&format!(",{prefix}7,"), &format!(",{prefix}8,"), 1);
        let expected = format!("column \"{prefix}8\" follows \"{prefix}6\": minutes must follow each other");
        assert!(refusal(&broken, &keys()).contains(&expected), "{}", refusal(&broken, &keys()));
    }
}

#[test]
fn rows_for_one_interval_are_added_up_if_asked() {
    let sum = TraceKeys { duplicates: Duplicates::Sum, ..keys() };
    let text = "minute,requests\n1,2\n2,3\n1,4\n2,\n3,1\n";
    let read = trace(text, &sum);
    assert_eq!(read.requests, [6.0, 3.0, 1.0]);
    let expected = "2 rows (the first: line 4) are for the same interval as another row: added up (duplicates = \"sum\")";
    assert_eq!(said(&read), [expected]);
    // The clock was set back.
    let autumn =
        "time,requests\n2024-10-27 02:00,1\n2024-10-27 02:30,2\n2024-10-27 02:00,3\n2024-10-27 02:30,4\n";
    let message = refusal(autumn, &keys());
    assert!(
        message.starts_with("4:1: a second row for 2024-10-27 02:00:00; the first is line 2: "),
        "{message}"
    );
    assert!(
        message.contains("(--duplicates sum)") && message.contains("write times with their zone"),
        "{message}"
    );
    // Two servers, scraped one shortly after the other.
    let two = "time,requests\n0,1\n0.25,10\n60,2\n60.3,20\n120,3\n120.2,30\n";
    let jitter = TraceKeys { interval_s: Some(60.0), ..sum };
    assert_eq!(requests(two, &jitter), [11.0, 22.0, 33.0]);
}

fn times_of(text: &str, keys: &TraceKeys) -> Result<durations::Times, Stop> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    std::fs::write(&path, text).unwrap();
    times(&path, keys)
}

#[test]
fn equal_stamps_tell_how_coarse_they_are() {
    let resolution = |rows: &mut dyn Iterator<Item = String>| {
        let times = times_of(&file("time", rows), &keys()).unwrap();
        times.spread_s(Stamps::Spread)
    };
    // Thousands of requests in an hour, at times that are no multiple of anything.
    let mixed = |z: u64| (z ^ (z >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let at = |i: u64| mixed(mixed(mixed(i + 1))) % 3_600_000_000_000;
    for (unit, places) in [(1_000_000_000, 0), (100_000_000, 1), (10_000_000, 2)] {
        let mut rows = (0..6_000).map(|i| format!("{:.1$}", (at(i) / unit * unit) as f64 / 1e9, places));
        assert_eq!(resolution(&mut rows), Some(unit as f64 / 1e9));
    }
    let mut minutes = (0..2000).map(|i| format!("{}", at(i) / 60_000_000_000 * 60));
    assert_eq!(resolution(&mut minutes), Some(60.0));
    let mut quarters = (0..2000).map(|i| format!("{}", at(i) / 15_000_000_000 * 15));
    assert_eq!(resolution(&mut quarters), Some(15.0));
    // As many digits as there are, though they say nothing.
    let mut padded = (0..2000).map(|i| format!("{}.000000", at(i) / 1_000_000_000));
    assert_eq!(resolution(&mut padded), Some(1.0));
    // One tie in two thousand is chance.
    let mut chance = (0..2000).map(|i| i.to_string()).chain(["7".to_owned()]);
    assert_eq!(resolution(&mut chance), None);
    // All distinct.
    let mut distinct = (0..3600).map(|i| i.to_string());
    assert_eq!(resolution(&mut distinct), None);
    // Few stamps are as coarse as they are written.
    let mut few = [0.0, 100.0, 100.0, 200.0].iter().map(|t| format!("{t:.2}"));
    assert_eq!(resolution(&mut few), Some(0.01));
}

#[test]
fn equal_stamps_are_kept_or_refused_if_asked() {
    let text = "time\n0\n1\n3\n1\n7\n";
    let with = |stamps| times_of(text, &TraceKeys { stamps, ..every(1.0) });
    assert_eq!(with(Stamps::Keep).unwrap().spread_s(Stamps::Keep), None);
    assert_eq!(with(Stamps::Spread).unwrap().ns, [0, 1, 1, 3, 7].map(|s| s * SECOND));
    match with(Stamps::Error) {
        Err(Stop::Wrong { line: 5, problem: TraceProblem::EqualStamps { stamp }, .. }) => {
            assert_eq!(stamp, "time 1");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn intervals_are_not_shorter_than_stamps_are_exact() {
    let seconds = file("time", (0..1000).map(|i| i / 10));
    let expected = "the times of requests are whole multiples of 1 s, and many are equal: an interval of 0.1 s is not allowed";
    assert!(refusal(&seconds, &every(0.1)).contains(expected), "{}", refusal(&seconds, &every(0.1)));
    assert!(refusal(&seconds, &every(1.5)).contains("an interval of 1.5 s is not allowed"));
    assert_eq!(requests(&seconds, &every(2.0)), [20.0; 50]);
    let keep = TraceKeys { stamps: Stamps::Keep, ..every(0.5) };
    assert_eq!(requests(&seconds, &keep)[..3], [10.0, 0.0, 10.0]);
    // Distinct stamps are what they are.
    assert_eq!(requests(&file("time", (0..100).map(|i| 7 * i)), &every(10.0))[..4], [2.0, 1.0, 2.0, 1.0]);
}

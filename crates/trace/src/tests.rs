use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write;

mod readings;

fn keys() -> TraceKeys {
    TraceKeys::default()
}

fn read_bytes(bytes: &[u8], keys: &TraceKeys) -> Result<Trace, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    std::fs::write(&path, bytes).unwrap();
    let place = format!("{}:", path.display());
    Trace::read(&path, keys).map_err(|error| error.to_string().replace(&place, ""))
}

fn requests(text: &str, keys: &TraceKeys) -> Vec<f64> {
    read_bytes(text.as_bytes(), keys).unwrap().requests
}

fn format(format: TraceFormat) -> TraceKeys {
    TraceKeys { format: Some(format), ..keys() }
}

fn every(seconds: f64) -> TraceKeys {
    TraceKeys { interval_s: Some(seconds), ..keys() }
}

const MINUTES: &str = "minute,requests\n2024-05-31T08:00Z,5\n2024-05-31T08:01Z,7\n2024-05-31T08:02Z,0\n";

#[test]
fn counts_of_every_make() {
    let expected = [5.0, 7.0, 0.0];
    for text in [
        MINUTES.to_owned(),
        format!("\u{feff}{MINUTES}"),
        MINUTES.replace('\n', "\r\n"),
        MINUTES.replace('\n', "\r"),
        MINUTES.replace(',', ";"),
        MINUTES.replace(',', "\t"),
        MINUTES.trim_end().to_owned(),
        format!("# credit\n\n# more\n{MINUTES}\n\n"),
        MINUTES.replace("requests", "\"requests\"").replace(",7", ",\"7\""),
        "minute,requests\n2024-05-31T08:02Z,0\n2024-05-31T08:00Z,5\n2024-05-31T08:01Z,7\n".to_owned(),
        "t_s,count\n60,5\n120,7.0\n180,0e0\n".to_owned(),
        "when,total\n2024-05-31T10:00+02:00,5\n2024-05-31T08:01Z,7\n2024-05-31T08:02,0\n".to_owned(),
        "name,minute,requests\n\"a, b\",1,5\nc,2,7\nd,3,0\n".to_owned(),
    ] {
        let trace = read_bytes(text.as_bytes(), &keys()).unwrap();
        assert_eq!(trace.requests, expected, "{text}");
        assert_eq!((trace.facts.interval_s, trace.facts.format), (60.0, TraceFormat::Counts), "{text}");
    }
}

/// Every format is found out, and read as itself where it is named.
#[test]
fn every_format_is_known() {
    for &expected in TraceFormat::ALL {
        let text = match expected {
            TraceFormat::Counts => MINUTES,
            TraceFormat::TimeStamps => "start,duration_ms\n2024-05-31T08:00:00Z,5\n2024-05-31T08:02:59Z,5\n",
            TraceFormat::AzureFunctions => "HashFunction,1,2\nf,3,4\n",
            TraceFormat::AccessLog => {
                "h - - [17/May/2015:10:05:03 +0000] \"\" 200 1\nh - - [17/May/2015:10:07:02 +0000] \"\" 200 1\n"
            }
        };
        for keys in [TraceKeys::default(), format(expected)] {
            let trace = read_bytes(text.as_bytes(), &TraceKeys { interval_s: Some(60.0), ..keys }).unwrap();
            assert_eq!(trace.facts.format, expected);
        }
    }
}

#[test]
fn counts_without_times_need_an_interval() {
    assert_eq!(requests("requests\n1\n2\n", &every(5.0)), [1.0, 2.0]);
    assert_eq!(
        requests("a,b\n1,10\n2,20\n", &TraceKeys { column: Some("b".into()), ..every(5.0) }),
        [10.0, 20.0]
    );
    let no_header = TraceKeys { column: Some("2".into()), ..keys() };
    assert_eq!(requests("2024-05-31 08:00:00,5\n2024-05-31 08:01:00,7\n", &no_header), [5.0, 7.0]);
    assert_eq!(requests("1\n2\n", &TraceKeys { column: Some("1".into()), ..every(5.0) }), [1.0, 2.0]);
}

#[test]
fn a_longer_interval_adds_up_and_leaves_out_what_does_not_fill_one() {
    let text = "second,requests\n0,1\n1,2\n2,3\n3,4\n4,5\n";
    assert_eq!(requests(text, &every(2.0)), [3.0, 7.0]);
    assert_eq!(requests(text, &every(5.0)), [15.0]);
}

#[test]
fn gaps_are_filled_as_asked() {
    let text = "second,requests\n0,1\n1,\n4,7\n5,na\n";
    let filled = |gaps| read_bytes(text.as_bytes(), &TraceKeys { gaps, ..keys() }).unwrap();
    assert_eq!(filled(Gaps::Zero).requests, [1.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
    assert_eq!(filled(Gaps::Interpolate).requests, [1.0, 2.5, 4.0, 5.5, 7.0, 7.0]);
    assert_eq!(filled(Gaps::Zero).facts.gaps, 4);
    let late = "second,requests\n0,-\n1,3\n";
    let keys = TraceKeys { gaps: Gaps::Interpolate, ..keys() };
    assert_eq!(requests(late, &keys), [3.0, 3.0]);
}

#[test]
fn time_stamps_are_binned_in_any_order() {
    let text = "TIMESTAMP,Tokens\n2023-11-16 18:15:46.6805900,374\n2023-11-16 18:16:46.6805899,1\n\
                2023-11-16 18:14:46.6805900,9\n2023-11-16 18:18:46.6805900,9\n2023-11-16 18:15:46.6805900,3\n";
    let trace = read_bytes(text.as_bytes(), &format(TraceFormat::TimeStamps)).unwrap();
    assert_eq!(trace.requests, [1.0, 3.0, 0.0, 0.0, 1.0]);
    assert_eq!(trace.facts.start.as_deref(), Some("2023-11-16 18:14:46.680590000"));
    assert_eq!(requests("id,t,x\n7,1,1\n8,2,2\n", &every(1.0)), [1.0, 1.0]);
    assert_eq!(requests("t\n1\n2\n2\n-1\n", &every(1.0)), [1.0, 0.0, 1.0, 2.0]);
    let milliseconds = TraceKeys { time_unit_s: Some(1e-3), ..every(1.0) };
    assert_eq!(requests("t\n0\n999\n1000\n", &milliseconds), [2.0, 1.0]);
    assert_eq!(requests("time_ms\n0\n999\n1000\n", &every(1.0)), [2.0, 1.0]);
}

const FUNCTIONS: &str =
    "HashOwner,HashApp,HashFunction,Trigger,480,481,482\no,a,f1,http,1,2,3\no,a,f2,timer,10,0,30\n";

#[test]
fn functions_are_added_up() {
    let trace = read_bytes(FUNCTIONS.as_bytes(), &keys()).unwrap();
    assert_eq!((trace.requests, trace.facts.format), (vec![11.0, 2.0, 33.0], TraceFormat::AzureFunctions));
    let one = |name: &str| TraceKeys { functions: vec![name.into()], ..keys() };
    assert_eq!(requests(FUNCTIONS, &one("f2")), [10.0, 0.0, 30.0]);
    assert_eq!(requests(FUNCTIONS, &one("f")), [11.0, 2.0, 33.0]);
    assert_eq!(requests(FUNCTIONS, &every(120.0)), [13.0]);
}

#[test]
fn access_logs() {
    let line = |time: &str| format!("10.0.0.1 - - [17/May/2015:{time} +0000] \"GET /[x] HTTP/1.1\" 200 5\n");
    let text = [line("10:05:03"), line("10:06:03"), line("10:05:59"), line("10:04:59")].concat();
    let trace = read_bytes(text.as_bytes(), &keys()).unwrap();
    assert_eq!((trace.requests, trace.facts.format), (vec![1.0, 2.0, 1.0], TraceFormat::AccessLog));
}

#[test]
fn packed_files_are_unpacked() {
    let pack = |text: &str| {
        let mut encoder = GzEncoder::new(vec![], Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let (head, tail) = MINUTES.split_at(30);
    let packed = [pack(head), pack(tail)].concat();
    let trace = read_bytes(&packed, &keys()).unwrap();
    assert_eq!((trace.requests, trace.facts.bytes), (vec![5.0, 7.0, 0.0], packed.len() as u64));
    let cut = read_bytes(&packed[..packed.len() - 5], &keys()).unwrap_err();
    assert!(cut.starts_with("cannot read "), "{cut}");
}

#[test]
fn the_checksum_is_that_of_crc32() {
    let trace = read_bytes(b"t\n1\n", &keys()).unwrap();
    assert_eq!((trace.facts.bytes, trace.facts.crc32), (4, CRC_OF_T_1));
}

/// Python: `zlib.crc32(b"t\n1\n")`.
const CRC_OF_T_1: u32 = 0xee0683ad;

#[test]
fn dispersion_by_hand() {
    assert_eq!(dispersion(&[4.0, 12.0, 4.0]), Some(4.0)); // 8^2 / 16, twice
    assert_eq!(dispersion(&[5.0, 5.0, 0.0, 0.0]), Some(2.5)); // 0 and 5, no pair of zeros
    assert_eq!(dispersion(&[0.0, 0.0]), None);
    assert_eq!(dispersion(&[1.0]), None);
}

/// A bad file: what is in it, how it is read, and what is said after the file's name.
fn bad_traces() -> Vec<(String, TraceKeys, &'static str)> {
    let text = |text: &str, expected| (text.to_owned(), keys(), expected);
    let with = |text: &str, keys, expected| (text.to_owned(), keys, expected);
    let column = |name: &str| TraceKeys { column: Some(name.into()), ..keys() };
    let stamp = "is not allowed: a time as in 2024-05-31T08:00:00Z (1850 to 2090), or a number of seconds, like the first one";
    let stamp = |field: &str| -> &'static str { format!("{field} {stamp}").leak() };
    vec![
        text("", "1:1: the file is empty"),
        text("\n \n\r\n", "3:1: the file is empty"),
        text("# only\n# comments\n", "2:1: the file is empty"),
        text("\u{feff}", "1:1: the file is empty"),
        text("minute,requests\n", "1:1: there is no row below the header"),
        text("minute,requests", "1:1: there is no row below the header"),
        text("minute,requests\n1,-\n2,\n", "1:1: no row says how many requests there were"),
        text("{\"a\": 1}", "1:1: the file is JSON: a trace is CSV or an access log"),
        text("[1, 2]", "1:1: the file is JSON: a trace is CSV or an access log"),
        text("minute,requests\n1,2\n2,x\n", "3:3: requests = \"x\" is not allowed: a finite number >= 0"),
        text("minute,requests\n1,2\n2,-3\n", "3:3: requests = \"-3\" is not allowed: a finite number >= 0"),
        text("minute,requests\n1,2\n2,inf\n", "3:3: requests = \"inf\" is not allowed: a finite number >= 0"),
        text(
            "minute,requests\n1,2\n2,\"1,5\"\n",
            "3:4: requests = \"1,5\" is not allowed: a finite number >= 0",
        ),
        text("minute,requests\n1,2\n2\n", "3:1: 1 fields, but the first line has 2"),
        text("minute,requests\n1,2\n2,3,4\n", "3:1: 3 fields, but the first line has 2"),
        text("minute,requests\n1,2\n\n2,3,4\n", "4:1: 3 fields, but the first line has 2"),
        text(
            "minute,requests\n1,\"2\n2,3\n",
            "2:3: a quoted field does not end where its line or the next delimiter says",
        ),
        text(
            "minute,\"requests\n1,2\n",
            "1:8: a quoted field does not end where its line or the next delimiter says",
        ),
        text("minute,requests\n1,2\nyesterday,3\n", stamp("3:1: minute = \"yesterday\"")),
        text("minute,requests\nyesterday,3\n", stamp("2:1: minute = \"yesterday\"")),
        text("minute,requests\n2024-05-31T08:00,2\n5,3\n", stamp("3:1: minute = \"5\"")),
        text(
            "minute,requests\n2024-05-31T08:00,2\n2024-02-30T08:00,3\n",
            stamp("3:1: minute = \"2024-02-30T08:00\""),
        ),
        text(
            "minute,requests\n1,2\n2,3\n1,4\n",
            "4:1: a second row for time 1; the first is line 2: if they are parts of one number add the key duplicates = \"sum\" (--duplicates sum); if clocks were set back write times with their zone",
        ),
        text(
            "time,requests\n2024-05-31T08:00,1\n2024-05-31T08:01,1\n2024-05-31T10:00+02:00,1\n",
            "4:1: a second row for 2024-05-31 08:00:00; the first is line 2: if they are parts of one number add the key duplicates = \"sum\" (--duplicates sum); if clocks were set back write times with their zone",
        ),
        text(
            "time,requests\n0,1\n60,1\n90,1\n135,1\n",
            "5:1: time 135 is not a whole number of intervals (30 s) after the first row's time: if times are not exact add the key interval (--interval); half of the rows are 45 s apart or less",
        ),
        text(
            "time,requests\n2024-05-31T08:00,1\n2024-05-31T08:01,1\n2024-05-31T08:04,1\n",
            "4:1: no requests are given for 2024-05-31 08:02:00 and 1 more intervals: add the key gaps = \"zero\" or gaps = \"interpolate\" (--gaps)",
        ),
        text(
            "time,requests\n0,1\n1,\n2,2\n",
            "3:1: no requests are given for time 1: add the key gaps = \"zero\" or gaps = \"interpolate\" (--gaps)",
        ),
        with(
            "requests\n5\nna\n",
            every(1.0),
            "3:1: no requests are given for interval 2: add the key gaps = \"zero\" or gaps = \"interpolate\" (--gaps)",
        ),
        text(
            "requests\n5\n",
            "2:1: nothing says how long an interval is: add the key interval, as in \"1 min\"",
        ),
        text(
            "minute,requests\n1,2\n",
            "2:1: nothing says how long an interval is: add the key interval, as in \"1 min\"",
        ),
        with(
            MINUTES,
            every(90.0),
            "4:1: interval = 90 s is not allowed: a whole number of times the file's interval, 60 s, up to its length, 180 s",
        ),
        with(
            MINUTES,
            every(240.0),
            "4:1: interval = 240 s is not allowed: a whole number of times the file's interval, 60 s, up to its length, 180 s",
        ),
        with(
            MINUTES,
            column("request"),
            "1:1: there is no column \"request\" (did you mean requests?): one of \"minute\", \"requests\"",
        ),
        with(
            MINUTES,
            TraceKeys { time_column: Some("when".into()), ..keys() },
            "1:1: there is no column \"when\": one of \"minute\", \"requests\"",
        ),
        with(
            MINUTES,
            format(TraceFormat::AzureFunctions),
            "1:1: there is no column \"HashFunction\": one of \"minute\", \"requests\"",
        ),
        with(
            MINUTES,
            format(TraceFormat::AccessLog),
            "1:1: no time as in [17/May/2015:10:05:03 +0000]: this is no line of an access log",
        ),
        text(
            "timestamp,latency\n1,2\n3,4\n",
            "1:1: is each row a request, or does \"latency\" say how many there were? Add the key format = \"time-stamps\" (--trace-format time-stamps) or column = \"latency\" (--column)",
        ),
        text(
            "rho,d\n0.5,2\n0.6,3\n",
            "1:1: neither requests nor times are recognised: name them with the keys column and time_column; the columns are \"rho\", \"d\"",
        ),
        text(
            "some text\nmore\n",
            "1:1: neither requests nor times are recognised: name them with the keys column and time_column; the columns are \"some text\"",
        ),
        with(
            "a,b\n1,2\n",
            format(TraceFormat::TimeStamps),
            "1:1: neither requests nor times are recognised: name them with the keys column and time_column; the columns are \"a\", \"b\"",
        ),
        text(
            "HashOwner,HashFunction,Average\no,f,1\n",
            "1:1: a row a function, but no column a minute: this is the file of durations or memory, not the one of invocations",
        ),
        with(
            MINUTES,
            TraceKeys { functions: vec!["f".into()], ..keys() },
            "1:1: the key functions has no meaning in the format counts",
        ),
        with(FUNCTIONS, column("480"), "1:1: the key column has no meaning in the format azure-functions"),
        text(
            &FUNCTIONS.replace(",482", ",483"),
            "1:48: column \"483\" follows \"481\": minutes must follow each other, from the first one to the last column",
        ),
        text(
            &FUNCTIONS.replace(",482", ",x"),
            "1:48: column \"x\" follows \"481\": minutes must follow each other, from the first one to the last column",
        ),
        text(&FUNCTIONS.replace(",3\n", ",\n"), "2:17: 482 = \"\" is not allowed: a finite number >= 0"),
        with(
            FUNCTIONS,
            TraceKeys { functions: vec!["f1".into(), "g".into()], ..keys() },
            "1:1: there is no function whose hash begins with \"g\"",
        ),
        text(
            "t\n0\n1e9\n",
            "3:1: the trace has more than 10000000 intervals of 60 s: is this time right, and its unit (key time_unit)? Or choose a longer interval",
        ),
        text(
            "t,requests\n0,1\n1,1\n1e9,1\n",
            "4:1: the trace has more than 10000000 intervals of 1 s: is this time right, and its unit (key time_unit)? Or choose a longer interval",
        ),
        text("t\n0\n1e300\n", stamp("3:1: t = \"1e300\"")),
        text("t\n0\nnan\n", stamp("3:1: t = \"nan\"")),
        text(
            "10.0.0.1 - - [17/May/2015:10:05:03 +0000] \"GET\" 1 2\nnonsense\n",
            "2:1: no time as in [17/May/2015:10:05:03 +0000]: this is no line of an access log",
        ),
        text(&"x".repeat(2_000_000), "1:1: the line is longer than 1048576 bytes: this is no trace"),
        text(
            &"\n".repeat(1_000_001),
            "1000001:1: more than 1000000 empty lines follow each other: this is no trace",
        ),
    ]
}

#[test]
fn bad_traces_are_refused_with_what_is_wrong_and_where() {
    for (text, keys, expected) in bad_traces() {
        let message = read_bytes(text.as_bytes(), &keys).unwrap_err();
        assert_eq!(message, expected, "{}", &text[..text.len().min(200)]);
    }
    let utf16: Vec<u8> = "\u{feff}t\n1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_bytes(&utf16, &keys()).unwrap_err(), "1:1: the file is UTF-16: save it as UTF-8");
}

fn any_keys() -> impl Strategy<Value = TraceKeys> {
    let name =
        || prop::option::of(prop::sample::select(vec!["requests", "minute", "1", "t", "HashFunction"]));
    let format = prop::option::of(prop::sample::select(TraceFormat::ALL.to_vec()));
    let seconds = || prop::option::of(prop::sample::select(vec![1e-9, 0.5, 1.0, 60.0, 3e9]));
    let gaps = prop::sample::select(Gaps::ALL.to_vec());
    let values = prop::option::of(prop::sample::select(Values::ALL.to_vec()));
    let ways = (prop::sample::select(Duplicates::ALL.to_vec()), prop::sample::select(Stamps::ALL.to_vec()));
    (format, name(), name(), seconds(), seconds(), gaps, values, ways).prop_map(
        |(format, column, time_column, time_unit_s, interval_s, gaps, values, (duplicates, stamps))| {
            TraceKeys {
                format,
                column: column.map(str::to_owned),
                time_column: time_column.map(str::to_owned),
                time_unit_s,
                interval_s,
                values,
                gaps,
                duplicates,
                stamps,
                functions: vec![],
            }
        },
    )
}

fn seeds() -> Vec<Vec<u8>> {
    let log = "10.0.0.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5\n".repeat(3);
    let stamps = "TIMESTAMP,Tokens\n2023-11-16 18:15:46.6805900,374\n2023-11-16 18:16:46.68,1\n".to_owned();
    [MINUTES.to_owned(), FUNCTIONS.to_owned(), log, stamps, "t_s\n0\n1.5\n".to_owned()]
        .map(String::into_bytes)
        .into()
}

/// Whatever it is, it is read or refused with a place, and what is read makes sense.
fn survives(bytes: &[u8], keys: &TraceKeys) -> Result<(), TestCaseError> {
    match read_bytes(bytes, keys) {
        Ok(trace) => {
            prop_assert!(!trace.requests.is_empty() && trace.requests.len() <= MOST_INTERVALS);
            prop_assert!(trace.requests.iter().all(|count| *count >= 0.0));
            prop_assert!(trace.facts.interval_s > 0.0);
        }
        Err(message) => prop_assert!(!message.is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), keys in any_keys()) {
        survives(&bytes, &keys)?;
    }

    #[test]
    fn no_change_of_a_good_file_makes_it_panic(
        seed in prop::sample::select(seeds()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, "[0-9a-z,;\"\\[\\]:/+ \r\n.#-]{0,12}"), 1..5),
        keys in any_keys(),
    ) {
        let mut bytes = seed;
        for (at, length, patch) in edits {
            let start = at.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, patch.into_bytes());
        }
        survives(&bytes, &keys)?;
    }
}

/// More with ALBA_FUZZ_CASES=100000.
fn cases() -> u32 {
    std::env::var("ALBA_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500)
}

//! Requests one by one: replayed at their times, and what `alba new` makes of them.

use super::{column, numbers, real};
use crate::command_line::{alba, folder, printed, refused};
use std::fmt::Write;
use std::fs;
use tempfile::TempDir;

/// What the command says and prints.
fn said(folder: &TempDir, arguments: &[&str]) -> (String, String) {
    let output = alba(folder, arguments).assert().success().get_output().clone();
    (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// One server that is always warm, 50 ms for each request, and requests when `stamps.csv` says.
const ONE_SERVER: &str = "name = \"one\"
[system]
mean_service_time = \"50 ms\"
servers = 1
arrival_rate = { trace = \"stamps.csv\" }
initialization_rate = 1
expiration_rate = 0
scaling_rate = 0
[scheme]
dispatch = { rule = \"join-idle-queue\" }
scaling = { rule = \"none\" }
[initial]
warm = [1.0]
[run]
samples = 1
replications = 10
[cluster]
arrivals = \"recorded\"
service = \"deterministic\"
scaling = \"none\"
expiration = \"never\"
";

/// Times of an hour of Poisson arrivals at 10 /s: gaps by inversion of a linear congruential sequence (Knuth's MMIX).
fn poisson() -> Vec<f64> {
    let (mut state, mut time, mut times) = (1u64, 0.0, vec![]);
    while time < 3600.0 {
        times.push(time);
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let uniform = (state >> 11) as f64 / (1u64 << 53) as f64;
        time -= (1.0 - uniform).ln() / 10.0;
    }
    times
}

/// A folder with the scenario and `times`, `places` after the point.
fn cut(times: &[f64], unit: f64, places: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut text = "time\n".to_owned();
    for time in times {
        writeln!(text, "{:.places$}", (time / unit).floor() * unit).unwrap();
    }
    fs::write(folder.path().join("stamps.csv"), text).unwrap();
    fs::write(folder.path().join("one.toml"), ONE_SERVER).unwrap();
    folder
}

fn wait_ms(table: &str) -> f64 {
    50.0 * numbers(table, "mean_waiting_time")[0]
}

/// M/D/1 at load .5 waits 25 ms. This hour waits 24.7 ms; cut to seconds and spread again, each replication is an hour with
/// the same numbers of requests in every second: their scatter is within 2 ms of the mean over ten of them.
#[test]
fn whole_seconds_are_no_times() {
    let times = poisson();
    let exact = cut(&times, 1e-6, 6);
    let (message, table) = said(&exact, &["cluster", "one.toml", "--quiet"]);
    let expected = wait_ms(&table);
    assert!((expected - 25.0).abs() < 2.5, "{expected}");
    assert!(!message.contains("stamp"), "{message}");
    for (unit, places, resolution) in
        [(1.0, 0, "1 s"), (1.0, 3, "1 s"), (0.1, 1, "0.1 s"), (0.01, 2, "0.01 s")]
    {
        let folder = cut(&times, unit, places);
        let (message, table) = said(&folder, &["cluster", "one.toml", "--quiet"]);
        let wait = wait_ms(&table);
        println!("cut to {resolution}: {wait:.2} ms, exact: {expected:.2} ms");
        assert!((wait - expected).abs() < 2.0, "{resolution}: {wait} {expected}");
        let note = format!("each request comes at random within {resolution} after its stamp");
        assert!(message.contains("stamps.csv: ") && message.contains(&note), "{message}");
        // The same seed, the same bytes, on any number of threads.
        let (_, again) = said(&folder, &["cluster", "one.toml", "--quiet", "--threads", "1"]);
        assert_eq!(again, table);
    }
    let seconds = cut(&times, 1.0, 0);
    let keep = ["cluster", "one.toml", "--quiet", "--set", "system.arrival_rate.stamps=keep"];
    let (message, table) = said(&seconds, &keep);
    assert!((200.0..300.0).contains(&wait_ms(&table)), "{}", wait_ms(&table));
    assert!(!message.contains("at random"), "{message}");
    let (code, message) =
        refused(&seconds, &["cluster", "one.toml", "--set", "system.arrival_rate.stamps=error"]);
    assert_eq!(code, 2);
    assert!(message.starts_with("error: stamps.csv:3:1: a second request at time 0: "), "{message}");
}

/// What is recorded has the bursts that a Poisson process would lack: nothing is said about them.
#[test]
fn recorded_bursts_are_not_smoothed_away() {
    let folder = cut(&[0.0, 0.5, 0.6, 0.7], 0.1, 1);
    let mut text = "time\n".to_owned();
    (0..6000).filter(|i| i / 600 % 2 == 0).for_each(|i| writeln!(text, "{}", i as f64 / 10.0).unwrap());
    fs::write(folder.path().join("stamps.csv"), text).unwrap();
    let (message, _) = said(&folder, &["cluster", "one.toml", "--quiet"]);
    assert!(!message.contains("far from Poisson"), "{message}");
    let (message, _) =
        said(&folder, &["cluster", "one.toml", "--quiet", "--set", "cluster.arrivals=poisson"]);
    assert!(message.contains("far from Poisson"), "{message}");
}

/// A scenario made from `text`, what was said, and the scenario.
fn started(text: &str, more: &[&str]) -> (TempDir, String, String) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("log.csv"), text).unwrap();
    let arguments = [&["new", "--trace", "log.csv", "--output", "mine.toml"], more].concat();
    let (message, _) = said(&folder, &arguments);
    let scenario = fs::read_to_string(folder.path().join("mine.toml")).unwrap();
    (folder, message, scenario)
}

/// Requests every .37 s or so, and how long each took.
fn log(header: &str, duration: impl Fn(u32) -> f64) -> String {
    let row = |i: u32| format!("{:.3},{}\n", f64::from(i) * 0.37 + f64::from(i * i % 7) / 100.0, duration(i));
    std::iter::once(header.to_owned() + "\n").chain((0..600).map(row)).collect()
}

#[test]
fn service_times_of_a_trace_become_a_law() {
    let quarter = |i: u32| 100.0 + 300.0 * f64::from(i % 2); // mean 250, squared variation (150 / 250)^2
    let expected =
        "service = { law = \"empirical\", file = \"log.csv\", column = \"duration_ms\", unit = \"ms\" }";
    let (folder, message, scenario) = started(&log("start,duration_ms", quarter), &[]);
    assert!(scenario.contains("mean_service_time = \"0.25 s\"") && scenario.contains(expected), "{scenario}");
    assert!(
        scenario.contains("# service = { law = \"log-normal\", mean = 1.0, squared_variation = 0.36"),
        "{scenario}"
    );
    assert!(
        message.contains("600 of them, mean 0.2500 s, squared coefficient of variation 0.360"),
        "{message}"
    );
    printed(&folder, &["cluster", "mine.toml", "--set", "run.replications=2", "--quiet"]);
    let fitted = scenario.replace("\nservice", "\n# service").replace("\n# # service", "\nservice");
    let fitted = fitted.replacen("# service = { law = \"log-normal\"", "service = { law = \"log-normal\"", 1);
    fs::write(folder.path().join("fitted.toml"), fitted).unwrap();
    printed(&folder, &["cluster", "fitted.toml", "--set", "run.replications=2", "--quiet"]);

    // Without a unit: as the times, seconds here.
    let (_, message, scenario) = started(&log("start,duration", |_| 0.5), &[]);
    assert!(scenario.contains("mean_service_time = \"0.5 s\""), "{scenario}");
    assert!(
        message.contains("column \"duration\" in s") && message.contains("fitted: deterministic"),
        "{message}"
    );
    let (_, _, scenario) = started(&log("start,duration", |_| 500.0), &["--duration-unit", "ms"]);
    assert!(scenario.contains("mean_service_time = \"0.5 s\""), "{scenario}");
    // Another mean: the shape is kept.
    let (folder, _, scenario) = started(&log("start,duration_ms", quarter), &["--mean-service-time", "1 s"]);
    assert!(scenario.contains("\nservice = { law = \"log-normal\", mean = 1.0"), "{scenario}");
    printed(&folder, &["cluster", "mine.toml", "--set", "run.replications=2", "--quiet"]);
    // A column that is called otherwise, and one that cannot be read.
    let more = ["--duration-column", "cost", "--duration-unit", "us", "--trace-format", "time-stamps"];
    let (_, message, _) = started(&log("start,cost", |i| f64::from(i % 3)), &more);
    assert!(message.contains("column \"cost\" in us"), "{message}");
    let bad = log("start,duration_ms", quarter).replacen(",400\n", ",failed\n", 1);
    let (_, message, _) = started(&bad, &[]);
    assert!(message.contains("service times are not used (--duration-column): log.csv:3:"), "{message}");
    let folder = folder_with(&bad);
    let arguments = ["new", "--trace", "log.csv", "--duration-column", "duration_ms"];
    assert_eq!(refused(&folder, &arguments).0, 2);
}

fn folder_with(text: &str) -> TempDir {
    let folder = folder();
    fs::write(folder.path().join("log.csv"), text).unwrap();
    folder
}

#[test]
fn what_is_assumed_of_a_trace_is_said_by_every_command() {
    let series = "ts,value\n0,12\n60,24\n120,12\n180,24\n";
    let folder = folder_with(series);
    let note = "column \"value\" is read as numbers of requests per interval";
    let (code, message) = refused(&folder, &["trace", "log.csv"]);
    assert!(
        code == 2 && message.contains("column \"value\" may be requests per interval or a rate"),
        "{message}"
    );
    let (message, _) = said(&folder, &["trace", "log.csv", "--column", "value"]);
    assert!(message.starts_with("warning: log.csv: ") && message.contains(note), "{message}");
    let (message, table) = said(&folder, &["trace", "log.csv", "--values", "rate-per-second"]);
    assert_eq!((message.as_str(), column(&table, "requests")[0].as_str()), ("", "720"));
    let (message, _) =
        said(&folder, &["new", "--trace", "log.csv", "--column", "value", "--output", "mine.toml"]);
    assert!(message.contains("assumed log.csv: ") && message.contains(note), "{message}");
    let (message, _) = said(&folder, &["fluid", "mine.toml", "--quiet"]);
    assert!(message.contains("log.csv: ") && message.contains(note), "{message}");
    let arguments = ["new", "--trace", "log.csv", "--values", "rate-per-second", "--output", "rates.toml"];
    let (message, _) = said(&folder, &arguments);
    assert!(!message.contains(note), "{message}");
    let text = fs::read_to_string(folder.path().join("rates.toml")).unwrap();
    assert!(
        text.contains("values = \"rate-per-second\"") && text.contains("# rate: 18.0000 requests/s"),
        "{text}"
    );
    let (message, _) = said(&folder, &["fluid", "rates.toml", "--quiet"]);
    assert!(!message.contains(note), "{message}");
}

/// Poisson arrivals at the minutes' rates are far too optimistic for the inference log.
#[test]
fn an_inference_log_is_replayed_where_poisson_arrivals_would_mislead() {
    let Some(path) = real("azure-llm-2023/AzureLLMInferenceTrace_conv.csv") else { return };
    let folder = folder();
    let arguments = ["new", "--trace", path.to_str().unwrap(), "--output", "mine.toml"];
    let (message, _) = said(&folder, &arguments);
    assert!(message.contains("assumed arrivals: in [cluster], one by one as recorded"), "{message}");
    let text = fs::read_to_string(folder.path().join("mine.toml")).unwrap();
    assert!(text.contains("\n[cluster]") && text.contains("\narrivals = \"recorded\""), "{text}");
    assert!(text.starts_with("# Run it with: alba cluster THIS_FILE"), "{text}");
    let (message, _) = said(&folder, &["cluster", "mine.toml", "--quiet", "--set", "run.replications=2"]);
    assert!(!message.contains("far from Poisson"), "{message}");
}

//! Traces from the command line: what people have becomes a scenario that runs, or a message that helps.

mod one_by_one;

use crate::command_line::{BASE, alba, folder, printed, refused};
use alba_ctmc::Problem;
use alba_model::{Counts, Grid};
use alba_scenario::{Override, Scenario};
use alba_trace::{Trace, TraceKeys};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
const MINUTES: &str = "minute,requests\n1,300\n2,600\n3,150\n";

/// A file of ../shared/data; says that it is skipped where there is none.
fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    let there = path.exists();
    if !there {
        println!("skipped: there is no {}", path.display());
    }
    there.then_some(path)
}

/// The base scenario with a trace of three minutes.
fn with_trace(keys: &str) -> TempDir {
    let folder = folder();
    fs::write(folder.path().join("minutes.csv"), MINUTES).unwrap();
    let arrivals = format!("mean_service_time = \"1 s\"\narrival_rate = {{ trace = \"minutes.csv\"{keys} }}");
    let text = BASE.replace("arrival_rate = 0.7", &arrivals).replace("horizon = 20\n", "");
    fs::write(folder.path().join("trace.toml"), text).unwrap();
    folder
}

fn column(table: &str, name: &str) -> Vec<String> {
    let mut lines = table.lines();
    let index = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(index).unwrap().to_owned()).collect()
}

fn numbers(table: &str, name: &str) -> Vec<f64> {
    column(table, name).iter().map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn a_trace_is_the_arrival_rate_over_its_length() {
    let folder = with_trace("");
    let table = printed(&folder, &["fluid", "trace.toml", "--set", "run.samples=3"]);
    assert_eq!(column(&table, "time_s"), ["0", "60", "120", "180"]);
    assert_eq!(numbers(&table, "arrival_rate"), [0.25, 0.5, 0.125, 0.125]); // 300 / 60 s * 1 s / 20 servers
    let table = printed(&folder, &["fluid", "trace.toml", "--set", "system.arrival_rate.scale=2"]);
    assert_eq!(numbers(&table, "arrival_rate")[0], 0.5);
    printed(&folder, &["simulate", "trace.toml", "--set", "run.horizon=3 min"]);
}

#[test]
fn paths_start_at_the_scenario_file() {
    let folder = with_trace("");
    let parent = TempDir::new().unwrap();
    let scenario = folder.path().join("trace.toml");
    printed(&parent, &["fluid", scenario.to_str().unwrap()]);
}

#[test]
fn the_manifest_says_which_trace_it_was() {
    let folder = with_trace("");
    printed(&folder, &["compare", "trace.toml", "--quiet"]);
    let manifest = fs::read_to_string(folder.path().join("results/base/manifest.toml")).unwrap();
    for line in [
        "[trace]\npath = \"minutes.csv\"\nbytes = 34\ncrc32 = \"CRC\"\nintervals = 3\nrequests = 1050.0\ngaps = 0\n",
        "trace = \"minutes.csv\"\nformat = \"counts\"\ncolumn = \"requests\"\ntime_column = \"minute\"\n",
        "interval = \"60 s\"\nscale = 1.0\ngaps = \"error\"\n",
        "horizon = 180.0\n",
    ] {
        assert!(manifest.contains(&line.replace("CRC", CRC32)), "{line}: {manifest}");
    }
}

/// Python: `zlib.crc32` of [`MINUTES`].
const CRC32: &str = "759131a4";

/// Keys after the trace's path, and the message without `error: `.
const BAD_KEYS: &[(&str, &str)] = &[
    (
        ", colunm = \"requests\"",
        "trace.toml:6:41: unknown key system.arrival_rate.colunm (did you mean column?): one of trace, format, column, time_column, time_unit, interval, scale, gaps, functions, values, duplicates, stamps",
    ),
    (
        ", format = \"count\"",
        "trace.toml:6:50: system.arrival_rate.format = \"count\" is not allowed (did you mean counts?): one of counts, time-stamps, azure-functions, access-log",
    ),
    (
        ", gaps = \"none\"",
        "trace.toml:6:48: system.arrival_rate.gaps = \"none\" is not allowed: one of error, zero, interpolate",
    ),
    (
        ", interval = 60",
        "trace.toml:6:52: system.arrival_rate.interval = 60 is not allowed: a time from 1 ns to 36500 d with a unit (ns, us, ms, s, min, h, d), as in \"1 min\"",
    ),
    (
        ", interval = \"0 s\"",
        "trace.toml:6:52: system.arrival_rate.interval = \"0 s\" is not allowed: a time from 1 ns to 36500 d with a unit (ns, us, ms, s, min, h, d), as in \"1 min\"",
    ),
    (
        ", time_unit = \"sec\"",
        "trace.toml:6:53: system.arrival_rate.time_unit = \"sec\" is not allowed: one of ns, us, ms, s, min, h, d",
    ),
    (", scale = -1", "trace.toml:6:49: system.arrival_rate.scale = -1 is not allowed: a finite number >= 0"),
    (", column = 2", "trace.toml:6:50: system.arrival_rate.column = 2 is not allowed: the name of a column"),
    (
        ", functions = \"f\"",
        "trace.toml:6:53: system.arrival_rate.functions = \"f\" is not allowed: an array of hashes of functions, or of their beginnings",
    ),
    (
        ", functions = [\"\"]",
        "trace.toml:6:54: system.arrival_rate.functions[0] = \"\" is not allowed: an array of hashes of functions, or of their beginnings",
    ),
    (
        ", column = \"request\"",
        "minutes.csv:1:1: there is no column \"request\" (did you mean requests?): one of \"minute\", \"requests\"",
    ),
    (
        ", interval = \"90 s\"",
        "minutes.csv:4:1: interval = 90 s is not allowed: a whole number of times the file's interval, 60 s, up to its length, 180 s",
    ),
];

#[test]
fn bad_keys_of_a_trace_are_refused() {
    for (keys, expected) in BAD_KEYS {
        let folder = with_trace(keys);
        assert_eq!(refused(&folder, &["fluid", "trace.toml"]), (2, format!("error: {expected}\n")), "{keys}");
    }
}

/// What follows `--set`, and the message without `error: `.
const BAD_SETS: &[(&str, &str)] = &[
    (
        "system.arrival_rate.trace=nowhere.csv",
        "--set system.arrival_rate.trace=nowhere.csv: system.arrival_rate.trace = \"nowhere.csv\" is not allowed: cannot read nowhere.csv: No such file or directory (os error 2)",
    ),
    (
        "system.arrival_rate.trace=.",
        "--set system.arrival_rate.trace=.: system.arrival_rate.trace = \".\" is not allowed: cannot read .: Is a directory (os error 21)",
    ),
    (
        "system.arrival_rate.trace=",
        "--set system.arrival_rate.trace=: system.arrival_rate.trace = \"\" is not allowed: the path of a file",
    ),
    (
        "run.horizon=4 min",
        "--set run.horizon=4 min: run.horizon = \"4 min\" is not allowed: at most 180 service times (180 s), where the trace ends",
    ),
    (
        "system.arrival_rate={ file = \"x.csv\" }",
        "trace.toml:15:1: missing key run.horizon: how long to run, in service times\nerror: --set system.arrival_rate={ file = \"x.csv\" }: system.arrival_rate = { file = \"x.csv\" } is not allowed: a number >= 0, a total as in \"12.5 /s\", { steps = [[0, 0.7], [45, 0.3]] }: (time, rate from that time on), or { trace = \"requests.csv\" }",
    ),
];

#[test]
fn bad_traces_and_horizons_are_refused() {
    let folder = with_trace("");
    for (set, expected) in BAD_SETS {
        let arguments = ["fluid", "trace.toml", "--set", set];
        assert_eq!(refused(&folder, &arguments), (2, format!("error: {expected}\n")), "{set}");
    }
}

#[test]
fn wrong_command_lines_about_traces_exit_with_2() {
    let folder = with_trace("");
    fs::write(folder.path().join("mine.toml"), "precious").unwrap();
    fs::write(folder.path().join("gap.csv"), "minute,requests\n1,300\n2,360\n4,240\n").unwrap();
    fs::write(folder.path().join("empty.csv"), "").unwrap();
    for (arguments, expected) in [
        (&["trace"][..], "error: the following required arguments were not provided"),
        (&["trace", "nowhere.csv"], "error: cannot read nowhere.csv: No such file or directory"),
        (&["trace", "empty.csv"], "error: empty.csv:1:1: the file is empty"),
        (
            &["trace", "gap.csv", "--output", "out.csv"],
            "error: gap.csv:4:1: no requests are given for time 3: add the key gaps = \"zero\" or gaps = \"interpolate\" (--gaps)",
        ),
        (&["trace", "gap.csv", "--gaps", "guess"], "error: invalid value 'guess' for '--gaps <GAPS>'"),
        (
            &["trace", "gap.csv", "--interval", "60"],
            "error: invalid value '60' for '--interval <TIME>': a time from 1 ns to 36500 d with a unit",
        ),
        (
            &["trace", "gap.csv", "--time-unit", "week"],
            "error: invalid value 'week' for '--time-unit <UNIT>': one of ns, us, ms, s, min, h, d",
        ),
        (
            &["trace", "gap.csv", "--trace-format", "xml"],
            "error: invalid value 'xml' for '--trace-format <FORMAT>'",
        ),
        (&["new", "--trace", "nowhere.csv", "--output", "out.csv"], "error: cannot read nowhere.csv"),
        (&["new", "--output", "mine.toml"], "error: mine.toml is there already: it is left alone"),
        (
            &["new", "--mean-service-time", "0 s"],
            "error: invalid value '0 s' for '--mean-service-time <TIME>': a time from 1 ns to 36500 d with a unit",
        ),
        (&["new", "--trace", "empty.csv", "--output", "out.csv"], "error: empty.csv:1:1: the file is empty"),
        (&["fluid", "trace.toml", "--unit", "percent"], "error: invalid value 'percent' for '--unit <UNIT>'"),
    ] {
        let (code, message) = refused(&folder, arguments);
        assert_eq!(code, 2, "{arguments:?}: {message}");
        assert!(message.starts_with(expected), "{arguments:?}: {message}");
    }
    assert!(!folder.path().join("out.csv").exists());
    assert_eq!(fs::read_to_string(folder.path().join("mine.toml")).unwrap(), "precious");
}

#[test]
fn a_trace_is_printed_per_interval() {
    let folder = with_trace("");
    assert_eq!(printed(&folder, &["trace", "minutes.csv"]), "time_s,requests\n0,300\n60,600\n120,150\n");
    assert_eq!(
        printed(&folder, &["trace", "minutes.csv", "--interval", "3 min"]),
        "time_s,requests\n0,1050\n"
    );
    // What it prints is a trace again.
    printed(&folder, &["trace", "minutes.csv", "--output", "again.csv"]);
    assert_eq!(printed(&folder, &["trace", "again.csv"]), printed(&folder, &["trace", "minutes.csv"]));
}

#[test]
fn servers_are_counted_if_asked() {
    let folder = folder();
    let run = |command: &[&str], unit: &str| {
        printed(
            &folder,
            &[command, &["base.toml", "--set", "system.mean_service_time=250 ms", "--unit", unit]].concat(),
        )
    };
    for command in [
        &["fluid", "--levels", "1"][..],
        &["simulate", "--levels", "1"],
        &["simulate", "--summary"],
        &["simulate", "--paths"],
    ] {
        let (fractions, servers) = (run(command, "fractions"), run(command, "servers"));
        let header = fractions.lines().next().unwrap();
        assert_eq!(header, servers.lines().next().unwrap());
        for name in header.split(',') {
            let pairs: Vec<_> = column(&fractions, name).into_iter().zip(column(&servers, name)).collect();
            let scaled = ["cold", "initializing", "idle", "busy", "energy", "warm_0", "warm_1"].contains(
                &["_half_width", "_run_low", "_run_high"]
                    .iter()
                    .fold(name, |name, end| name.trim_end_matches(end)),
            );
            for (fraction, servers) in pairs {
                let factor = if scaled { 20.0 } else { 1.0 };
                let expected = fraction.parse::<f64>().map(|fraction| factor * fraction);
                assert_eq!(servers.parse(), expected, "{command:?} {name}");
            }
        }
        let response = numbers(&fractions, "mean_response_time");
        for (time, milliseconds) in response.iter().zip(numbers(&fractions, "mean_response_time_ms")) {
            assert!((milliseconds - 250.0 * time).abs() < 1e-9 * milliseconds, "{command:?}");
        }
    }
}

#[test]
fn warnings_are_said_once() {
    let folder = with_trace("");
    fs::write(folder.path().join("bursts.csv"), "minute,requests\n1,3\n2,600\n3,3\n4,600\n").unwrap();
    fs::write(folder.path().join("steady.csv"), "minute,requests\n1,300\n2,325\n3,300\n").unwrap();
    let overload = "warning: base: unstable load: from time 0 to 180 (mean service times) the offered load per server is at least 1, at most 1.083: even with all servers warm, queues grow or jobs are turned away";
    let bursts = "warning: base: arrivals are far from Poisson: requests in neighbouring intervals of the trace differ 591.1 times as much as Poisson arrivals would (index of dispersion 591.06); bursts within an interval, and what they do to response times, are smoothed away";
    let short = "warning: base: no interval for p50 (";
    let few = "warning: base: the fluid model is off for N = 20; worst, on average over time: ";
    let scale = [
        "--set",
        "system.arrival_rate={ trace = \"steady.csv\", scale = 4 }",
        "--set",
        "system.buffer=infinite",
    ];
    let trace = ["--set", "system.arrival_rate.trace=bursts.csv", "--set", "system.buffer=infinite"];
    for (command, sets, expected) in [
        (&["fluid"][..], &scale, &[few, overload][..]),
        (&["simulate"], &scale, &[overload]),
        (&["simulate", "--summary"], &scale, &[overload, short]),
        (&["simulate", "--paths"], &scale, &[overload]),
        (&["compare"], &scale, &[overload]),
        (&["fluid"], &trace, &[few, bursts]),
        (&["compare"], &trace, &[bursts]),
    ] {
        let scenario = &["trace.toml", "--set", "system.arrival_rate.interval=1 min"];
        let quiet: &[&str] = &["--quiet"];
        let output = alba(&folder, &[command, scenario, sets, quiet].concat()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        for warning in expected {
            assert_eq!(message.matches(warning).count(), 1, "{command:?}: {message}");
        }
        assert_eq!(message.lines().count(), expected.len(), "{command:?}: {message}");
    }
}

/// Nothing says how long requests take.
const NO_TIME: &str = "assumed mean service time: 1 s, as nothing says it (--mean-service-time)";
/// Measured runs have their service times.
const MEASURED: &[&str] = &["assumed service times: column \"aws_duration_ms\" in ms"];

/// Real files, and notes and warnings of `alba new`, in part: a line each.
const REAL_TRACES: &[(&str, &[&str])] = &[
    ("azure-functions-2019/invocations.csv", &[NO_TIME, "index of dispersion 3.41"]),
    (
        "azure-llm-2023/AzureLLMInferenceTrace_conv.csv",
        &[
            NO_TIME,
            "the last interval is left out: the times of requests end 21.722 s into its 60 s (37 requests)",
            "assumed arrivals: in [cluster], one by one as recorded",
            "index of dispersion 2.23",
        ],
    ),
    (
        "nasa-http-1995/nasa_requests_per_minute.csv",
        &[
            NO_TIME,
            "assumed gaps: 4947 of 89280 intervals are not in the file, and interpolated",
            "index of dispersion 3.10",
        ],
    ),
    ("nasa-http-1995/nasa_1995-07-13_requests_per_second.csv", &[NO_TIME]),
    ("aws-lambda/2020-05-23_20-42-58.csv", MEASURED),
    ("aws-lambda/2020-05-26_01-31-35.csv", MEASURED),
    ("aws-lambda/2020-05-28_01-57-40.csv", MEASURED),
    ("aws-lambda/2020-06-09_01-04-58.csv", MEASURED),
    ("aws-lambda/2020-06-18_23-36-37.csv", MEASURED),
    (
        "nab-aws/elb_request_count_8c0756.csv",
        &[
            NO_TIME,
            "assumed gaps: 8 of 4040 intervals are not in the file, and interpolated",
            "column \"value\" is read as numbers of requests per interval, which its name does not say",
            "index of dispersion 30.54",
        ],
    ),
    (
        "access-log/access_combined_3000.log",
        &[
            NO_TIME,
            "the first interval is left out: the times of requests cover the last 3 s of its 60 s (2 requests)",
            "assumed arrivals: in [cluster], one by one as recorded",
            "index of dispersion 71.36",
        ],
    ),
];

fn number(table: &str, name: &str) -> f64 {
    column(table, name)[0].parse().unwrap()
}

#[test]
fn every_real_trace_gives_a_scenario_that_runs() {
    for (name, notes) in REAL_TRACES {
        let Some(path) = real(name) else { continue };
        let folder = TempDir::new().unwrap();
        let arguments = ["new", "--trace", path.to_str().unwrap(), "--output", "mine.toml"];
        let output = alba(&folder, &arguments).assert().success().get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(notes.iter().all(|note| said.contains(note)), "{name}: {said}");
        let turned_away = "of the requests would be turned away";
        let others = said.lines().filter(|line| !line.contains(turned_away)).count();
        assert_eq!(others, notes.len(), "{name}: {said}");
        printed(&folder, &["fluid", "mine.toml"]);
        let summary =
            printed(&folder, &["simulate", "mine.toml", "--summary", "--set", "run.replications=1"]);
        let lost = number(&summary, "lost_fraction") + number(&summary, "rejected_fraction");
        let warned = said.lines().any(|line| line.starts_with("warning: ") && line.contains(turned_away));
        assert!(lost < 0.01 || warned, "{name}: {lost}, {said}");
    }
}

const NO_TRACES: &[(&str, &str)] = &[
    (
        "azure-functions-2019/durations.csv",
        "1:1: a row a function, but no column a minute: this is the file of durations",
    ),
    (
        "azure-functions-2019/memory.csv",
        "1:1: a row a function, but no column a minute: this is the file of durations",
    ),
    ("aws-lambda/published_experiment_table.csv", "1:1: neither requests nor times are recognised"),
    ("jsqd/jsqd_steady_state.csv", "1:1: neither requests nor times are recognised"),
    ("nab-aws/LICENSE.txt", "1:1: neither requests nor times are recognised"),
    ("lambda-coldstarts/2026-08-22.json", "1:1: the file is JSON: a trace is CSV or an access log"),
];

#[test]
fn other_real_files_are_refused() {
    let folder = folder();
    for (name, expected) in NO_TRACES {
        let Some(path) = real(name) else { continue };
        let (code, message) = refused(&folder, &["new", "--trace", path.to_str().unwrap()]);
        assert_eq!(code, 2);
        assert!(message.starts_with(&format!("error: {}:{expected}", path.display())), "{message}");
    }
}

#[test]
fn a_scenario_to_start_from_runs_without_a_trace() {
    let folder = folder();
    printed(&folder, &["new", "--mean-service-time", "250 ms", "--output", "mine.toml"]);
    printed(&folder, &["compare", "mine.toml", "--set", "run.replications=2"]);
    let text = fs::read_to_string(folder.path().join("mine.toml")).unwrap();
    assert!(text.contains("servers = 4 "), "{text}"); // 10 /s * 0.25 s / 0.8
}

/// The totals that come along are what the documented commands derive.
#[test]
fn the_kept_totals_are_derived_from_the_real_files() {
    let folder = folder();
    for (kept, name, more) in [
        ("azure-functions.csv", "azure-functions-2019/invocations.csv", &[][..]),
        ("nasa-day.csv", "nasa-http-1995/nasa_1995-07-13_requests_per_second.csv", &["--interval", "1 min"]),
    ] {
        let Some(path) = real(name) else { continue };
        let kept = fs::read_to_string(format!("{SCENARIOS}/traces/{kept}")).unwrap();
        let (credit, rows): (Vec<&str>, Vec<&str>) = kept.lines().partition(|line| line.starts_with('#'));
        assert!(credit.join(" ").contains("Source: "));
        let derived = printed(&folder, &[&["trace", path.to_str().unwrap()], more].concat());
        assert_eq!(derived.lines().collect::<Vec<_>>(), rows);
    }
}

fn scenario(name: &str, sets: &[String]) -> Scenario {
    let overrides: Vec<_> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
    Scenario::load(Path::new(&format!("{SCENARIOS}/{name}.toml")), &overrides).unwrap()
}

/// Jobs that arrive up to a minute: longer runs with the same seed go on where shorter ones stop.
fn arrivals_until(minute: usize, seed: u64) -> u64 {
    let scenario = scenario("azure-functions", &[format!("run.horizon={minute} min")]);
    let grid = Grid::new(scenario.run().grid.horizon(), 1).unwrap();
    let initial = Counts::apportion(scenario.initial(), scenario.servers());
    let problem = Problem::new(scenario.model().clone(), initial, grid, 0.0, None).unwrap();
    let mut arrivals = 0;
    alba_ctmc::for_each_path(&problem, seed, 0..1, |path| {
        arrivals = path.events.arrivals();
        Ok::<(), alba_ctmc::CtmcError>(())
    })
    .unwrap();
    arrivals
}

/// Chi-square over the day, 480 minutes, seed 1: mean 480, standard deviation sqrt(960) = 31; accepted within 4 of
/// them. Neighbouring minutes are independent, so that a rate that comes a minute late, too, would be seen.
#[test]
fn simulated_arrivals_per_minute_are_the_traces() {
    let path = format!("{SCENARIOS}/traces/azure-functions.csv");
    let expected = Trace::read(Path::new(&path), &TraceKeys::default()).unwrap().requests;
    let until: Vec<u64> =
        (0..=480).into_par_iter().map(|m| if m == 0 { 0 } else { arrivals_until(m, 1) }).collect();
    let counts = until.windows(2).map(|pair| pair[1] - pair[0]);
    let chi_square: f64 =
        counts.zip(&expected).map(|(count, expected)| (count as f64 - expected).powi(2) / expected).sum();
    println!("chi-square over 480 minutes: {chi_square:.1}");
    assert!((chi_square - 480.0).abs() < 4.0 * 960f64.sqrt(), "{chi_square}");
}

#[test]
fn more_servers_follow_the_fluid_model_more_closely_and_no_request_vanishes() {
    let folder = folder();
    let difference = |name: &str| {
        let path = format!("{SCENARIOS}/{name}.toml");
        let table = printed(&folder, &["compare", &path, "--set", "run.replications=2", "--quiet"]);
        let jobs = fs::read_to_string(folder.path().join(format!("results/{name}/jobs.csv"))).unwrap();
        assert_eq!(numbers(&jobs, "unaccounted"), [0.0], "{jobs}");
        let means = numbers(&table, "mean_difference");
        means[..4].iter().sum::<f64>() / 4.0
    };
    let (small, large) = (difference("azure-functions"), difference("azure-functions-scaled"));
    println!(
        "mean difference of servers: {small:.4} at N = 28, {large:.4} at N = 1120, {:.1} times less",
        small / large
    );
    assert!(large < small / 3.0, "{small} {large}");
    difference("azure-functions-power-of-2");
    difference("nasa-day");
}

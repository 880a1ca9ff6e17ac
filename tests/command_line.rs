//! The `alba` command as a person meets it: messages, exit codes, columns, files.
use assert_cmd::Command;
use std::fs;
use tempfile::TempDir;

pub(crate) const BASE: &str = r#"name = "base"
[system]
servers = 20
buffer = 10
arrival_rate = 0.7
scaling_rate = 0.05
initialization_rate = 0.1
expiration_rate = 0.025
[scheme]
dispatch = { rule = "power-of-d", d = 2 }
scaling = { rule = "blind", theta = 0.06 }
[initial]
warm = [0.7]
[run]
horizon = 20
samples = 4
replications = 3
"#;

const PERCENTILES: &str = "p50,p95,p99,p99_9,waiting_probability";
const MEASURES: &str = "cold,initializing,idle,busy,jobs_per_server,jobs_per_warm,mean_response_time,lost_fraction,\
                        rejected_fraction,energy";

/// A folder with `base.toml` in it.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("base.toml"), BASE).unwrap();
    folder
}

pub(crate) fn alba(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("alba");
    command.current_dir(folder.path()).args(arguments);
    command
}

/// What is printed by a run that succeeds.
pub(crate) fn printed(folder: &TempDir, arguments: &[&str]) -> String {
    let output = alba(folder, arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// Exit code and standard error of a run that prints nothing.
pub(crate) fn refused(folder: &TempDir, arguments: &[&str]) -> (i32, String) {
    let output = alba(folder, arguments).output().unwrap();
    assert!(output.stdout.is_empty(), "{arguments:?}");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn suffixed(measures: &str) -> String {
    measures.split(',').map(|measure| format!("{measure}_half_width")).collect::<Vec<_>>().join(",")
}

const TIME_UNITS: &str = ", or a time with a unit (ns, us, ms, s, min, h, d), as in \"400 ms\"";

/// What to replace in the base scenario, by what, and the message without `error: bad.toml:`.
const BAD_SCENARIOS: &[(&str, &str, &str)] = &[
    // Unknown keys.
    (
        "name =",
        "title =",
        "1:1: unknown key title: one of name, system, scheme, initial, energy, run, cluster, limits\nerror: bad.toml:1:1: missing key name: a text that can name a folder: letters, digits, spaces, - _ + and ., neither beginning nor ending with a space or a point, at most 100 bytes",
    ),
    (
        "[run]",
        "[run]\nrepilcations = 5",
        "15:1: unknown key run.repilcations (did you mean replications?): one of horizon, samples, replications, seed, warm_up, max_events, precision, max_replications",
    ),
    (
        "[initial]",
        "[initial]\ncold = 0.3",
        "13:1: unknown key initial.cold: one of initializing, warm, state",
    ),
    (
        "[initial]",
        "[energy]\nwarm = 1\n[initial]",
        "13:1: unknown key energy.warm: one of off, initializing, idle, busy",
    ),
    (
        "theta = 0.06",
        "theta = 0.06, tehta = 1",
        "11:43: unknown key scheme.scaling.tehta (did you mean theta?): one of rule, theta, gain, exponent",
    ),
    // Missing keys.
    ("arrival_rate = 0.7", "", "2:1: missing key system.arrival_rate: jobs per server and service time"),
    (
        "expiration_rate = 0.025",
        "",
        "2:1: missing key system.expiration_rate: per service time; or expiration_time, a mean time",
    ),
    (
        "scaling = { rule = \"blind\", theta = 0.06 }",
        "",
        "9:1: missing key scheme.scaling: a table: rule, and its parameters",
    ),
    (", d = 2", "", "10:12: missing key scheme.dispatch.d: a whole number, as power-of-d needs it"),
    (", theta = 0.06", "", "11:11: missing key scheme.scaling.theta: a number in (0, 1], as blind needs it"),
    (
        "warm = [0.7]",
        "",
        "12:1: missing key initial.warm: an array of fractions of servers: warm[i] are warm with i jobs",
    ),
    ("horizon = 20", "", "14:1: missing key run.horizon: how long to run, in service times"),
    ("[initial]\nwarm = [0.7]\n", "", "1:1: missing key initial: a table: where the servers start"),
    // Bad values.
    (
        "name = \"base\"",
        "name = \"../base\"",
        "1:8: name = \"../base\" is not allowed: a text that can name a folder: letters, digits, spaces, - _ + and ., neither beginning nor ending with a space or a point, at most 100 bytes",
    ),
    (
        "name = \"base\"",
        "name = \"\"",
        "1:8: name = \"\" is not allowed: a text that can name a folder: letters, digits, spaces, - _ + and ., neither beginning nor ending with a space or a point, at most 100 bytes",
    ),
    (
        "servers = 20",
        "servers = 0",
        "3:11: system.servers = 0 is not allowed: a whole number from 1 to 1000000000",
    ),
    (
        "servers = 20",
        "servers = 2.5",
        "3:11: system.servers = 2.5 is not allowed: a whole number from 1 to 1000000000",
    ),
    (
        "buffer = 10",
        "buffer = \"unlimited\"",
        "4:10: system.buffer = \"unlimited\" is not allowed: a whole number from 1 to 4294967295, or \"infinite\"",
    ),
    (
        "arrival_rate = 0.7",
        "arrival_rate = -0.7",
        "5:16: system.arrival_rate = -0.7 is not allowed: a finite number >= 0, or a total with a unit, as in \"12.5 /s\"",
    ),
    (
        "arrival_rate = 0.7",
        "arrival_rate = nan",
        "5:16: system.arrival_rate = nan is not allowed: a finite number >= 0, or a total with a unit, as in \"12.5 /s\"",
    ),
    (
        "arrival_rate = 0.7",
        "arrival_rate = \"12.5 /s\"",
        "5:16: system.arrival_rate = \"12.5 /s\" is not allowed: a unit needs system.mean_service_time, as in \"250 ms\"",
    ),
    (
        "arrival_rate = 0.7",
        "arrival_rate = { steps = [] }",
        "5:26: system.arrival_rate.steps = [] is not allowed: at least one step; times begin at 0 and increase strictly",
    ),
    (
        "arrival_rate = 0.7",
        "arrival_rate = { steps = [[0, 1], [0, 2]] }",
        "5:35: system.arrival_rate.steps[1] = [0, 2] is not allowed: at least one step; times begin at 0 and increase strictly",
    ),
    (
        "arrival_rate = 0.7",
        "arrival_rate = { steps = [[0, 1], [5, -2]] }",
        "5:39: system.arrival_rate.steps[1][1] = -2 is not allowed: a finite number >= 0, or a total with a unit, as in \"12.5 /s\"",
    ),
    (
        "arrival_rate = 0.7",
        "arrival_rate = { trace = \"x.csv\" }",
        "5:26: system.arrival_rate.trace = \"x.csv\" is not allowed: a trace needs system.mean_service_time, as in \"250 ms\"",
    ),
    (
        "scaling_rate = 0.05",
        "scaling_rate = inf",
        "6:16: system.scaling_rate = inf is not allowed: a finite number >= 0",
    ),
    (
        "scaling_rate = 0.05",
        "scaling_rate = 0.05\nscaling_interval = 1",
        "7:20: system.scaling_interval = 1 is not allowed: either scaling_rate or scaling_interval, not both",
    ),
    (
        "initialization_rate = 0.1",
        "initialization_rate = 0",
        "7:23: system.initialization_rate = 0 is not allowed: a finite number > 0",
    ),
    (
        "servers = 20",
        "mean_service_time = 0.25",
        "3:21: system.mean_service_time = 0.25 is not allowed: a time > 0 with a unit (ns, us, ms, s, min, h, d), as in \"250 ms\"",
    ),
    (
        "[scheme]",
        "[scheme]\nkind = \"tab\"",
        "10:8: scheme.kind = \"tab\" is not allowed (did you mean tabs?): one of asynchronous, tabs, central-queue",
    ),
    (
        "scaling = { rule = \"blind\", theta = 0.06 }",
        "kind = \"tabs\"",
        "10:12: scheme.dispatch = { rule = \"power-of-d\", d = 2 } is not allowed: tabs has no such parameter",
    ),
    (
        "dispatch = { rule = \"power-of-d\", d = 2 }\nscaling = { rule = \"blind\", theta = 0.06 }",
        "kind = \"tabs\"\nd = 0",
        "11:5: scheme.d = 0 is not allowed: a whole number from 1 to 1000000",
    ),
    (
        "dispatch = { rule = \"power-of-d\", d = 2 }\nscaling = { rule = \"blind\", theta = 0.06 }",
        "kind = \"central-queue\"\nd = 2",
        "11:5: scheme.d = 2 is not allowed: a central queue has no such parameter",
    ),
    (
        "[scheme]",
        "[scheme]\nd = 2",
        "10:5: scheme.d = 2 is not allowed: asynchronous schemes have no such parameter",
    ),
    (
        "\"power-of-d\"",
        "\"power-of-b\"",
        "10:21: scheme.dispatch.rule = \"power-of-b\" is not allowed (did you mean power-of-d?): one of power-of-d, join-below-threshold, join-idle-queue",
    ),
    (
        "\"power-of-d\"",
        "\"join-idle-queue\"",
        "10:44: scheme.dispatch.d = 2 is not allowed: the rule join-idle-queue has no such parameter",
    ),
    ("d = 2", "d = 0", "10:39: scheme.dispatch.d = 0 is not allowed: a whole number from 1 to 1000000"),
    (
        "\"power-of-d\", d = 2",
        "\"join-below-threshold\", d = 10",
        "10:49: scheme.dispatch.d = 10 is not allowed: join-below-threshold with d = 10 needs a buffer above d, but the buffer is 10",
    ),
    (
        "\"blind\"",
        "\"blnd\"",
        "11:20: scheme.scaling.rule = \"blnd\" is not allowed (did you mean blind?): one of blind, rate-idle, warm-shortage, capacity-shortage, none",
    ),
    ("theta = 0.06", "theta = 1.5", "11:37: scheme.scaling.theta = 1.5 is not allowed: a number in (0, 1]"),
    (
        "\"blind\", theta = 0.06",
        "\"rate-idle\", exponent = 0.5",
        "11:44: scheme.scaling.exponent = 0.5 is not allowed: a finite number >= 1",
    ),
    (
        "warm = [0.7]",
        "warm = 0.7",
        "13:8: initial.warm = 0.7 is not allowed: an array of fractions of servers: warm[i] are warm with i jobs",
    ),
    (
        "warm = [0.7]",
        "warm = [0.7, -0.1]",
        "13:14: initial.warm[1] = -0.1 is not allowed: a fraction of servers, 0 to 1",
    ),
    (
        "warm = [0.7]",
        "warm = [0.75, 0.5]",
        "13:8: initial.warm = [0.75, 0.5] is not allowed: the fractions of initializing and warm servers sum to 1.25, which is more than 1",
    ),
    (
        "warm = [0.7]",
        "warm = [0,0,0,0,0,0,0,0,0,0,0.5,0]",
        "13:8: initial.warm = [0,0,0,0,0,0,0,0,0,0,0.5,0] is not allowed: servers with 11 jobs, but the buffer is 10",
    ),
    ("samples = 4", "samples = 0", "16:11: run.samples = 0 is not allowed: a whole number from 1 to 1000000"),
    (
        "[run]",
        "[run]\nseed = -1",
        "15:8: run.seed = -1 is not allowed: a whole number from 0 to 9223372036854775807",
    ),
    (
        "[run]",
        "[run]\nmax_events = 0",
        "15:14: run.max_events = 0 is not allowed: a whole number from 1 to 9223372036854775807",
    ),
    (
        "[initial]",
        "[energy]\nidle = -1\n[initial]",
        "13:8: energy.idle = -1 is not allowed: a finite number >= 0",
    ),
    ("[run]", "run = 5\n[run]", "14:1: unknown key initial.run: one of initializing, warm, state"),
    ("[scheme]", "[scheme", "9:8: unclosed table, expected `]`"),
    ("samples = 4", "samples = 4\nsamples = 5", "17:1: duplicate key"),
    (
        "replications = 3",
        "[cluster]\npolicys = []",
        "18:1: unknown key cluster.policys (did you mean policies?): one of servers, policies, discipline, arrivals, service, initialization, expiration, scaling",
    ),
    (
        "replications = 3",
        "[cluster]\npolicies = []",
        "18:12: cluster.policies = [] is not allowed: at least one policy",
    ),
    (
        "replications = 3",
        "[cluster]\npolicies = [\"round-robbin\"]",
        "18:13: cluster.policies[0] = \"round-robbin\" is not allowed (did you mean round-robin?): one of phase-partition, phase-partition-power-saving, round-robin, weighted-round-robin, least-connections, weighted-least-connections, random, power-of-d, join-below-threshold, join-idle-queue, most-recently-used-idle, least-work-left",
    ),
    (
        "replications = 3",
        "[cluster]\npolicies = [\"random\", \"random\"]",
        "18:23: cluster.policies[1] = \"random\" is not allowed: every policy once",
    ),
    (
        "replications = 3",
        "[cluster]\npolicies = [\"power-of-d\"]",
        "18:13: cluster.policies[0] = \"power-of-d\" is not allowed: a table: power-of-d has parameters",
    ),
    (
        "replications = 3",
        "[cluster]\npolicies = [{ rule = \"random\", d = 2 }]",
        "18:36: cluster.policies[0].d = 2 is not allowed: the policy random has no such parameter",
    ),
    (
        "replications = 3",
        "[cluster]\npolicies = [{ rule = \"phase-partition\", ratios = [1] }]",
        "18:50: cluster.policies[0].ratios = [1] is not allowed: ratio 1 = 1 is not allowed: a number above 1 (with 2 or more no server can be overloaded)",
    ),
    (
        "replications = 3",
        "[cluster]\ndiscipline = \"fifo\"",
        "18:14: cluster.discipline = \"fifo\" is not allowed: one of first-come-first-served, processor-sharing, parallel",
    ),
    (
        "replications = 3",
        "[cluster]\nscaling = 5",
        "18:11: cluster.scaling = 5 is not allowed: one of none, asynchronous, tabs, per-request, switch-on",
    ),
    (
        "replications = 3",
        "[cluster]\nservice = \"log-normal\"",
        "18:11: cluster.service = \"log-normal\" is not allowed: a table with law and its parameters: this one needs some",
    ),
    (
        "replications = 3",
        "[cluster]\nservice = { law = \"exponential\", mean = 0 }",
        "18:41: cluster.service.mean = 0 is not allowed: a finite number > 0, or a time with a unit (ns, us, ms, s, min, h, d), as in \"400 ms\"",
    ),
    (
        "replications = 3",
        "[cluster]\nservice = { law = \"hyperexponential\", squared_variation = 0.5 }",
        "18:11: cluster.service = { law = \"hyperexponential\", squared_variation = 0.5 } is not allowed: squared_variation = 0.5 is not allowed: a finite number >= 1",
    ),
    (
        "replications = 3",
        "[cluster]\nservice = { law = \"deterministic\", column = \"x\" }",
        "18:45: cluster.service.column = \"x\" is not allowed: the law deterministic has no such parameter here",
    ),
    (
        "replications = 3",
        "[cluster]\ninitialization = { law = \"exponential\" }",
        "18:18: missing key cluster.initialization.mean: a mean time, in service times or with a unit",
    ),
    (
        "replications = 3",
        "[cluster]\nservice = { law = \"empirical\", file = \"none.csv\", column = \"x\" }",
        "18:39: cluster.service.file = \"none.csv\" is not allowed: cannot read none.csv: No such file or directory (os error 2)",
    ),
    (
        "replications = 3",
        "[cluster]\narrivals = \"recorded\"",
        "18:12: cluster.arrivals = \"recorded\" is not allowed: a trace in system.arrival_rate",
    ),
    (
        "replications = 3",
        "[cluster]\nservers = [{ count = 3 }]",
        "18:11: cluster.servers = [{ count = 3 }] is not allowed: as many servers as system.servers says, 20; these are 3",
    ),
    (
        "replications = 3",
        "[cluster]\nservers = [{ count = 20, capacity = 0 }]",
        "18:37: cluster.servers[0].capacity = 0 is not allowed: a whole number from 1 to 4294967294",
    ),
    (
        "replications = 3",
        "[cluster]\nservers = [{ count = 20, power = { idle = 2, busy = 1 } }]",
        "18:34: cluster.servers[0].power = { idle = 2, busy = 1 } is not allowed: busy power = 1 is not allowed: a finite number of watts >= the idle power",
    ),
    (
        "replications = 3",
        "[cluster]\npolicies = [\"phase-partition\"]\nservers = [{ count = 20, capacity = \"infinite\" }]",
        "18:12: cluster.policies = [\"phase-partition\"] is not allowed: the phase-partition arbitrator needs servers with a finite capacity",
    ),
];

#[test]
fn bad_scenarios_are_refused_with_what_is_wrong_and_where() {
    let folder = folder();
    for (from, to, expected) in BAD_SCENARIOS {
        assert!(BASE.contains(from), "{from}");
        fs::write(folder.path().join("bad.toml"), BASE.replacen(from, to, 1)).unwrap();
        let (code, message) = refused(&folder, &["fluid", "bad.toml"]);
        assert_eq!((code, message), (2, format!("error: bad.toml:{expected}\n")), "{from} -> {to}");
    }
}

#[test]
fn bad_times_say_which_units_there_are() {
    let folder = folder();
    for (key, place, value, allowed) in [
        ("horizon = 20", "15:11: run.horizon", "-1", "a finite number > 0"),
        ("horizon = 20", "15:11: run.horizon", "\"8 hours\"", "a finite number > 0"),
        ("samples = 4", "17:11: run.warm_up", "20", "a finite number >= 0 and below run.horizon"),
    ] {
        let text = match key {
            "samples = 4" => BASE.replace(key, &format!("{key}\nwarm_up = {value}")),
            _ => BASE.replace("horizon = 20", &format!("horizon = {value}")),
        };
        fs::write(folder.path().join("bad.toml"), text).unwrap();
        let expected = format!("error: bad.toml:{place} = {value} is not allowed: {allowed}{TIME_UNITS}\n");
        assert_eq!(refused(&folder, &["fluid", "bad.toml"]), (2, expected));
    }
}

#[test]
fn bad_overrides_are_named() {
    let folder = folder();
    for (set, expected) in [
        ("run.seed", "expected KEY=VALUE, as in run.seed=7"),
        ("=7", "expected KEY=VALUE, as in run.seed=7"),
        ("run..seed=7", "expected KEY=VALUE, as in run.seed=7"),
        (
            "run.seed=seven",
            "run.seed = \"seven\" is not allowed: a whole number from 0 to 9223372036854775807",
        ),
        (
            "run.sed=7",
            "unknown key run.sed (did you mean seed?): one of horizon, samples, replications, seed, warm_up, max_events, precision, max_replications",
        ),
        ("run.seed.x=7", "run.seed = {} is not allowed: a whole number from 0 to 9223372036854775807"),
        ("name.x=7", "name = \"base\" is no table"),
        ("system.servers=0", "system.servers = 0 is not allowed: a whole number from 1 to 1000000000"),
        (
            "scheme.scaling={ rule = 'none', gain = 1 }",
            "scheme.scaling.gain = 1 is not allowed: the rule none has no such parameter",
        ),
    ] {
        let (code, message) = refused(&folder, &["fluid", "base.toml", "--set", set]);
        assert_eq!((code, message), (2, format!("error: --set {set}: {expected}\n")), "{set}");
    }
}

#[test]
fn wrong_command_lines_exit_with_2() {
    let folder = folder();
    fs::write(folder.path().join("bytes.toml"), [0xff, 0xfe]).unwrap();
    for (arguments, expected) in [
        (&["fluid", "nowhere.toml"][..], "error: cannot read nowhere.toml: No such file or directory"),
        (&["fluid", "."], "error: cannot read .: Is a directory"),
        (&["fluid", "bytes.toml"], "error: cannot read bytes.toml: stream did not contain valid UTF-8"),
        (
            &["compare", "base.toml", "base.toml"],
            "error: two scenarios have the name \"base\": their results would share a folder",
        ),
        (
            &["figures", "figure2"],
            "error: there is no figure \"figure2\" (did you mean figure1?): one of arbitrators, figure1, optimality, async-vs-sync, phase-partition, aws-lambda",
        ),
        (&["fluid"], "error: the following required arguments were not provided"),
        (&["fluid", "base.toml", "--threads", "0"], "error: invalid value '0' for '--threads <THREADS>'"),
        (&["fluid", "base.toml", "--seed", "-1"], "error: "),
        (&["fluid", "base.toml", "--format", "xml"], "error: invalid value 'xml' for '--format <FORMAT>'"),
        (
            &["fluid", "base.toml", "--events", "--levels", "3"],
            "error: the argument '--events' cannot be used with",
        ),
        (
            &["simulate", "base.toml", "--summary", "--paths"],
            "error: the argument '--summary' cannot be used with",
        ),
        (&["frob"], "error: unrecognized subcommand 'frob'"),
    ] {
        let (code, message) = refused(&folder, arguments);
        assert_eq!(code, 2, "{arguments:?}: {message}");
        assert!(message.starts_with(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn what_cannot_be_solved_or_written_exits_with_1() {
    let folder = folder();
    let cold = ["fluid", "base.toml", "--set", "initial.warm=[]", "--set", "system.buffer=infinite"];
    let (code, message) = refused(&folder, &cold);
    assert_eq!(code, 1);
    assert!(message.starts_with("error: base: the fluid model cannot be solved: at time 0 "), "{message}");
    let (code, message) = refused(&folder, &["simulate", "base.toml", "--output", "no/such/folder.csv"]);
    assert_eq!(
        (code, message.starts_with("error: cannot write no/such/folder.csv: ")),
        (1, true),
        "{message}"
    );
}

#[test]
fn help_has_examples() {
    let folder = folder();
    for arguments in [
        &["--help"][..],
        &["fluid", "--help"],
        &["simulate", "--help"],
        &["compare", "--help"],
        &["cluster", "--help"],
        &["figures", "--help"],
        &["partition", "--help"],
        &["new", "--help"],
        &["trace", "--help"],
    ] {
        assert!(printed(&folder, arguments).contains("Example:\n  alba "), "{arguments:?}");
    }
}

#[test]
fn columns_are_the_contracts() {
    let folder = folder();
    let header = |arguments: &[&str]| printed(&folder, arguments).lines().next().unwrap().to_owned();
    let levels = format!("{MEASURES},warm_0,warm_1,warm_2");
    assert_eq!(header(&["fluid", "base.toml"]), format!("time,arrival_rate,{MEASURES},{PERCENTILES}"));
    assert_eq!(
        header(&["fluid", "base.toml", "--levels", "2"]),
        format!("time,arrival_rate,{levels},{PERCENTILES}")
    );
    assert_eq!(header(&["fluid", "base.toml", "--events"]), "time,from,to,guard");
    let with_time = ["fluid", "base.toml", "--set", "system.mean_service_time=250 ms"];
    assert_eq!(
        header(&with_time),
        format!(
            "time,time_s,arrival_rate,{MEASURES},mean_response_time_ms,{PERCENTILES},p50_ms,p95_ms,p99_ms,p99_9_ms"
        )
    );
    assert_eq!(
        header(&["simulate", "base.toml"]),
        format!("time,arrival_rate,{MEASURES},{},replications,{PERCENTILES}", suffixed(MEASURES))
    );
    assert_eq!(
        header(&["simulate", "base.toml", "--levels", "2"]),
        format!("time,arrival_rate,{levels},{},replications,{PERCENTILES}", suffixed(&levels))
    );
    assert_eq!(
        header(&["simulate", "base.toml", "--paths"]),
        format!("replication,time,arrival_rate,{MEASURES}")
    );
    let summary = format!(
        "replications,events,accepted,rejected,lost,completions,scale_ups,idle_scalings,initializations,expirations,\
         {MEASURES},{},{PERCENTILES},found_0,",
        suffixed(MEASURES)
    );
    assert!(header(&["simulate", "base.toml", "--summary"]).starts_with(&summary));
    assert_eq!(
        header(&["compare", "base.toml"]),
        "scenario,measure,largest_difference,at_time,fluid,simulated,half_width,share_inside_interval,mean_difference,at_time_s"
    );
}

#[test]
fn every_grid_point_has_a_row() {
    let folder = folder();
    let times = |arguments: &[&str], column: usize| -> Vec<String> {
        let text = printed(&folder, arguments);
        text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().to_owned()).collect()
    };
    assert_eq!(times(&["fluid", "base.toml"], 0), ["0", "5", "10", "15", "20"]);
    assert_eq!(times(&["simulate", "base.toml"], 0), ["0", "5", "10", "15", "20"]);
    assert_eq!(times(&["simulate", "base.toml", "--paths"], 1), ["0", "5", "10", "15", "20"].repeat(3));
    assert_eq!(times(&["simulate", "base.toml", "--summary"], 0), ["3"]);
    let with_time = ["fluid", "base.toml", "--set", "system.mean_service_time=250 ms"];
    assert_eq!(times(&with_time, 1), ["0", "1.25", "2.5", "3.75", "5"]);
}

#[test]
fn undefined_is_empty_in_csv_and_null_in_json() {
    let folder = folder();
    let one = ["simulate", "base.toml", "--set", "run.replications=1", "--set", "system.arrival_rate=0"];
    let text = printed(&folder, &one);
    let cells: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(cells[8..10], ["", ""], "{text}"); // mean_response_time, lost_fraction without arrivals
    assert_eq!(cells[12..22], [""; 10]);
    assert_eq!(cells[22], "1");
    let json = printed(&folder, &[&one[..], &["--format", "json"]].concat());
    assert!(json.starts_with("[\n{\"time\":0.0,\"arrival_rate\":0.0,"), "{json}");
    assert!(json.contains("\"mean_response_time\":null") && json.contains("\"cold_half_width\":null"));
    assert!(json.ends_with("}\n]\n"));
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let folder = folder();
    for mode in [&[][..], &["--summary"], &["--paths"]] {
        let run = |seed: &str, threads: &str| {
            let common = [
                "simulate",
                "base.toml",
                "--set",
                "run.replications=40",
                "--seed",
                seed,
                "--threads",
                threads,
            ];
            printed(&folder, &[&common[..], mode].concat())
        };
        let first = run("1", "1");
        assert_eq!(first, run("1", "2"), "{mode:?}");
        assert_eq!(first, run("1", "7"), "{mode:?}");
        let others = [run("2", "2"), run("3", "2")];
        assert!(first != others[0] && first != others[1] && others[0] != others[1], "{mode:?}");
    }
    let by_option = printed(&folder, &["simulate", "base.toml", "--seed", "5"]);
    assert_eq!(by_option, printed(&folder, &["simulate", "base.toml", "--set", "run.seed=5"]));
}

#[test]
fn replication_3_is_the_same_among_4_and_40() {
    let folder = folder();
    let third = |replications: &str| -> Vec<String> {
        let set = format!("run.replications={replications}");
        let text = printed(&folder, &["simulate", "base.toml", "--paths", "--set", &set]);
        text.lines().filter(|line| line.starts_with("3,")).map(str::to_owned).collect()
    };
    assert_eq!(third("4").len(), 5);
    assert_eq!(third("4"), third("40"));
}

#[test]
fn overrides_count() {
    let folder = folder();
    let sets = ["--set", "scheme.dispatch={ rule = \"join-idle-queue\" }", "--set", "system.buffer=infinite"];
    let jiq = printed(&folder, &[&["fluid", "base.toml"][..], &sets].concat());
    fs::write(
        folder.path().join("jiq.toml"),
        BASE.replace("rule = \"power-of-d\", d = 2", "rule = \"join-idle-queue\"")
            .replace("= 10\n", "= \"infinite\"\n"),
    )
    .unwrap();
    assert_eq!(jiq, printed(&folder, &["fluid", "jiq.toml"]));
    assert_ne!(jiq, printed(&folder, &["fluid", "base.toml"]));
}

#[test]
fn output_goes_to_a_file_whole() {
    let folder = folder();
    let text = printed(&folder, &["fluid", "base.toml"]);
    assert_eq!(printed(&folder, &["fluid", "base.toml", "--output", "fluid.csv"]), "");
    assert_eq!(fs::read_to_string(folder.path().join("fluid.csv")).unwrap(), text);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let folder = folder();
    let simulate = &["simulate", "--paths", "--set", "run.replications=20"];
    for arguments in [&["fluid"][..], &["fluid", "--format", "json"], simulate] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("alba"))
            .current_dir(folder.path())
            .args(arguments)
            .args(["base.toml", "--quiet", "--set", "system.servers=100", "--set", "run.samples=5000"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
    }
}

#[test]
fn comparisons_are_kept_with_all_that_they_used() {
    let folder = folder();
    let output =
        alba(&folder, &["compare", "base.toml", "--seed", "9"]).assert().success().get_output().clone();
    let notes = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = notes.lines().collect();
    assert_eq!(lines[0], "wrote results/base");
    assert!(
        lines[1].starts_with("base: ") && lines[1].contains(" requests and 0 present at the start = "),
        "{notes}"
    );
    assert!(lines[2].starts_with("base (N = 20): fluid and simulated servers differ by "), "{notes}");
    assert!(
        lines[3].starts_with("base: the fluid model is ") && lines[3].contains(" for N = 20; "),
        "{notes}"
    );
    assert!(lines[4].starts_with("base: at rest the fluid model's jobs per server"), "{notes}");
    assert_eq!(lines.len(), 5, "{notes}");
    let made = |name: &str| folder.path().join("results/base").join(name);
    assert_eq!(fs::read_to_string(made("agreement.csv")).unwrap(), String::from_utf8(output.stdout).unwrap());
    let jobs = fs::read_to_string(made("jobs.csv")).unwrap();
    assert!(
        jobs.starts_with("scenario,servers,replications,present_at_start,requests,done,lost,rejected,"),
        "{jobs}"
    );
    assert!(jobs.ends_with(",0\n"), "{jobs}");
    let table = fs::read_to_string(made("table.csv")).unwrap();
    assert!(table.starts_with(
        "time,arrival_rate,fluid_cold,simulated_cold,simulated_cold_half_width,fluid_initializing,"
    ));
    assert!(table.lines().next().unwrap().contains(",replications,"));
    assert_eq!(table.lines().count(), 6);
    assert!(fs::read_to_string(made("figures/base.svg")).unwrap().starts_with("<svg"));
    assert!(fs::read(made("figures/base.png")).unwrap().starts_with(b"\x89PNG"));
    let manifest = fs::read_to_string(made("manifest.toml")).unwrap();
    for line in [
        "program = \"alba\"",
        "version = \"0.1.0\"",
        "study = \"compare\"",
        "seed = 9",
        "idle = 1.0",
        "warm_up = 0.0",
    ] {
        assert!(manifest.contains(line), "{line}: {manifest}");
    }
    assert_eq!(fs::read_dir(folder.path().join("results")).unwrap().count(), 1);
    alba(&folder, &["compare", "base.toml", "--quiet"]).assert().success().stderr("");
    assert!(fs::read_to_string(made("manifest.toml")).unwrap().contains("seed = 1\n"));
}

#[test]
fn results_of_others_are_left_alone() {
    let folder = folder();
    let precious = folder.path().join("results/base/precious");
    fs::create_dir_all(precious.parent().unwrap()).unwrap();
    fs::write(&precious, "mine").unwrap();
    let (code, message) = refused(&folder, &["compare", "base.toml"]);
    let expected =
        "error: results/base is there already and is not a results folder of alba: it is left alone\n";
    assert_eq!((code, message.as_str()), (1, expected));
    assert_eq!(fs::read_to_string(precious).unwrap(), "mine");
}

#[test]
fn jobs_that_are_lost_are_told_once() {
    let folder = folder();
    let cold = ["--set", "initial.warm=[]", "--set", "initial.initializing=0.5"];
    for command in [&["simulate"][..], &["simulate", "--summary"], &["simulate", "--paths"], &["compare"]] {
        let output = alba(&folder, &[command, &["base.toml", "--quiet"], &cold].concat()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message.matches("jobs are lost").count(), 1, "{command:?}: {message}");
        assert!(message.starts_with("warning: base: jobs are lost ("), "{message}");
    }
    alba(&folder, &["simulate", "base.toml"]).assert().success().stderr("");
    let full = [
        "fluid",
        "base.toml",
        "--set",
        "system.buffer=1",
        "--set",
        "system.arrival_rate=0.9",
        "--set",
        "system.servers=100",
    ];
    let output = alba(&folder, &full).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("warning: base: jobs are rejected ("));
}

/// The fluid model of 20 servers over 600 service times has queues that are too short, and says by how much and by what that is judged;
/// of 20,000 there is nothing but a note.
#[test]
fn the_fluid_model_is_judged_by_the_chain() {
    let folder = folder();
    let said = |servers: &str, more: &[&str]| {
        let set = ["--set", servers, "--set", "run.horizon=600", "--set", "system.buffer=100"];
        let output = alba(&folder, &[&["fluid", "base.toml"], &set[..], more].concat()).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let few = said("system.servers=20", &["--quiet"]);
    assert!(
        few.starts_with("warning: base: the fluid model is off for N = 20; worst, on average over time: "),
        "{few}"
    );
    assert!(
        few.contains(" % too low (") && few.contains("; judged by ") && few.contains(" runs of the chain"),
        "{few}"
    );
    let many = said("system.servers=20000", &[]);
    assert!(many.starts_with("base: the fluid model is good for N = 20000; "), "{many}");
    assert!(many.contains("servers on (server-hours)") && many.contains("of the horizon"), "{many}");
    assert_eq!(said("system.servers=20000", &["--quiet"]), "");
    // The judge draws from a seed of its own.
    let seeded = said("system.servers=20", &["--quiet", "--seed", "3"]);
    assert!(seeded.ends_with(&few) && seeded.contains("run.seed is not used"), "{seeded}");
}

#[test]
fn the_scenarios_that_come_along_are_valid() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
    let folder = folder();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let path = path.to_str().unwrap();
            let short = ["run.horizon=1", "run.warm_up=0", "run.samples=1"].map(|set| ["--set", set]);
            printed(&folder, &[&["simulate", path], short.as_flattened()].concat());
        }
    }
}

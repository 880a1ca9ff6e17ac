//! Keys that make no difference are said, and no others: every command with two values of every key.

use crate::command_line::{BASE, alba};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A key, and a value that makes a difference where any does.
const KEYS: [(&str, &str); 14] = [
    ("system.servers", "5"),
    ("system.buffer", "3"),
    ("system.arrival_rate", "0.8"),
    ("system.scaling_rate", "0.3"),
    ("scheme.scaling.theta", "0.9"),
    ("initial.warm", "[1.0]"),
    ("energy.busy", "2"),
    ("run.horizon", "500"),
    ("run.samples", "5"),
    ("run.replications", "4"),
    ("run.seed", "2"),
    ("run.warm_up", "50"),
    ("run.max_events", "20"),
    ("run.precision", "5 %"),
];

/// Kinds of runs, each with commands that show together whatever it depends on.
const RUNS: [(&str, &[&[&str]]); 7] = [
    ("fluid", &[&["fluid", "base.toml", "--unit", "servers"]]),
    ("fixed points", &[&["fixed-point", "base.toml"]]),
    ("chain", &[&["simulate", "base.toml"], &["simulate", "base.toml", "--summary"]]),
    ("steady state", &[&["simulate", "base.toml", "--steady-state"]]),
    ("exact", &[&["exact", "base.toml"]]),
    ("equilibrium", &[&["exact", "base.toml", "--stationary"]]),
    ("numbered servers", &[&["cluster", "base.toml"]]),
];

/// What commands print and keep, and what they say.
fn outcome(commands: &[&[&str]], sets: &[String]) -> (BTreeMap<String, Vec<u8>>, String) {
    let folder = tempfile::tempdir().unwrap();
    let base = BASE.replace("servers = 20", "servers = 4").replace("buffer = 10", "buffer = 2");
    fs::write(folder.path().join("base.toml"), base.replace("horizon = 20", "horizon = 400")).unwrap();
    let (mut shown, mut said) = (BTreeMap::new(), String::new());
    for command in commands {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let arguments: Vec<&str> = command.iter().copied().chain(sets).collect();
        let output = alba(&folder, &arguments).output().unwrap();
        said += &String::from_utf8(output.stderr).unwrap();
        // A command may refuse a key: that is said, too.
        assert!(matches!(output.status.code(), Some(0 | 2)), "{arguments:?}: {said}");
        shown.insert(command.join(" "), output.stdout);
    }
    keep(&folder.path().join("results"), &mut shown);
    (shown, said)
}

fn keep(folder: &Path, shown: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            keep(&path, shown);
        } else if path.extension().is_some_and(|extension| extension == "csv") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            shown.insert(name, fs::read(path).unwrap());
        }
    }
}

fn check(also: &[&str], keys: &[(&str, &str)]) {
    let mut wrong = vec![];
    for (run, commands) in RUNS {
        let also: Vec<String> = also.iter().map(|set| (*set).to_owned()).collect();
        let (before, _) = outcome(commands, &also);
        for (key, value) in keys {
            let (after, said) = outcome(commands, &[&also[..], &[format!("{key}={value}")]].concat());
            let warned = said.contains(&format!("{key} is not used: nothing here depends on it"));
            if warned != (before == after) && !said.contains("error: ") {
                wrong.push(format!("{run}, {key}, warned: {warned}"));
            }
        }
    }
    assert_eq!(wrong, <[String; 0]>::default());
}

#[test]
fn a_key_that_makes_no_difference_is_said() {
    check(&[], &KEYS);
}

#[test]
fn scaling_times_that_never_come_are_said() {
    check(&["scheme={ kind = 'tabs' }"], &KEYS[3..4]);
}

/// What `[cluster]` says in the place of another key.
#[test]
fn a_key_that_another_one_replaces_is_said() {
    for (set, key, values) in [
        ("cluster.initialization=deterministic", "system.initialization_rate", ["0.1", "0.5"]),
        ("cluster.expiration=never", "system.expiration_rate", ["0.1", "0.5"]),
        ("cluster.scaling=per-request", "system.scaling_rate", ["0.1", "0.5"]),
        ("cluster.scaling=per-request", "scheme.scaling.theta", ["0.1", "0.5"]),
        ("cluster.policies=[\"random\"]", "scheme.dispatch.d", ["1", "3"]),
    ] {
        let set = set.replace("=deterministic", "={ law = 'deterministic', mean = 5 }");
        let commands = &RUNS[6].1;
        let said = |sets: &[String]| outcome(commands, sets);
        let sets = |value: &str| [set.clone(), format!("{key}={value}")];
        let [(first, words), (second, _)] = values.map(|value| said(&sets(value)));
        assert!(first == second && words.contains(&format!("{key} is not used")), "{set}, {key}: {words}");
        let [(first, words), (second, _)] = values.map(|value| said(&sets(value)[1..]));
        assert!(first != second && !words.contains("is not used"), "{key}: {words}");
    }
}

/// A cap says nothing without a precision.
#[test]
fn a_cap_of_what_is_not_asked_for_is_said() {
    let caps = [("run.max_replications", "40")];
    check(&[], &caps);
    check(&["run.precision=0.1 %", "run.max_replications=20"], &caps);
}

/// In a sweep a key is read if one of the engines does.
#[test]
fn an_axis_that_makes_no_difference_is_said() {
    let sweep = |engines: &str, axis: &str| {
        let folder: TempDir = crate::command_line::folder();
        let text = format!(
            "name = \"grid\"\nscenario = \"base.toml\"\nengines = {engines}\nmeasures = [\"busy\"]\n[axes]\n{axis}\n"
        );
        fs::write(folder.path().join("sweep.toml"), text).unwrap();
        let output = alba(&folder, &["sweep", "sweep.toml", "--set", "run.samples=5"]).output().unwrap();
        let table = fs::read_to_string(folder.path().join("results/grid/table.csv")).unwrap();
        let busy = |row: &str| row.split(',').nth(4).unwrap().to_owned();
        let rows: Vec<String> = table.lines().skip(1).map(busy).collect();
        (String::from_utf8(output.stderr).unwrap(), rows)
    };
    for (axis, engine) in [
        ("run.seed = [1, 2]", "fluid"),
        ("system.servers = [10, 20]", "fixed-point"),
        ("run.horizon = [10, 20]", "fixed-point"),
        ("run.max_events = [1000, 2000]", "fluid"),
        ("run.precision = [\"10 %\", \"20 %\"]", "exact"),
    ] {
        let key = axis.split(' ').next().unwrap();
        let (said, rows) = sweep(&format!("[\"{engine}\"]"), axis);
        let expected = format!("warning: 2 of 2 cells (the first: 0): no engine here depends on {key}\n");
        assert!(said.contains(&expected) && rows[0] == rows[1], "{axis}: {said} {rows:?}");
        let (said, _) = sweep(&format!("[\"{engine}\", \"simulate\"]"), axis);
        assert!(!said.contains(key), "{axis}: {said}");
    }
    let (said, _) = sweep("[\"fixed-point\"]", "run.seed = [1]");
    assert!(said.contains("no engine here depends on run.samples\n"), "{said}");
}

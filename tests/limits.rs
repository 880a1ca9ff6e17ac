//! What is accepted has an end: estimated before it begins, and by the clock.

use crate::command_line::{alba, folder, refused};
use std::fs;

/// Servers that start, get warm and go cold without end.
const FAST: [&str; 6] = [
    "--set",
    "system.scaling_rate=1e15",
    "--set",
    "system.initialization_rate=1e15",
    "--set",
    "system.expiration_rate=1e15",
];

/// Each would take from days to the age of the world, and is refused before it begins.
#[test]
fn runs_of_years_are_refused_before_they_begin() {
    let folder = folder();
    let endless: [&[&str]; 9] = [
        &["simulate", "base.toml", "--set", "run.horizon=1e12"],
        &["simulate", "base.toml", "--set", "run.replications=1000000000", "--set", "run.horizon=1e6"],
        &[&["simulate", "base.toml", "--summary"], &FAST[..]].concat(),
        &["simulate", "base.toml", "--set", "system.arrival_rate=9e18"],
        &["simulate", "base.toml", "--steady-state", "--set", "run.horizon=1e12"],
        &["simulate", "base.toml", "--paths", "--set", "run.horizon=1e12"],
        &["cluster", "base.toml", "--set", "run.horizon=1e12"],
        &[&["cluster", "base.toml"], &FAST[..]].concat(),
        &["compare", "base.toml", "--set", "system.servers=100000000", "--set", "run.horizon=1e6"],
    ];
    for arguments in endless {
        let (code, error) = refused(&folder, arguments);
        assert_eq!(code, 2, "{arguments:?}: {error}");
        assert!(
            error.contains("this would take about ") && error.contains("limits.time is 1 d"),
            "{arguments:?}: {error}"
        );
    }
    let left = fs::read_dir(folder.path().join("results")).into_iter().flatten().count();
    assert_eq!(left, 0, "nothing is left of what was refused");
}

/// Replications go on until a precision that cannot be had, or until time is up.
#[test]
fn the_clock_ends_what_could_not_be_foreseen() {
    let folder = folder();
    let precision = ["--set", "run.precision=1e-9", "--set", "run.max_replications=1000000000000"];
    let limit = ["--set", "limits.time=300 ms"];
    for command in [&["simulate", "base.toml", "--summary"][..], &["cluster", "base.toml"]] {
        let arguments = [command, &precision, &limit].concat();
        let (code, error) = refused(&folder, &arguments);
        assert_eq!(code, 2, "{arguments:?}: {error}");
        assert!(error.contains("not done after limits.time = 0.3 s"), "{arguments:?}: {error}");
    }
}

/// A cell that is out of its time is a row, and the others are as they were.
#[test]
fn a_cell_has_a_limit_of_its_own() {
    let folder = folder();
    let sweep = "name = \"grid\"\nscenario = \"base.toml\"\nengines = [\"simulate\", \"cluster\"]\nmeasures = [\"busy\"]\n\
                 limits = { cell = \"1 min\" }\n[axes]\nrun.horizon = [50, 1e12]\n";
    fs::write(folder.path().join("sweep.toml"), sweep).unwrap();
    let output = alba(&folder, &["sweep", "sweep.toml"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("4 cells, 2 failed"), "{output:?}");
    let table = fs::read_to_string(folder.path().join("results/grid/table.csv")).unwrap();
    let failed: Vec<&str> = table.lines().filter(|line| line.contains(",failed,")).collect();
    assert_eq!(failed.len(), 2, "{table}");
    assert!(failed.iter().all(|line| line.contains("limits.time is 1 min")), "{table}");
}

/// What a limit may be is said where it is not.
#[test]
fn a_limit_is_a_time_with_a_unit() {
    let folder = folder();
    for value in ["10", "0 s", "-1 s", "1e12 s", "\"soon\""] {
        let setting = format!("limits.time={value}");
        let (code, error) = refused(&folder, &["simulate", "base.toml", "--set", &setting]);
        assert_eq!(code, 2, "{error}");
        assert!(error.contains("limits.time = ") && error.contains("as in \"10 min\""), "{error}");
    }
    alba(&folder, &["simulate", "base.toml", "--set", "limits.time=2 h"]).assert().success();
}

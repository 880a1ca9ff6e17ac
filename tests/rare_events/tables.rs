//! Tables of many runs: sweeps with either engine, and arbitrators compared. One server with room for four (M/M/1/4 at load 0.3),
//! of whose 1050 requests in ten runs six are turned away. Seeds 1 to 100; a coverage of 93 % has a standard error of 2.6 %.

use std::fs;

use alba_ctmc::Estimate;
use tempfile::TempDir;

use super::{Covered, full};
use crate::command_line::{alba, folder, printed};

const LOAD: f64 = 0.3;
const EXPERIMENTS: u64 = 100;

fn scenario(seed: u64) -> String {
    format!(
        r#"name = "seed-{seed}"
[system]
servers = 1
buffer = 4
arrival_rate = {LOAD}
scaling_rate = 1
initialization_rate = 1
expiration_rate = 0
[scheme]
dispatch = {{ rule = "join-idle-queue" }}
scaling = {{ rule = "none" }}
[initial]
warm = [1.0]
[run]
warm_up = 50
horizon = 400
samples = 1
replications = 10
seed = {seed}
"#
    )
}

fn with(files: impl IntoIterator<Item = (String, String)>) -> TempDir {
    let folder = folder();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Rejected fractions of those rows of a table of which a cell is `of`; rows with quoted cells are not looked at.
fn rejected(table: &str, of: &str) -> Vec<Estimate> {
    let mut lines = table.lines().filter(|line| !line.contains('"')).map(|line| line.split(','));
    let header: Vec<&str> = lines.next().unwrap().collect();
    let index = |name: &str| header.iter().position(|&column| column == name).unwrap();
    let columns = [index("rejected_fraction"), index("rejected_fraction_half_width")];
    let rows = lines.map(Iterator::collect::<Vec<&str>>).filter(|cells| cells.contains(&of));
    let estimate = |cells: Vec<&str>| {
        let [value, half_width] = columns.map(|column| cells[column].parse().ok());
        Estimate { value, half_width }
    };
    rows.map(estimate).collect()
}

fn check(name: &str, estimates: &[Estimate]) {
    assert_eq!(estimates.len() as u64, EXPERIMENTS, "{name}");
    Covered::of(estimates.iter().copied(), full(LOAD, 4)).check(name, EXPERIMENTS);
}

#[test]
fn sweeps_cover() {
    let sweep = format!(
        "name = \"grid\"\nscenario = \"one.toml\"\nengines = [\"simulate\", \"cluster\"]\n\
         measures = [\"rejected_fraction\"]\n[axes]\nrun.seed = \"1..{EXPERIMENTS} step 1\"\n"
    );
    let folder = with([("one.toml".to_owned(), scenario(1)), ("sweep.toml".to_owned(), sweep)]);
    alba(&folder, &["sweep", "sweep.toml", "--quiet"]).assert().success();
    let table = fs::read_to_string(folder.path().join("results/grid/table.csv")).unwrap();
    for engine in ["simulate", "cluster"] {
        check(&format!("sweep, {engine}"), &rejected(&table, engine));
    }
}

#[test]
#[ignore = "slow statistical check: compares seven arbitrators a hundred times, half a minute"]
fn compared_arbitrators_cover() {
    let name = |seed: u64| format!("s{seed}.toml");
    let folder = with((1..=EXPERIMENTS).map(|seed| (name(seed), scenario(seed))));
    let names: Vec<String> = (1..=EXPERIMENTS).map(name).collect();
    let arguments =
        ["compare", "--arbitrators", "--quiet"].into_iter().chain(names.iter().map(String::as_str));
    let table = printed(&folder, &arguments.collect::<Vec<_>>());
    check("arbitrators", &rejected(&table, "JIQ + no scaling"));
}

fn said(folder: &TempDir, arguments: &[&str]) -> String {
    let output = alba(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A single replication has no interval, so that there is nothing to compare engines by.
#[test]
fn nothing_is_compared_without_intervals() {
    let folder = with([("one.toml".to_owned(), scenario(1))]);
    let arguments = ["compare", "--arbitrators", "one.toml", "--set", "run.replications=1"];
    let said = said(&folder, &arguments);
    assert!(said.contains("no number has an interval in two engines"), "{said}");
    assert!(!said.contains("of 0 numbers"), "{said}");
}

/// One precision for all measures says which ones it says nothing of; one of their own does not leave them out.
#[test]
fn a_precision_names_what_was_not_seen() {
    let folder = with([("one.toml".to_owned(), scenario(1))]);
    let of = |precision: &str, more: &[&str]| {
        let set = format!("run.precision={precision}");
        let arguments = ["simulate", "one.toml", "--set", "system.arrival_rate=0.01", "--set", &set];
        said(&folder, &[&arguments[..], more].concat())
    };
    for more in [&["--steady-state"][..], &["--summary", "--set", "run.max_replications=60"]] {
        let of_all = of("0.2", more);
        assert!(
            of_all.contains("says nothing of") && of_all.contains("rejected_fraction: none was seen"),
            "{of_all}"
        );
        let of_one = of("{ busy = 0.2 }", more);
        assert!(!of_one.contains("says nothing of"), "{of_one}");
    }
}

//! Sweeps as a person meets them: killed, stopped, out of disk, in shards.

use crate::command_line::{BASE, alba, folder, printed, refused};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SWEEP: &str = r#"name = "grid"
scenario = "base.toml"
engines = ["fixed-point", "simulate"]
measures = ["busy", "mean_response_time", "energy"]
[axes]
system.arrival_rate = "0.1..0.8 step 0.1"
scheme.scaling.theta = "1e-2..1 log 5"
run.horizon = [100]
"#;

fn with_sweep(text: &str) -> TempDir {
    let folder = folder();
    fs::write(folder.path().join("sweep.toml"), text).unwrap();
    folder
}

/// The sweep's results; no times among them.
fn results(folder: &Path) -> [Vec<u8>; 2] {
    ["table.csv", "table.parquet"].map(|name| fs::read(folder.join(name)).unwrap())
}

fn done(folder: &TempDir, arguments: &[&str]) -> String {
    let output = alba(folder, arguments).assert().success().get_output().stderr.clone();
    String::from_utf8(output).unwrap()
}

fn start(folder: &TempDir, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_alba"));
    command.current_dir(folder.path()).args(arguments).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for `lines` in the journal: whether they came before the child ended, with success.
fn reaches(child: &mut Child, journal: &Path, lines: usize) -> bool {
    const PATIENCE: Duration = Duration::from_secs(120);
    let begun = Instant::now();
    loop {
        if fs::read_to_string(journal).is_ok_and(|text| text.lines().count() >= lines) {
            return true;
        }
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "it ended before {lines} lines were in its journal: {status}");
            return false;
        }
        assert!(begun.elapsed() < PATIENCE, "{lines} lines are not in the journal after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_sweep_leaves_tables_and_goes_on() {
    let folder = with_sweep(SWEEP);
    assert_eq!(done(&folder, &["sweep", "sweep.toml"]), "wrote results/grid: 80 cells, 0 failed\n");
    let results_folder = folder.path().join("results/grid");
    let table = fs::read_to_string(results_folder.join("table.csv")).unwrap();
    let half_widths = "busy_half_width,mean_response_time_half_width,energy_half_width";
    let header = format!(
        "cell,system.arrival_rate,scheme.scaling.theta,run.horizon,engine,seed,busy,mean_response_time,energy,{half_widths},status,error"
    );
    assert_eq!(table.lines().next(), Some(header.as_str()));
    assert!(table.lines().nth(2).unwrap().starts_with("1,0.1,0.01,100,simulate,1,0."));
    assert_eq!(table.lines().count(), 81);
    let before = results(&results_folder);
    done(&folder, &["sweep", "sweep.toml", "--threads", "1"]);
    assert!(results(&results_folder) == before);
    let (code, error) = refused(&folder, &["sweep", "sweep.toml", "--seed", "2"]);
    let was = "error: results/grid was begun with something else; --fresh starts over\nerror: scenario: run.seed was absent, is 2\n";
    assert_eq!((code, error.as_str()), (2, was));
    done(&folder, &["sweep", "sweep.toml", "--seed", "2", "--fresh", "--quiet"]);
    assert!(results(&results_folder) != before);
}

#[test]
fn killed_at_random_moments_it_goes_on_to_the_same_bytes() {
    let text = SWEEP.replace("[100]", "[4000]");
    let folder = with_sweep(&text);
    done(&folder, &["sweep", "sweep.toml", "--output", "whole"]);
    let whole = results(&folder.path().join("whole"));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let journal = folder.path().join("killed/journal");
    // The first one is killed with all cells before it.
    let (mut kills, mut lines) = (0, 1);
    for _ in 0..10 {
        let mut child = start(&folder, &["sweep", "sweep.toml", "--output", "killed", "--quiet"]);
        let unfinished = reaches(&mut child, &journal, lines);
        child.kill().unwrap();
        kills += u32::from(!child.wait().unwrap().success());
        if !unfinished {
            break;
        }
        lines = fs::read_to_string(&journal).unwrap().lines().count() + random.random_range(0..8);
    }
    assert!(kills > 0, "every run was over before it was killed");
    done(&folder, &["sweep", "sweep.toml", "--output", "killed"]);
    assert!(results(&folder.path().join("killed")) == whole);
}

#[test]
fn shards_in_any_order_make_the_whole() {
    let folder = with_sweep(SWEEP);
    done(&folder, &["sweep", "sweep.toml"]);
    let whole = results(&folder.path().join("results/grid"));
    for shard in ["1/3", "2/3", "0/3"] {
        done(&folder, &["sweep", "sweep.toml", "--shard", shard]);
    }
    let shards = [2, 0, 1].map(|index| format!("results/grid-shard-{index}-of-3"));
    let merge = |shards: &[String], output: &str| {
        let mut arguments = vec!["merge", "--output", output];
        arguments.extend(shards.iter().map(String::as_str));
        alba(&folder, &arguments).output().unwrap()
    };
    assert!(merge(&shards, "merged").status.success());
    assert!(results(&folder.path().join("merged")) == whole);
    let missing = merge(&shards[..2], "incomplete");
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("27 of 80 cells are missing"));
    assert!(!folder.path().join("incomplete").exists());
    let (code, error) = refused(&folder, &["sweep", "sweep.toml", "--shard", "3/3"]);
    assert_eq!(code, 2);
    assert!(error.contains("I/N with I from 0 to N - 1, as in 0/8"), "{error}");
}

/// A row for a cell whose values are wrong and for one that has no fixed point; the others are done. For a while a chain
/// can be overloaded too.
#[test]
fn failed_cells_are_rows_and_exit_code_1() {
    let axes = "[axes]\nsystem.arrival_rate = [0.5, 1.5]\nsystem.buffer = [10, 0, \"infinite\"]\nscheme.dispatch.d = [2]\n";
    let head = SWEEP.split("[axes]").next().unwrap();
    let folder = with_sweep(&format!("{head}{axes}"));
    let output = alba(&folder, &["sweep", "sweep.toml"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("error: 5 of 12 cells failed: column error of results/grid/table.csv\n"),
        "{error}"
    );
    assert!(error.contains(
        "warning: 2 of 12 cells (the first: 10): arrival rate of at least 1 with an infinite buffer"
    ));
    let table = fs::read_to_string(folder.path().join("results/grid/table.csv")).unwrap();
    let rows: Vec<&str> = table.lines().skip(1).collect();
    let is_ok: Vec<bool> = rows.iter().map(|row| row.ends_with(",ok,")).collect();
    assert_eq!(is_ok, [true, true, false, false, true, true, true, true, false, false, false, true]);
    assert!(rows[2].contains("failed,\"sweep.toml:7:22: system.buffer = 0 is not allowed"), "{}", rows[2]);
    assert!(
        rows[10].contains("failed,base: the fluid model cannot be solved: there is no fixed point"),
        "{}",
        rows[10]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn without_room_it_says_so_and_goes_on_later() {
    let folder = with_sweep(SWEEP);
    done(&folder, &["sweep", "sweep.toml", "--output", "whole"]);
    let whole = results(&folder.path().join("whole"));
    // No file above 4 or 8 kB: what a full disk does to the journal.
    let script = format!(
        "ulimit -f 8; trap '' XFSZ; exec {} sweep sweep.toml --output small",
        env!("CARGO_BIN_EXE_alba")
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("error: cannot write small/journal: File too large"), "{error}");
    assert!(error.contains("finished cells are kept: the same command goes on from there"), "{error}");
    assert!(!folder.path().join("small/table.csv").exists());
    done(&folder, &["sweep", "sweep.toml", "--output", "small"]);
    assert!(results(&folder.path().join("small")) == whole);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_cleanly() {
    let folder = with_sweep(&SWEEP.replace("[100]", "[60000]"));
    let mut child = start(&folder, &["sweep", "sweep.toml"]);
    let journal = folder.path().join("results/grid/journal");
    assert!(reaches(&mut child, &journal, 2), "it was over before it was interrupted");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("of 80 cells are done; the same command goes on from there"), "{error}");
}

#[test]
fn a_dry_run_prints_cells_and_writes_nothing() {
    let folder = with_sweep(SWEEP);
    let cells = printed(&folder, &["sweep", "sweep.toml", "--dry-run"]);
    let header =
        "cell,system.arrival_rate,scheme.scaling.theta,run.horizon,engine,seed,estimated_seconds,error";
    assert_eq!(cells.lines().next(), Some(header));
    assert_eq!(cells.lines().count(), 81);
    assert!(!folder.path().join("results").exists());
    let note = done(&folder, &["sweep", "sweep.toml", "--dry-run", "--threads", "1"]);
    assert!(
        note.starts_with("80 cells; about ") && note.contains("on 1 threads, from timing 14 cells"),
        "{note}"
    );
}

#[test]
fn tables_are_drawn() {
    let folder = with_sweep(SWEEP);
    done(&folder, &["sweep", "sweep.toml"]);
    let axes = ["--x", "system.arrival_rate", "--y", "mean_response_time"];
    let plot = |more: &[&'static str]| [&["plot", "results/grid/table.parquet"], &axes[..], more].concat();
    let note = done(&folder, &plot(&["--by", "scheme.scaling.theta", "--only", "engine=simulate"]));
    let beside = "results/grid/figures/mean_response_time-against-arrival_rate";
    assert_eq!(note, format!("wrote {beside}.svg\nwrote {beside}.png\n"));
    assert!(fs::read(folder.path().join(format!("{beside}.png"))).unwrap().starts_with(b"\x89PNG"));
    let (code, error) = refused(&folder, &plot(&["--by", "engine"]));
    assert_eq!(code, 2);
    assert!(
        error.contains("5 rows have system.arrival_rate = 0.1, fixed-point: name the columns"),
        "{error}"
    );
    assert!(error.contains("(they differ in scheme.scaling.theta)"), "{error}");
    let heat =
        ["plot", "results/grid/table.csv", "--x", "system.arrival_rate", "--y", "scheme.scaling.theta"];
    let heat =
        [&heat[..], &["--heat", "energy", "--only", "engine=fixed-point", "--output", "heat.svg"]].concat();
    assert_eq!(done(&folder, &heat), "wrote heat.svg\n");
    let front = [
        "plot",
        "results/grid/table.csv",
        "--x",
        "energy",
        "--y",
        "mean_response_time",
        "--pareto",
        "--quiet",
    ];
    assert_eq!(done(&folder, &front), "");
    let (code, error) = refused(&folder, &["plot", "base.toml", "--x", "a", "--y", "b"]);
    assert_eq!(code, 2);
    assert!(error.contains("base.toml: no table: "), "{error}");
}

#[test]
fn other_tables_can_be_parquet_too() {
    let folder = folder();
    assert!(BASE.contains("servers = 20"));
    printed(&folder, &["fluid", "base.toml", "--format", "parquet", "--output", "fluid.parquet"]);
    printed(&folder, &["fluid", "base.toml", "--output", "fluid.csv"]);
    let [parquet, csv] = ["fluid.parquet", "fluid.csv"]
        .map(|name| alba_table::Table::read(&folder.path().join(name)).unwrap());
    assert_eq!(parquet, csv);
    printed(
        &folder,
        &["simulate", "base.toml", "--paths", "--format", "parquet", "--output", "paths.parquet"],
    );
    let paths = alba_table::Table::read(&folder.path().join("paths.parquet")).unwrap();
    assert_eq!((paths.rows().len(), paths.columns()[0].as_str()), (15, "replication"));
}

/// The sweeps that come with the program are valid.
#[test]
fn sweeps_of_the_repository_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/sweeps");
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let sweep = alba_sweep::Sweep::load(&path, &[], &alba_sweep::ENGINES).unwrap();
        sweep.scenario(0).unwrap();
        sweep.scenario(sweep.cells() - 1).unwrap();
        read += 1;
    }
    assert!(read >= 3);
}

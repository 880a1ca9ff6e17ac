//! `alba exact` as a person meets it.

use assert_cmd::Command;
use std::fs;
use tempfile::TempDir;

const SCENARIO: &str = r#"name = "few"
[system]
servers = 2
buffer = 3
arrival_rate = 0.7
scaling_rate = 0.5
initialization_rate = 0.1
expiration_rate = 0.025
[scheme]
dispatch = { rule = "join-idle-queue" }
scaling = { rule = "blind", theta = 0.4 }
[initial]
warm = [1.0]
[run]
horizon = 20
samples = 4
"#;

const MEASURES: &str = "cold,initializing,idle,busy,jobs_per_server,jobs_per_warm,mean_response_time,lost_fraction,\
                        rejected_fraction,energy";

/// Exit code, standard output, standard error.
fn alba(arguments: &[&str]) -> (i32, String, String) {
    let folder: TempDir = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("few.toml"), SCENARIO).unwrap();
    let mut command: Command = assert_cmd::cargo::cargo_bin_cmd!("alba");
    let output =
        command.current_dir(folder.path()).args(["exact", "few.toml"]).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn over_time() {
    let (code, table, _) = alba(&["--levels", "1"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], format!("time,arrival_rate,{MEASURES},warm_0,warm_1,error_bound"));
    assert_eq!(lines.len(), 6);
    assert!(lines[1].starts_with("0,0.7,0,0,1,0,0,0,1,0,0,1,1,0,"), "{}", lines[1]);
    let bound: f64 = lines[5].rsplit(',').next().unwrap().parse().unwrap();
    assert!(bound > 0.0 && bound < 1e-10);
}

#[test]
fn in_equilibrium() {
    let (code, table, errors) = alba(&["--stationary"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = table.lines().collect();
    let rest = "p50,p95,p99,p99_9,waiting_probability,states,residual";
    assert_eq!(lines[0], format!("arrival_rate,{MEASURES},{rest}"));
    assert_eq!(lines.len(), 2);
    assert!(lines[1].starts_with("0.7,0.0190979"), "{}", lines[1]);
    assert!(errors.contains("warning: few: jobs are lost"), "{errors}");
}

#[test]
fn in_servers_and_milliseconds() {
    let set = ["--unit", "servers", "--set", "system.mean_service_time=250 ms", "--levels", "0"];
    let (code, table, _) = alba(&set);
    assert_eq!(code, 0);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].ends_with("energy,warm_0,mean_response_time_ms,error_bound"), "{}", lines[0]);
    assert!(lines[1].starts_with("0,0,0.7,0,0,2,0,0,0,1,0,0,2,2,250,"), "{}", lines[1]);
}

#[test]
fn an_infinite_buffer_is_cut_and_said_so() {
    let (code, _, errors) = alba(&["--set", "system.buffer=infinite", "--set", "run.horizon=5"]);
    assert_eq!(code, 0);
    assert!(errors.contains("the buffer is infinite, queues are cut at"), "{errors}");
}

#[test]
fn what_cannot_be_solved() {
    let (code, _, errors) = alba(&["--set", "system.servers=1000", "--set", "system.buffer=100"]);
    assert_eq!(code, 1);
    assert!(
        errors.contains("few: the chain cannot be solved exactly: 1000 servers with up to 100 jobs"),
        "{errors}"
    );
    let (code, _, errors) =
        alba(&["--stationary", "--set", "system.arrival_rate={ steps = [[0, 0.5], [3, 0.6]] }"]);
    assert_eq!(code, 2);
    assert!(errors.contains("--stationary needs a constant arrival rate"), "{errors}");
}

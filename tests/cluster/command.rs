//! `alba cluster` as a person meets it.

use std::fs;

use crate::command_line::{BASE, alba, folder};

fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn printed(arguments: &[&str], cluster: &str) -> (String, tempfile::TempDir) {
    let folder = folder();
    fs::write(folder.path().join("base.toml"), format!("{BASE}{cluster}")).unwrap();
    fs::write(folder.path().join("times.csv"), "id,ms\n1,250\n2,750\n").unwrap();
    fs::write(folder.path().join("stamps.csv"), "time_s\n0.5\n1.5\n1.5\n3.25\n").unwrap();
    let all = [&["cluster", "base.toml"], arguments].concat();
    let output = alba(&folder, &all).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), folder)
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let index = rows[0].iter().position(|column| column == name).unwrap();
    rows[1..].iter().map(|row| row[index].clone()).collect()
}

const ALL: &str = "[cluster]\npolicies = [\"round-robin\", \"weighted-round-robin\", \"least-connections\", \
                   \"weighted-least-connections\", \"random\", { rule = \"power-of-d\", d = 2 }, { rule = \
                   \"join-below-threshold\", d = 1 }, \"join-idle-queue\", \"most-recently-used-idle\", \"least-work-left\", \
                   \"phase-partition\", { rule = \"phase-partition-power-saving\", eta = 0.7 }]\n";

#[test]
fn every_policy_has_a_row_and_every_request_an_end() {
    let (text, folder) = printed(&[], ALL);
    let rows = rows(&text);
    assert_eq!(rows.len(), 13);
    let number =
        |name: &str| -> Vec<u64> { column(&rows, name).iter().map(|cell| cell.parse().unwrap()).collect() };
    for index in 0..12 {
        let ends = ["done", "rejected", "lost", "present_at_end"].map(|name| number(name)[index]);
        assert_eq!(number("present_at_start")[index] + number("arrived")[index], ends.iter().sum::<u64>());
    }
    assert!(number("arrived").windows(2).all(|pair| pair[0] == pair[1]), "not the same requests");
    let differences = column(&rows, "mean_response_time_difference");
    assert_eq!((differences[0].as_str(), differences.len()), ("0", 12));
    for file in ["table.csv", "time.csv", "servers.csv", "levels.csv", "manifest.toml", "figures/base.png"] {
        assert!(folder.path().join("results/base-cluster").join(file).exists(), "{file}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("results/base-cluster/table.csv")).unwrap(), text);
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let on = |threads: &str| printed(&["--threads", threads], ALL).0;
    assert_eq!(on("1"), on("2"));
    assert_eq!(on("1"), on("7"));
    assert_ne!(on("1"), printed(&["--seed", "2"], ALL).0);
}

#[test]
fn without_a_section_the_scheme_is_simulated() {
    let (text, _folder) = printed(&["--format", "json"], "");
    assert!(text.contains("\"policy\":\"Power-of-2\""), "{text}");
}

#[test]
fn measured_times_and_recorded_requests() {
    let cluster = "[cluster]\nservice = { law = \"empirical\", file = \"times.csv\", column = \"ms\", unit = \"ms\" }\n\
                   arrivals = \"recorded\"\nscaling = \"none\"\n";
    let sets = [
        "--set",
        "system.mean_service_time=500 ms",
        "--set",
        "system.arrival_rate={ trace = \"stamps.csv\", interval = \"1 s\" }",
        "--set",
        "run.horizon=3 s",
        "--set",
        "scheme.dispatch={ rule = \"join-idle-queue\" }",
        "--set",
        "cluster.expiration=never",
    ];
    let (text, _folder) = printed(&sets, cluster);
    let rows = rows(&text);
    // Times count from the first interval's beginning, the first request's time.
    assert_eq!(column(&rows, "arrived"), ["12"]); // four in each of three replications
    let response: f64 = column(&rows, "mean_response_time_ms")[0].parse().unwrap();
    assert!((250.0..=750.0).contains(&response), "{response}");
    assert_eq!(column(&rows, "mean_waiting_time"), ["0"]);
}

/// What is printed, and what is said about it.
fn said(cluster: &str, sets: &[&str]) -> (Vec<Vec<String>>, String) {
    let folder = folder();
    fs::write(folder.path().join("base.toml"), format!("{BASE}{cluster}")).unwrap();
    fs::write(folder.path().join("stamps.csv"), "time_s\n0.5\n1.5\n1.5\n3.25\n").unwrap();
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let arguments: Vec<&str> = ["cluster", "base.toml"].into_iter().chain(sets).collect();
    let output = alba(&folder, &arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert!(output.status.success(), "{}", text(output.stderr));
    (rows(&text(output.stdout)), text(output.stderr))
}

/// A difference is that of the two values beside it; too few requests are a reason; one run lies around the mean.
#[test]
fn percentiles_speak_of_one_value() {
    let cluster = "[cluster]\npolicies = [\"random\", \"least-connections\"]\n";
    let (rows, errors) = said(cluster, &[]);
    let numbers = |name: &str| -> Vec<f64> {
        column(&rows, name).iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
    };
    for name in ["p50", "p95", "p99", "p99_9", "waiting_p99"] {
        let (values, differences) = (numbers(name), numbers(&format!("{name}_difference")));
        assert!((differences[1] - (values[1] - values[0])).abs() < 1e-12, "{name}");
    }
    assert_eq!(column(&rows, "p99_9_half_width"), ["", ""]);
    assert!(errors.contains("no interval for") && errors.contains("p99_9 ("), "{errors}");
    let (low, mean, high) = (
        numbers("mean_response_time_run_low"),
        numbers("mean_response_time"),
        numbers("mean_response_time_run_high"),
    );
    let half_width = numbers("mean_response_time_half_width");
    for row in 0..2 {
        assert!(low[row] < mean[row] && mean[row] + half_width[row] < high[row]);
        assert!(high[row] - low[row] > 2.0 * half_width[row]);
    }
    assert_eq!(rows[0].last().unwrap(), "overload_fraction_run_high");
}

#[test]
fn replays_without_randomness_say_so() {
    let cluster = "[cluster]\nservice = { law = \"deterministic\" }\narrivals = \"recorded\"\nscaling = \"none\"\n\
                   expiration = \"never\"\npolicies = [\"round-robin\"]\n";
    let sets = [
        "system.mean_service_time=500 ms",
        "system.arrival_rate={ trace = \"stamps.csv\", interval = \"1 s\", stamps = \"keep\" }",
        "run.horizon=3 s",
    ];
    let (rows, errors) = said(cluster, &sets);
    for name in ["mean_response_time", "p50", "p99_9", "busy"] {
        assert_eq!(column(&rows, &format!("{name}_half_width")), ["0"], "{name}");
        assert_eq!(column(&rows, &format!("{name}_run_low")), column(&rows, name));
    }
    assert!(errors.contains("nothing in them is random"), "{errors}");
    let (_, errors) = said(&cluster.replace("deterministic", "exponential"), &sets);
    assert!(!errors.contains("nothing in them is random"), "{errors}");
}

#[test]
fn a_central_queue_is_refused() {
    let folder = folder();
    let tables = "dispatch = { rule = \"power-of-d\", d = 2 }\nscaling = { rule = \"blind\", theta = 0.06 }";
    fs::write(folder.path().join("base.toml"), BASE.replace(tables, "kind = \"central-queue\"")).unwrap();
    let output = alba(&folder, &["cluster", "base.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("central-queue"));
    assert!(!folder.path().join("results/base-cluster").exists());
}

#[test]
fn nobody_served_is_no_error() {
    // No response time to draw: the panels that have something are drawn.
    let (text, folder) = printed(&["--set", "initial.warm=[]"], "[cluster]\nscaling = \"none\"\n");
    let rows = rows(&text);
    assert_eq!(column(&rows, "lost_fraction"), ["1"]);
    assert_eq!(column(&rows, "mean_response_time"), [""]);
    let figure = folder.path().join("results/base-cluster/figures/base.svg");
    let figure = fs::read_to_string(figure).unwrap();
    assert!(figure.contains("Servers on") && !figure.contains("Delay and energy"));
    printed(&["--set", "system.arrival_rate=0"], "");
}

#[test]
fn scaling_times_that_start_nothing_take_no_time() {
    // 4 servers asked a thousand million times a service time; the numbers are those of a thousand times.
    let busy = |rate: &str| {
        let key = format!("system.scaling_rate={rate}");
        let (text, _folder) = printed(&["--set", &key, "--set", "run.replications=40"], "");
        column(&rows(&text), "servers_on")[0].parse::<f64>().unwrap()
    };
    let [thousand, million_million] = ["1e3", "1e12"].map(busy);
    assert!((thousand / million_million - 1.0).abs() < 0.03, "{thousand}, {million_million}");
}

//! A precision means the same in every command that draws anything, and is refused where it cannot be had.

use std::fs;

use alba_cluster::{
    Arbitrator, Discipline, Experiment, Group, Law, Outcome, Precision, Problem, Shortfall, Tolerance,
    simulate, simulate_to_precision,
};
use alba_model::{Grid, Measure};
use rayon::prelude::*;
use tempfile::TempDir;

use crate::cluster::always_warm;
use crate::command_line::{alba, folder, printed, refused};

/// One server at load 0.6, of which each run has some 120 requests after its warm-up.
fn one_server() -> Problem {
    let mut parts = always_warm(
        Group::new(1).unwrap(),
        Discipline::FirstComeFirstServed,
        0.6,
        Law::exponential(1.0).unwrap(),
    );
    (parts.grid, parts.warm_up) = (Grid::new(300.0, 2).unwrap(), 100.0);
    Problem::new(parts).unwrap()
}

fn precision(asked: &[(Measure, Tolerance)], most: u64) -> Precision {
    let of =
        |measure: Measure| asked.iter().find(|(own, _)| *own == measure).map(|(_, tolerance)| *tolerance);
    Precision::new(Measure::OF_REQUESTS.map(of).into(), most).unwrap()
}

fn to_precision(asked: &[(Measure, Tolerance)], most: u64, seed: u64) -> (Outcome, Option<Shortfall>) {
    let experiment = Experiment::new(4, seed, vec![Arbitrator::Random]).unwrap();
    simulate_to_precision(&one_server(), &experiment, &precision(asked, most), &|_, _| ()).unwrap()
}

/// Means and percentiles are as narrow as asked for, with no more replications than that takes; values are those of that many
/// replications, and half-widths never narrower.
#[test]
fn numbered_servers_go_on_until_it_is_met() {
    let mean = (Measure::MeanResponseTime, Tolerance::Relative(0.05));
    let percentile = (Measure::P95, Tolerance::Absolute(0.5));
    for asked in [mean, percentile] {
        let (outcome, shortfall) = to_precision(&[asked], 100_000, 3);
        let policy = &outcome.policies[0];
        let within = |outcome: &Outcome| {
            let estimate = outcome.policies[0].metric(asked.0);
            estimate
                .half_width
                .is_some_and(|half_width| half_width <= asked.1.allowed(estimate.value.unwrap()))
        };
        assert!(shortfall.is_none() && within(&outcome), "{asked:?}");
        let plain = |replications| {
            let experiment = Experiment::new(replications, 3, vec![Arbitrator::Random]).unwrap();
            simulate(&one_server(), &experiment, &|_| ()).unwrap()
        };
        assert!(!within(&plain(policy.replications.div_ceil(3))), "{asked:?}: {}", policy.replications);
        let plain = plain(policy.replications);
        for (own, plain) in policy.metrics.iter().zip(&plain.policies[0].metrics) {
            assert_eq!(own.value, plain.value);
            assert!(own.half_width >= plain.half_width, "{own:?} {plain:?}");
        }
        assert_eq!(policy.counts, plain.policies[0].counts);
    }
}

#[test]
fn the_cap_names_policy_and_measure() {
    let experiment = Experiment::new(4, 1, vec![Arbitrator::RoundRobin, Arbitrator::Random]).unwrap();
    let asked = precision(&[(Measure::Busy, Tolerance::Relative(1e-3))], 25);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| simulate_to_precision(&one_server(), &experiment, &asked, &|_, _| ()).unwrap())
    };
    let (outcome, shortfall) = on(1);
    let shortfall = shortfall.unwrap();
    assert!(
        shortfall.measure == Measure::Busy && shortfall.row < 2 && shortfall.excess > 10.0,
        "{shortfall:?}"
    );
    assert_eq!(outcome.policies[1].replications, 25);
    assert_eq!((outcome, Some(shortfall)), on(3));
}

/// Of `experiments` that stop by themselves (seeds 0, 1, ...), so many cover the truth of M/M/1 from a start at rest that has settled:
/// `1 / 0.4`, and `ln 20 / 0.4`; 95 % but for 3 standard errors.
fn assert_covered(asked: (Measure, Tolerance), truth: f64, experiments: u64) {
    let covered = (0..experiments).into_par_iter().filter(|&seed| {
        let (outcome, shortfall) = to_precision(&[asked], 100_000, seed);
        let estimate = outcome.policies[0].metric(asked.0);
        assert_eq!(shortfall, None);
        (estimate.value.unwrap() - truth).abs() <= estimate.half_width.unwrap()
    });
    let share = covered.count() as f64 / experiments as f64;
    let least = 0.95 - 3.0 * (0.95 * 0.05 / experiments as f64).sqrt();
    assert!(share >= least, "{asked:?}: {share}");
}

#[test]
fn intervals_of_runs_that_stop_by_themselves_cover() {
    assert_covered((Measure::MeanResponseTime, Tolerance::Relative(0.1)), 2.5, 200);
    assert_covered((Measure::P95, Tolerance::Relative(0.15)), 20f64.ln() / 0.4, 200);
}

#[test]
#[ignore = "slow statistical check: 2000 experiments each, a minute"]
fn they_cover_to_a_percent() {
    assert_covered((Measure::MeanResponseTime, Tolerance::Relative(0.1)), 2.5, 2000);
    assert_covered((Measure::WaitingProbability, Tolerance::Relative(0.05)), 0.6, 2000);
    assert_covered((Measure::P95, Tolerance::Relative(0.15)), 20f64.ln() / 0.4, 2000);
}

const SMALL: [&str; 6] = ["--set", "system.servers=5", "--set", "system.buffer=4", "--set", "run.horizon=60"];

fn with<'a>(command: &[&'a str], set: &'a str) -> Vec<&'a str> {
    [command, &SMALL, &["--set", set]].concat()
}

/// The last column of every row.
fn last(text: &str) -> (String, Vec<String>) {
    let mut last = text.lines().map(|line| line.rsplit(',').next().unwrap().to_owned());
    (last.next().unwrap(), last.collect())
}

fn read(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).unwrap()
}

#[test]
fn tables_end_with_whether_it_is_met() {
    let folder = folder();
    let cluster = ["cluster", "base.toml"];
    let met = ("precision_met".to_owned(), vec!["true".to_owned()]);
    let asked = "run.precision={ mean_response_time = '10 %', p95 = '20 %' }";
    assert_eq!(last(&printed(&folder, &with(&cluster, asked))), met);
    assert!(read(&folder, "results/base-cluster/manifest.toml").contains("precision_met = true"));
    assert!(!printed(&folder, &with(&cluster, "run.replications=3")).contains("precision_met"));

    let capped =
        [&with(&cluster, "run.precision=0.01 %")[..], &["--set", "run.max_replications=25"]].concat();
    let output = alba(&folder, &capped).output().unwrap();
    let (said, table) = [output.stderr, output.stdout].map(|text| String::from_utf8(text).unwrap()).into();
    assert_eq!(last(&table).1, ["false"]);
    assert!(said.contains("base, Power-of-2: the precision is not met with 25 replications"), "{said}");

    let arbitrators = printed(
        &folder,
        &with(&["compare", "--arbitrators", "base.toml"], "run.precision={ energy = '20 %' }"),
    );
    let (column, rows) = last(&arbitrators);
    assert!(
        column == "precision_met" && rows.len() > 8 && rows.iter().all(|met| met == "true"),
        "{arbitrators}"
    );
    assert_eq!(last(&read(&folder, "results/base-arbitrators/arbitrators.csv")), (column, rows));
}

/// Engines with randomness say whether the averages kept are precise; the others have nothing to say.
#[test]
fn sweeps_end_with_whether_it_is_met() {
    let folder = folder();
    let engines = "[\"simulate\", \"cluster\", \"exact\", \"fluid\"]";
    let sweep = |measures: &str| {
        let text = format!(
            "name = \"grid\"\nscenario = \"base.toml\"\nengines = {engines}\nmeasures = {measures}\n[axes]\nsystem.servers = [3]\n"
        );
        fs::write(folder.path().join("sweep.toml"), text).unwrap();
        let sets = ["system.buffer=3", "run.horizon=60", "run.precision={ busy = '10 %', p95 = '30 %' }"];
        let sets = sets.into_iter().flat_map(|set| ["--set", set]);
        ["sweep", "sweep.toml", "--fresh"].into_iter().chain(sets).collect::<Vec<_>>()
    };
    let kept = sweep("[\"busy\", \"p95\", \"busy_at_end\"]");
    alba(&folder, &kept).assert().success();
    let table = read(&folder, "results/grid/table.csv");
    assert_eq!(
        last(&table),
        ("precision_met".to_owned(), ["true", "true", "", ""].map(str::to_owned).into())
    );
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|column| *column == name).unwrap();
    for row in table.lines().skip(1).take(2) {
        let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        let share = |name: &str| cells[column(&format!("{name}_half_width"))] / cells[column(name)];
        assert!(share("busy") <= 0.1 && share("p95") <= 0.3, "{row}");
    }
    // Parquet has the column too.
    assert!(folder.path().join("results/grid/table.parquet").exists());

    let (code, said) = refused(&folder, &sweep("[\"busy\", \"p95_at_end\"]"));
    assert!(code == 2 && said.contains("measures"), "{said}");
    let (code, said) = refused(&folder, &sweep("[\"busy\"]"));
    let expected = "run.precision.p95 = '30 %' is not allowed: averages that the sweep keeps: busy";
    assert!(code == 2 && said.contains(expected), "{said}");
}

/// What has no interval, or is not shown, is refused by name, with its place.
#[test]
fn what_cannot_be_known_is_refused() {
    let folder = folder();
    let text = read(&folder, "base.toml") + "precision = { busy = '5 %', p99 = 0.1, jobs_per_warm = 0.1 }\n";
    fs::write(folder.path().join("bad.toml"), &text).unwrap();
    let line = text.lines().count();
    for (command, key, what) in [
        (
            &["simulate", "bad.toml"][..],
            "p99 = 0.1",
            "what has intervals at report times (--summary has more): cold,",
        ),
        (&["compare", "bad.toml"], "p99 = 0.1", "what has intervals at report times"),
        (
            &["simulate", "bad.toml", "--steady-state"],
            "p99 = 0.1",
            "what has intervals in steady state: cold,",
        ),
        (
            &["cluster", "bad.toml"],
            "jobs_per_warm = 0.1",
            "averages of whole runs that are reported: mean_resp",
        ),
        (
            &["compare", "--arbitrators", "bad.toml"],
            "jobs_per_warm = 0.1",
            "averages of whole runs that are reported",
        ),
    ] {
        let (code, said) = refused(&folder, command);
        let found = said.contains(&format!("bad.toml:{line}:"))
            && said.contains(&format!("run.precision.{key} is not"));
        assert!(code == 2 && found && said.contains(what), "{command:?}: {said}");
    }
    assert!(
        !folder.path().join("results").exists()
            || fs::read_dir(folder.path().join("results")).unwrap().count() == 0
    );
    let summary =
        printed(&folder, &["simulate", "base.toml", "--summary", "--set", "run.precision={ p95 = 0.3 }"]);
    let header: Vec<&str> = summary.lines().next().unwrap().split(',').collect();
    let row: Vec<&str> = summary.lines().nth(1).unwrap().split(',').collect();
    let cell = |name: &str| row[header.iter().position(|column| *column == name).unwrap()];
    assert_eq!(cell("precision_met"), "true");
    assert!(cell("p95_half_width").parse::<f64>().unwrap() <= 0.3);
}

/// Runs that nothing is drawn in do without, and say so where it was given for them.
#[test]
fn where_nothing_is_drawn_it_is_said() {
    let folder = folder();
    for command in [&["fluid", "base.toml"][..], &["fixed-point", "base.toml"], &["exact", "base.toml"]] {
        let output = alba(&folder, &with(command, "run.precision=1 %")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.contains("run.precision is not used"), "{command:?}: {said}");
    }
}

use super::*;
use alba_compare::Silent;
use alba_scenario::Override;

fn scenario(sets: &[&str]) -> Scenario {
    let text = include_str!("../../../../scenarios/async-vs-sync.toml");
    let overrides: Vec<_> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
    Scenario::parse("async-vs-sync.toml", text, &overrides).unwrap()
}

#[test]
fn cases_differ() {
    let base = System::of(&scenario(&[])).unwrap();
    let cases = cases(base);
    assert_eq!(cases.len(), 1 + 3 + 2 + 2 + 3);
    assert_eq!(cases[0], base);
}

/// Short runs of 100 servers: the rate that is found does use the energy asked for, seed 1, 8 replications.
#[test]
fn a_scaling_rate_is_tuned() {
    let scenario =
        scenario(&["run.horizon=4000", "run.warm_up=200", "run.replications=8", "system.servers=100"]);
    let laboratory = Laboratory::new(&scenario);
    let system = System::of(&scenario).unwrap();
    let energy = 0.85;
    let tuned = tune(&laboratory, system, energy).unwrap();
    let again = System { scaling: tuned.scaling_rate, ..system };
    let there = laboratory.measure(again, laboratory.scheme(), 8).unwrap().energy;
    let error = there.half_width.hypot(tuned.at.energy.half_width);
    assert!((there.value - energy).abs() < 1e-4 + 2.0 * error, "{there:?}, {tuned:?}");
    assert!(tuned.waiting_per_energy < 0.0, "more servers, less waiting");
}

#[test]
fn everything_is_kept() {
    let scenario = scenario(&["run.horizon=60", "run.warm_up=10", "run.replications=4", "system.servers=20"]);
    let results = tempfile::tempdir().unwrap();
    let folder = synchrony(&scenario, results.path(), &Silent).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("equal-energy.csv").lines().count(), 1 + 12);
    assert_eq!(read("curves.csv").lines().count(), 1 + 2 * ALONG.len() + 3);
    assert!(read("findings.md").contains("Of 12 systems"));
    assert!(read("figures/async-vs-sync.svg").starts_with("<svg"));
}

use super::*;
use alba_compare::Silent;
use alba_scenario::Override;

fn scenario(sets: &[&str]) -> Scenario {
    let text = include_str!("../../../../scenarios/arbitrators.toml");
    let overrides: Vec<_> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
    Scenario::parse("arbitrators.toml", text, &overrides).unwrap()
}

/// Small systems from a start with queues, seed 1, 40 replications: hundreds of numbers that two engines know each, none further
/// apart than their number allows.
#[test]
fn engines_agree() {
    for (servers, buffer, warm) in [(3, 4, "[0.4, 0, 0, 0.3]"), (30, 5, "[0.2, 0.1, 0, 0, 0, 0.1]")] {
        let sets = [
            format!("system.servers={servers}"),
            format!("system.buffer={buffer}"),
            format!("initial.warm={warm}"),
        ];
        let run = ["run.horizon=30", "run.warm_up=3", "run.samples=6", "run.replications=40"];
        let sets: Vec<&str> = sets.iter().map(String::as_str).chain(run).collect();
        let results = tempfile::tempdir().unwrap();
        let found = compare_arbitrators(&[scenario(&sets)], results.path(), &Silent).unwrap();
        let agreement = &found.agreement[0];
        assert!(agreement.comparisons > 200, "{agreement:?}");
        assert!(agreement.largest_score < agreement.allowed, "{agreement:?}");
        let read = |name: &str| std::fs::read_to_string(found.folders[0].join(name)).unwrap();
        // Servers of 4 requests are too small for ratios of 10.
        assert_eq!(read("arbitrators.csv").lines().count(), 1 + if buffer == 4 { 12 } else { 14 });
        assert_eq!(read("agreement.csv").lines().count(), 1 + agreement.comparisons);
        assert_eq!(read("agreement.csv").contains("exact"), servers == 3);
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    for (set, said) in [
        ("system.buffer=\"infinite\"", "set system.buffer"),
        ("cluster.discipline=\"parallel\"", "cluster.discipline"),
    ] {
        let results = tempfile::tempdir().unwrap();
        let error = compare_arbitrators(&[scenario(&[set])], results.path(), &Silent).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{error}");
        assert_eq!(std::fs::read_dir(results.path()).unwrap().count(), 0);
    }
}

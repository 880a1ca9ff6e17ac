use super::*;
use alba_scenario::Override;

fn scenario(sets: &[&str]) -> Scenario {
    let overrides: Vec<_> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
    Scenario::parse("f", include_str!("../../../../scenarios/figure1.toml"), &overrides).unwrap()
}

fn judged(sets: &[&str]) -> Judgement {
    let scenario = scenario(sets);
    judge(&scenario, &fluid::solve(&scenario).unwrap().snapshots).unwrap().unwrap()
}

const JIQ: &str = "scheme.dispatch={ rule = \"join-idle-queue\" }";
const RATE_IDLE: &str = "scheme.scaling={ rule = \"rate-idle\" }";

/// A slow expiration keeps servers that chance has started, which the fluid model knows nothing of: at N = 235 with a day that goes up
/// and down twice as many servers are on. It takes more events than are allowed: stretches tell, too.
#[test]
fn servers_kept_by_chance_are_missed_at_235() {
    let day =
        "system.arrival_rate={ steps = [[0, 0.1], [4000, 0.3], [8000, 0.6], [12000, 0.3], [16000, 0.1]] }";
    let rates =
        ["system.scaling_rate=0.00833", "system.initialization_rate=0.5", "system.expiration_rate=0.000417"];
    let of = |horizon: &str| {
        let own = ["system.servers=235", "initial.warm=[0.1]", "run.samples=100", horizon];
        judged(&[&[JIQ, RATE_IDLE, day], &rates[..], &own[..]].concat())
    };
    for (judgement, is_whole) in [(of("run.horizon=20000"), true), (of("run.horizon=400000"), false)] {
        let text = judgement.to_string();
        assert_eq!(matches!(judgement.runs, Runs::Whole { .. }), is_whole, "{text}");
        let on = judgement.of(Judged::ServersOn).unwrap();
        assert!(!judgement.is_good() && on.is_clear() && on.share() < -0.2, "{text}");
        assert!(text.contains("servers on (server-hours)") && text.contains(" % too low"), "{text}");
        assert_eq!(text.contains("stretches of the horizon"), !is_whole, "{text}");
    }
}

/// Where nothing starts or expires and nobody waits for anybody, ten servers do what the fluid model says; a thousand of Figure 1 do.
#[test]
fn a_small_system_is_not_condemned_for_being_small() {
    let calm = [
        "scheme.scaling={ rule = \"none\" }",
        "system.expiration_rate=0",
        "initial.warm=[1]",
        "system.arrival_rate=0.05",
    ];
    let small = judged(&[&["system.servers=10", JIQ], &calm[..]].concat());
    assert!(small.is_good(), "{small}");
    let figure_1 = judged(&[]);
    assert!(figure_1.is_good(), "{figure_1}");
    assert_eq!(figure_1, judged(&["run.seed=7"]));
}

/// With Figure 1's rules five servers have queues that the fluid model does not.
#[test]
fn a_small_system_that_is_off_is_told() {
    let text = judged(&["system.servers=5"]).to_string();
    assert!(text.contains("the fluid model is off for N = 5; worst, on average over time: "), "{text}");
}

/// Two servers that expire between jobs: the fluid model always has a server warm, the chain loses what comes meanwhile. That is said
/// whatever else is worse; with one server that is always warm there is nothing to say.
#[test]
fn jobs_that_are_lost_by_chance_are_told() {
    let quiet = ["system.servers=2", RATE_IDLE, JIQ, "system.arrival_rate=0.05", "initial.warm=[0.5]"];
    let rates = ["system.scaling_rate=0.05", "system.expiration_rate=0.01"];
    let text = judged(&[&quiet[..], &rates].concat()).to_string();
    assert!(text.contains("; lost_fraction 100.0 % too low (0.0000 instead of 0."), "{text}");
    let kept = judged(&[&quiet[..], &["system.scaling_rate=0.05", "system.expiration_rate=0"]].concat());
    assert!(!kept.to_string().contains("lost_fraction"), "{kept}");
}

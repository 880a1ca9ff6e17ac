use super::*;
use crate::cluster::ScalingSource;
use alba_model::{ArrivalProfile, Buffer, Dispatch, ScalingRule, Scheme};
use proptest::prelude::*;

const FIGURE1: &str = include_str!("../../../scenarios/figure1.toml");

fn parse(text: &str, sets: &[&str]) -> Result<Scenario, ScenarioError> {
    let overrides: Vec<_> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
    Scenario::parse("f.toml", text, &overrides)
}

fn figure1(sets: &[&str]) -> Scenario {
    parse(FIGURE1, sets).unwrap()
}

#[test]
fn figure1_is_the_papers() {
    let scenario = figure1(&[]);
    let scheme = Scheme::asynchronous(Dispatch::power_of_d(2).unwrap(), ScalingRule::blind(0.06).unwrap());
    assert_eq!(scenario.model().scheme(), scheme);
    assert_eq!(scenario.model().buffer(), Buffer::finite(100).unwrap());
    assert_eq!(scenario.model().arrivals(), &ArrivalProfile::constant(0.7).unwrap());
    assert_eq!(scenario.initial(), &Occupancy::new(0.0, vec![0.7]).unwrap());
    assert_eq!((scenario.run().replications, scenario.run().seed, scenario.run().warm_up), (10, 1, 0.0));
}

#[test]
fn defaults() {
    let text = "name = 'x'\nsystem = { arrival_rate = 1, scaling_rate = 0, initialization_rate = 2, expiration_rate = 0 }\n\
                scheme = { dispatch = { rule = 'join-idle-queue' }, scaling = { rule = 'rate-idle' } }\n\
                initial = { warm = [] }\nrun = { horizon = 5, samples = 1 }";
    let scenario = parse(text, &[]).unwrap();
    assert_eq!((scenario.servers(), scenario.model().buffer()), (1000, Buffer::Infinite));
    assert_eq!(scenario.power(), &PowerDraw::default());
    assert_eq!(scenario.initial().cold(), 1.0);
    let run = scenario.run();
    assert_eq!((run.replications, run.seed, run.warm_up, run.max_events), (10, 1, 0.0, None));
    let scaling = ScalingRule::rate_idle(1.0, 1.0).unwrap();
    assert_eq!(scenario.model().scheme(), Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, scaling));
}

#[test]
fn units_and_mean_times() {
    let scenario = figure1(&[
        "system={ servers = 10, mean_service_time = '250 ms', arrival_rate = '28 /s', scaling_interval = '2 s', \
         initialization_time = '500 ms', expiration_time = '10 min' }",
        "run.horizon=1 h",
    ]);
    let (rates, arrivals) = (scenario.model().rates(), scenario.model().arrivals());
    assert!((arrivals.rate_at(0.0) - 0.7).abs() < 1e-15);
    assert!((rates.scaling() - 0.0125).abs() < 1e-15); // 0.25 s / (2 s * 10 servers)
    assert!((rates.initialization() - 0.5).abs() < 1e-15);
    assert!((rates.expiration() - 0.25 / 600.0).abs() < 1e-15);
    assert!((scenario.run().grid.horizon() - 14400.0).abs() < 1e-9);
    assert_eq!(scenario.mean_service_time_s(), Some(0.25));
}

#[test]
fn bare_times_are_service_times() {
    let scenario = figure1(&[
        "system={ servers = 10, arrival_rate = 0.7, scaling_interval = 2, initialization_time = 10, \
         expiration_time = 40 }",
    ]);
    let rates = scenario.model().rates();
    assert_eq!((rates.scaling(), rates.initialization(), rates.expiration()), (0.05, 0.1, 0.025));
}

#[test]
fn steps_of_the_arrival_rate() {
    let scenario = figure1(&["system.arrival_rate={ steps = [[0, 0.7], [45, 0.3]] }"]);
    assert_eq!(scenario.model().arrivals(), &ArrivalProfile::steps(vec![(0.0, 0.7), (45.0, 0.3)]).unwrap());
    let scenario = figure1(&[
        "system.mean_service_time=100 ms",
        "system.arrival_rate={ steps = [[0, '700 /s'], ['1 min', '300 /s']] }",
    ]);
    let second = scenario.model().arrivals().segments(1e9).nth(1).unwrap();
    assert!((second.start - 600.0).abs() < 1e-9);
    assert!((second.rate - 0.03).abs() < 1e-15); // 300 /s * 0.1 s / 1000 servers
}

#[test]
fn later_overrides_win() {
    assert_eq!(figure1(&["run.seed=3", "run.seed=4"]).run().seed, 4);
    let overrides = [Override::parse("run.seed=3").unwrap(), Override::seed(5)];
    assert_eq!(Scenario::parse("f.toml", FIGURE1, &overrides).unwrap().run().seed, 5);
}

#[test]
fn what_is_resolved_reads_the_same() {
    let mut all = vec![figure1(&["run.max_events=1000", "energy={ idle = 0.5 }", "system.buffer=infinite"])];
    all.push(figure1(&["system.arrival_rate={ steps = [[0, 0.7], [45, 0.3]] }"]));
    all.push(figure1(&["system.mean_service_time=300 ms", "run.horizon=7 s"]));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/web-cluster.toml");
    all.push(Scenario::load(std::path::Path::new(file), &[]).unwrap());
    let laws = "cluster={ service = { law = 'hyperexponential', branches = [[0.25, 2.5], [0.75, 0.5]] }, expiration = 'never', \
                arrivals = { law = 'log-normal', mean = 0.01, squared_variation = 2 }, initialization = { law = 'exponential', \
                mean = 3 }, policies = ['join-idle-queue', { rule = 'join-below-threshold', d = 3 }], scaling = 'tabs' }";
    all.push(figure1(&[laws]));
    all.push(figure1(&["run.precision=0.7 %", "run.max_replications=50"]));
    all.push(figure1(&["run.precision={ energy = 1e-3, busy = '2.5 %' }"]));
    for scheme in Scheme::catalogue().unwrap() {
        let base = figure1(&[]);
        let model = base.model.clone();
        let model = Model::new(model.arrivals().clone(), model.rates(), model.buffer(), scheme).unwrap();
        all.push(Scenario { model, ..base });
    }
    for scenario in all {
        let text = toml::to_string(&scenario.resolved()).unwrap();
        assert_eq!(parse(&text, &[]).unwrap(), scenario, "{text}");
    }
}

/// What the chain takes numbered servers take: an idle server may draw more than a busy one, and does so in what is written again.
#[test]
fn power_may_fall_with_load() {
    let energy = "energy={ off = 0.7, idle = 2, busy = 0.5, initializing = 0.1 }";
    let groups = "cluster.servers=[{ count = 600 }, { count = 400, speed = 2 }]";
    for sets in [&[energy][..], &[energy, groups]] {
        let scenario = figure1(sets);
        let problem = scenario.numbered_problem().unwrap();
        for group in problem.servers().groups() {
            let draw = group.draw();
            assert_eq!([0.0, 0.5, 1.0].map(|u| draw.warm().power_w(u)), [2.0, 1.25, 0.5]);
            assert_eq!((draw.off(), draw.initializing()), (0.7, 0.1));
        }
        let text = toml::to_string(&scenario.resolved()).unwrap();
        assert_eq!(Scenario::parse("again.toml", &text, &[]).unwrap(), scenario, "{text}");
    }
}

#[test]
fn groups_of_servers_take_buffer_and_energy_where_they_say_nothing_else() {
    let groups = "cluster.servers=[{ count = 300 }, { count = 700, capacity = 'infinite', speed = 2.0, power = { idle = 1, busy = 2 } }]";
    let scenario = figure1(&[groups, "energy={ idle = 3, busy = 5, initializing = 4 }", "system.buffer=7"]);
    let servers = scenario.numbered_servers().unwrap();
    let [first, second] = servers.groups() else { panic!("two groups") };
    assert_eq!((first.capacity(), second.capacity()), (Some(7), None));
    let power = |group: &alba_cluster::Group| (group.draw().initializing(), group.draw().warm().busy_w());
    assert_eq!((power(first), power(second)), ((4.0, 5.0), (2.0, 2.0)));
    let text = toml::to_string(&scenario.resolved()).unwrap();
    assert_eq!(parse(&text, &[]).unwrap(), scenario, "{text}");
}

/// What the catalogue has, a scenario file can say, and says again. What has parameters says them.
#[test]
fn every_policy_and_scaling_is_read_and_written() {
    let has_data = |debug: String| debug.contains(['(', '{']);
    for policy in alba_cluster::Arbitrator::catalogue().unwrap() {
        let (mut scenario, parameters) = (figure1(&["cluster={}"]), has_data(format!("{policy:?}")));
        scenario.cluster.policies = Some(vec![policy]);
        let text = toml::to_string(&scenario.resolved()).unwrap();
        assert_eq!(parse(&text, &[]).unwrap(), scenario, "{text}");
        let written =
            text.lines().skip_while(|line| *line != "[[cluster.policies]]").nth(2).unwrap_or_default();
        assert_eq!(written.contains(" = "), parameters, "{text}");
    }
    for name in alba_cluster::Scaling::NAMES {
        let sets = [format!("cluster.scaling={name}"), format!("cluster.scaling={{ rule = '{name}' }}")];
        let [scenario, again] = sets.map(|set| figure1(&[&set]));
        assert_eq!(scenario, again);
        assert_eq!(scenario.numbered_scaling().unwrap().name(), name);
    }
    for scaling in alba_cluster::Scaling::catalogue().unwrap() {
        let mut scenario = figure1(&["cluster={}"]);
        scenario.cluster.scaling = Some(match scaling.name() {
            "asynchronous" => ScalingSource::OfScheme,
            _ => ScalingSource::Own(scaling),
        });
        let text = toml::to_string(&scenario.resolved()).unwrap();
        assert_eq!(parse(&text, &[]).unwrap(), scenario, "{text}");
    }
}

#[test]
fn asynchronous_scaling_needs_a_rule() {
    let error = parse(FIGURE1, &["scheme={ kind = 'tabs' }", "cluster.scaling=asynchronous"])
        .unwrap_err()
        .to_string();
    assert!(error.contains("cluster.scaling = \"asynchronous\" is not allowed"), "{error}");
}

#[test]
fn all_faults_at_once_unknown_keys_first() {
    let text = FIGURE1.replace("buffer = 100", "bufer = 100").replace("horizon = 690.0", "horizon = -1");
    let error = parse(&text, &["system.servers=0", "scheme.dispatch.rule=power-of-two"]).unwrap_err();
    let expected = "f.toml:14:1: unknown key system.bufer (did you mean buffer?): one of servers, buffer, arrival_rate, \
                    scaling_rate, scaling_interval, initialization_rate, initialization_time, expiration_rate, \
                    expiration_time, mean_service_time\n\
                    f.toml:28:11: run.horizon = -1 is not allowed: a finite number > 0, or a time with a unit (ns, us, \
                    ms, s, min, h, d), as in \"400 ms\"\n\
                    --set scheme.dispatch.rule=power-of-two: scheme.dispatch.rule = \"power-of-two\" is not allowed \
                    (did you mean power-of-d?): one of power-of-d, join-below-threshold, join-idle-queue\n\
                    --set system.servers=0: system.servers = 0 is not allowed: a whole number from 1 to 1000000000";
    assert_eq!(error.to_string(), expected);
}

const AZURE: &str = include_str!("../../../scenarios/azure-functions.toml");

/// What depends on the faulty value is not blamed for it, not even that it cannot be told.
#[test]
fn one_fault_has_one_message() {
    let files = [
        include_str!("../../../scenarios/web-cluster.toml"),
        include_str!("../../../scenarios/aws-lambda.toml"),
        include_str!("../../../scenarios/figure1.toml"),
    ];
    let faults = [
        "system.servers=0",
        "system.buffer=-1",
        "system.mean_service_time='x'",
        "system.arrival_rate=-1",
        "system.arrival_rate={ trace = '' }",
        "system=1",
    ];
    for text in files {
        for fault in faults {
            let message = parse(text, &[fault]).unwrap_err().to_string();
            assert_eq!(message.lines().count(), 1, "{fault}: {message}");
        }
        let message =
            parse(&text.replace("expiration_", "expiry_"), &["run.seed=-1"]).unwrap_err().to_string();
        assert!(message.contains("run.seed") && !message.contains("a unit needs"), "{message}");
    }
    let message = azure(&["cluster={ arrivals = 'recorded' }", "system.buffer=-1"]).unwrap_err().to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
}

fn azure(sets: &[&str]) -> Result<Scenario, ScenarioError> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/azure-functions.toml");
    let overrides: Vec<_> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
    Scenario::parse(file, AZURE, &overrides)
}

#[test]
fn a_trace_gives_rates_and_horizon() {
    let scenario = azure(&[]).unwrap();
    // 589 invocations in the first minute.
    let first = scenario.model().arrivals().rate_at(0.0);
    assert!((first - 589.0 / 60.0 * 0.905 / 28.0).abs() < 1e-15);
    assert!((scenario.run().grid.horizon() * 0.905 - 28800.0).abs() < 1e-8);
    let scaled = azure(&["system.arrival_rate.scale=40", "system.servers=1120"]).unwrap();
    assert!((scaled.model().arrivals().rate_at(0.0) - first).abs() < 1e-15);
    assert_eq!(scenario.trace().unwrap().facts().total, 339_657.0);
}

#[test]
fn a_resolved_trace_is_the_same_system() {
    let scenario = azure(&["run.horizon=1 h"]).unwrap();
    let text = toml::to_string(&scenario.resolved()).unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/resolved.toml");
    let again = Scenario::parse(file, &text, &[]).unwrap();
    assert_eq!((again.model(), again.run()), (scenario.model(), scenario.run()), "{text}");
}

#[test]
fn eight_hours_are_not_longer_than_the_trace() {
    assert!(azure(&["run.horizon=8 h"]).is_ok());
    assert!(azure(&["run.horizon=480.001 min"]).unwrap_err().to_string().contains("where the trace ends"));
}

/// More with ALBA_FUZZ_CASES=100000.
fn cases() -> u32 {
    std::env::var("ALBA_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn no_scenario_with_a_trace_makes_it_panic(
        position in 0usize..AZURE.len(),
        length in 0usize..40,
        patch in "[a-z0-9.=\\[\\]{}\"', \n#-]{0,12}",
        key in prop::sample::select(vec!["trace", "column", "interval", "scale", "gaps", "format", "time_unit", "functions"]),
        value in "[a-z0-9.\\[\\]{}\" -]{0,12}",
    ) {
        let end = (position + length).min(AZURE.len());
        let (Some(before), Some(after)) = (AZURE.get(..position), AZURE.get(end..)) else { return Ok(()) };
        let text = format!("{before}{patch}{after}");
        let overrides: Vec<_> = Override::parse(&format!("system.arrival_rate.{key}={value}")).into_iter().collect();
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/azure-functions.toml");
        for overrides in [&overrides[..], &[]] {
            if let Err(error) = Scenario::parse(file, &text, overrides) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn no_bytes_make_it_panic(text in "\\PC{0,200}") {
        if let Err(error) = Scenario::parse("f.toml", &text, &[]) {
            prop_assert!(!error.to_string().is_empty());
        }
    }


    #[test]
    fn no_text_makes_it_panic(
        position in 0usize..FIGURE1.len(),
        length in 0usize..40,
        patch in "[a-z0-9.=\\[\\]{}\"', \n#-]{0,12}",
        set in "[a-z.]{1,20}=[a-z0-9.\\[\\]{}\", -]{0,12}",
    ) {
        let end = (position + length).min(FIGURE1.len());
        let (Some(before), Some(after)) = (FIGURE1.get(..position), FIGURE1.get(end..)) else { return Ok(()) };
        let text = format!("{before}{patch}{after}");
        let overrides: Vec<_> = Override::parse(&set).into_iter().collect();
        if let Err(error) = Scenario::parse("f.toml", &text, &overrides) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

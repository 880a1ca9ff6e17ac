//! Sentences of README.md, made from the tables in `results/`.

use super::{Results, grouped, range, short};

pub(super) fn all() -> Vec<String> {
    [arbitrators(), convergence(), a_day(), optimality(), web_cluster(), aws_lambda(), phases()].concat()
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Cost of the arbitrator with portions of one request against the best scheme, by load, with a hundred servers.
fn arbitrators() -> Vec<String> {
    let claims = Results::read("arbitrators/claims.csv");
    let standings = Results::read("arbitrators/standings.csv");
    let more = |load: &str| {
        let round = format!("λ = {load}, N = 100");
        let claim = "the best scheme costs less than the arbitrator";
        -claims.number(&[("round", &round), ("claim", claim)], "difference")
    };
    let (least, most) = range(["0.1", "0.3", "0.5", "0.7", "0.9"].map(more));
    let deep = [("round", "λ = 0.7, N = 100"), ("contender", "phase partition, r = 2, …")];
    let waits = standings.number(&deep, "mean_response_time") - 1.0;
    assert!((45.0..55.0).contains(&waits), "the text says fifty service times: {waits}");
    let unit = "phase partition, r = 100, 2, …";
    for load in ["1", "1.2"] {
        let round = format!("λ = {load}, N = 100");
        let place = standings.number(&[("round", &round), ("contender", unit)], "rank");
        assert!(place == 1.0, "the text says that it costs less than any from full load on: {load}");
    }
    vec![format!("it costs {} to {} service times a request more than", short(least, 2), short(most, 2))]
}

/// Slopes of biases and paths.
fn convergence() -> Vec<String> {
    let slopes = Results::read("convergence/slopes.csv");
    let biases = |scenario| {
        let (low, high) = slopes.range(&[("scenario", scenario), ("quantity", "bias")], "slope");
        let holds_one = slopes
            .numbers(&[("scenario", scenario), ("quantity", "bias")], "slope")
            .into_iter()
            .zip(slopes.numbers(&[("scenario", scenario), ("quantity", "bias")], "slope_half_width"))
            .all(|(slope, half_width)| (slope + 1.0).abs() <= half_width);
        assert!(holds_one || scenario == "sliding", "{scenario}: not all intervals hold -1");
        format!("N^{} to N^{}", short(high, 2), short(low, 2))
    };
    let paths = |scenario| {
        let key = [("scenario", scenario), ("quantity", "path")];
        let (slope, half_width) = (slopes.number(&key, "slope"), slopes.number(&key, "slope_half_width"));
        format!("N^({} +- {})", short(slope, 3), short(half_width, 3))
    };
    vec![
        format!(
            "the smooth one has biases like {} (all intervals hold -1) and paths like {}, the saturated one {} and {}",
            biases("smooth"),
            paths("smooth"),
            biases("saturated"),
            paths("saturated")
        ),
        format!("fall like {} only", biases("sliding")),
    ]
}

/// Eight hours of Azure Functions on few and on many servers.
fn a_day() -> Vec<String> {
    let apart = |scenario: &str, measure| {
        let agreement = Results::read(&format!("{scenario}/agreement.csv"));
        agreement.number(&[("measure", measure)], "mean_difference")
    };
    let energy = |engine| {
        let table = Results::read("azure-functions-scaled/table.csv");
        table.numbers(&[], &format!("{engine}_energy")).iter().sum::<f64>()
    };
    let too_low = 1.0 - energy("fluid") / energy("simulated");
    assert!((0.18..0.22).contains(&too_low), "the text says a fifth of the server-hours: {too_low}");
    vec![
        format!("to {} % of all in the mean", short(100.0 * apart("azure-functions-scaled", "busy"), 1)),
        format!(
            "has {} of all servers too few warm (a fifth of the server-hours)",
            percent(apart("azure-functions-scaled", "cold"))
        ),
        format!("With 28 servers it is {}:", percent(apart("azure-functions", "cold"))),
    ]
}

/// Where schemes end, and how near N servers come to the optimum.
fn optimality() -> Vec<String> {
    let ends = Results::read("optimality/ends.csv");
    let finite = Results::read("optimality/finite.csv");
    let end = |scheme: &str, column| ends.number(&[("panel", "others"), ("curve", scheme)], column);
    let wait = |scheme| short(end(scheme, "mean_waiting_time"), 2);
    let waste = |scheme| percent(end(scheme, "energy_waste"));
    let [two, one] = ["Power-of-2 + Rate-Idle", "JBT-1 + Rate-Idle"];
    assert_eq!(waste(two), waste(one));
    for panel in ["long queues", "scale from zero"] {
        let (_, most) = ends.range(&[("panel", panel)], "out_of_place");
        assert!(most < 1e-8, "the text says that JIQ + Rate-Idle gets to the optimum: {most}");
    }
    let with = |servers, column| finite.number(&[("servers", servers)], column);
    let wasted = |servers, digits| short(100.0 * with(servers, "energy_waste"), digits);
    let waited = |servers, digits| short(with(servers, "mean_waiting_time"), digits);
    vec![
        format!("(waste {}) and still wait {} and {} service times", waste(two), wait(two), wait(one)),
        format!("waits for nothing but wastes {}", waste("JIQ + Blind-0.06")),
        format!(
            "waste {} % with 100 servers, {} % with 1000, {} % with a million; waiting {}, {}, {}",
            wasted("100", 0),
            wasted("1000", 1),
            wasted("1000000", 2),
            waited("100", 3),
            waited("1000", 3),
            waited("1000000", 4)
        ),
    ]
}

/// Seven policies on forty unequal servers.
fn web_cluster() -> Vec<String> {
    let table = Results::read("web-cluster-cluster/table.csv");
    let of = |policy, column| table.number(&[("policy", policy)], column);
    let mean = |policy| format!("{:.0}", of(policy, "mean_response_time_ms"));
    let slowest = |policy| format!("{:.1} s", of(policy, "p99_ms") / 1000.0);
    let [jiq, least] = ["JIQ", "least connections"];
    assert_eq!(slowest(jiq), slowest(least));
    assert!((of(jiq, "mean_response_time_ms") - of(least, "mean_response_time_ms")).abs() < 1.0);
    let arbitrators = ["phase partition", "phase partition (power saving 0.75)"];
    let others = ["round robin", "weighted round robin", least, jiq, "Power-of-2"];
    let most_frugal = others.map(|policy| of(policy, "energy")).into_iter().fold(f64::INFINITY, f64::min);
    assert!(most_frugal == of("weighted round robin", "energy"));
    assert!(others.iter().all(|policy| of(policy, "rejected_fraction") + of(policy, "lost_fraction") == 0.0));
    let (least_saved, most_saved) =
        range(arbitrators.map(|policy| 100.0 * (1.0 - of(policy, "energy") / most_frugal)));
    let (quick, slow) = range(arbitrators.map(|policy| of(policy, "mean_response_time_ms") / 1000.0));
    let (few, many) = range(arbitrators.map(|policy| 100.0 * of(policy, "rejected_fraction")));
    vec![
        format!(
            "answer fastest ({} ms in the mean, and {} for the slowest hundredth; round robin {} ms and {})",
            mean(jiq),
            slowest(jiq),
            mean("round robin"),
            slowest("round robin")
        ),
        format!("uses {least_saved:.0} to {most_saved:.0} % less energy than weighted round robin"),
        format!(
            "answers in {} to {} s and turns {} to {} % of the requests away",
            short(quick, 1),
            short(slow, 1),
            short(few, 1),
            short(many, 1)
        ),
    ]
}

/// Ten measured loads.
fn aws_lambda() -> Vec<String> {
    let table = Results::read("aws-lambda/table.csv");
    let sizes = |column| table.numbers(&[], column).into_iter().map(f64::abs).collect::<Vec<_>>();
    let (_, instances) = range(sizes("instances_difference"));
    let mut cold: Vec<_> = sizes("difference_in_measured_errors")
        .into_iter()
        .zip(sizes("cold_start_fraction_difference"))
        .collect();
    assert_eq!(cold.len(), 10);
    cold.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (errors, share) = cold.pop().unwrap_or_default();
    let (_, other_errors) = range(cold.iter().map(|row| row.0));
    let (_, other_shares) = range(cold.iter().map(|row| row.1));
    let measured = table.numbers(&[], "measured_instances");
    let at_random = table.numbers(&[], "other_policy_instances");
    let (low, high) = range((7..10).map(|row| 100.0 * (at_random[row] / measured[row] - 1.0)));
    vec![format!(
        "ten measured loads come out within {} % of the number of instances, and the share of cold starts within {} and {} of the \
         measurement's standard errors, but for one row at {} of them ({}); with idle instances drawn at random (JIQ) the three \
         busiest loads would have {low:.0} to {high:.0} % more instances than measured",
        short(100.0 * instances, 1),
        percent(other_shares),
        short(other_errors, 1),
        short(errors, 1),
        percent(share)
    )]
}

/// The arbitrator's paper: energies, savings, switch-on times, printed and computed.
fn phases() -> Vec<String> {
    let partitions = Results::read("phase-partition/partitions.csv");
    let (limits, printed) = (partitions.numbers(&[], "limit"), partitions.numbers(&[], "printed_limit"));
    assert_eq!(limits, printed, "the text says that all cells agree");
    [switch_on_times(), energies(), differences()].concat()
}

const CASES: [&str; 2] = ["1", "2"];

fn total(case: &str, method: &str, assignment: &str, column: &str) -> f64 {
    let totals = Results::read("phase-partition/totals.csv");
    totals.number(&[("case", case), ("method", method), ("assignment", assignment)], column)
}

fn switch_on_times() -> Vec<String> {
    let at = |case, server, what: &str| {
        total(case, "Algorithm 2", "one by one", &format!("server_{server}_start_s{what}"))
    };
    let times = CASES.map(|case| [at(case, 2, ""), at(case, 3, "")]);
    assert_eq!(times, CASES.map(|case| [at(case, 2, "_printed"), at(case, 3, "_printed")]));
    let [[first, second], [third, fourth]] = times;
    vec![format!("({first} and {second} s, {third} and {fourth} s: met exactly)")]
}

fn energies() -> Vec<String> {
    let totals = Results::read("phase-partition/totals.csv");
    for column in
        ["energy_j_printed_inside", "saving_percent_printed_inside", "server_2_start_s_printed_inside"]
    {
        assert!(
            totals.rows(&[(column, "false")]).is_empty(),
            "the text says that all printed values are inside: {column}"
        );
    }
    let of = |method, column: &str| CASES.map(|case| total(case, method, "one by one", column));
    let joules = |method, column: &str| {
        let [first, second] = of(method, column).map(grouped);
        format!("{first} and {second}")
    };
    let [saving, other] = of("Algorithm 2", "saving_percent").map(|saving| short(saving, 1));
    let [printed, other_printed] = of("Algorithm 2", "saving_percent_printed").map(|saving| short(saving, 1));
    vec![format!(
        "Algorithm 2 takes {} J (printed: {}), round robin {} J ({}): savings of {saving} and {other} % ({printed} and \
         {other_printed})",
        joules("Algorithm 2", "energy_j"),
        joules("Algorithm 2", "energy_j_printed"),
        joules("round robin", "energy_j"),
        joules("round robin", "energy_j_printed"),
    )]
}

fn differences() -> Vec<String> {
    let assignment = Results::read("phase-partition/assignment.csv");
    let of = |case, column| assignment.number(&[("case", case)], column);
    assert_eq!(CASES.map(|case| of(case, "one_by_one_j")), [0.0; 2]);
    assert!(of("1", "share_of_printed_sign") == 1.0);
    assert!((of("2", "share_of_printed_sign") - 2.0 / 3.0).abs() < 0.03, "the text says two of three series");
    let [lowest, highest] = ["by_second_random_lowest_j", "by_second_random_highest_j"];
    let lowered = CASES.into_iter().flat_map(|case| {
        let saved = |method| total(case, method, "by the second", "saving_percent");
        ["round robin", "least connections"].map(saved)
    });
    let (least, most) = range(lowered);
    vec![
        format!("differ in print, by {:.1} and {:.1} J", of("1", "printed_j"), of("2", "printed_j")),
        format!(
            "they do: by {:.1} to {:.1} J, always with the printed sign, and by {:.0} to {:.0} J, with",
            of("1", lowest),
            of("1", highest),
            of("2", lowest),
            of("2", highest)
        ),
        format!("it lowers both energies by {} to {} %", short(least, 1), short(most, 1)),
    ]
}

/// Of results/README.md.
pub(super) fn sweeps() -> Vec<String> {
    let off = |table: &Results, keys: &[(&str, &str)], column: &str| {
        let of = |engine, column: &str| {
            let keys: Vec<_> = keys.iter().copied().chain([("engine", engine)]).collect();
            table.number(&keys, column)
        };
        let excess = if column == "mean_response_time" { of("fixed-point", column) } else { 0.0 };
        100.0 * (of("simulate", column) - excess) / of("fixed-point", "mean_response_time")
    };
    let two = ("scheme.dispatch", "{ d = 2, rule = \"power-of-d\" }");
    let idle = ("scheme.dispatch", "{ rule = \"join-idle-queue\" }");
    let (load, finite) = (Results::read("load/table.csv"), Results::read("finite-servers/table.csv"));
    let at = [two, ("system.arrival_rate", "0.7")];
    let with = |scheme, servers| off(&finite, &[scheme, ("system.servers", servers)], "mean_response_time");
    vec![
        format!(
            "(Power-of-2 at .7: {} % +- {} %",
            short(off(&load, &at, "mean_response_time"), 2),
            short(off(&load, &at, "mean_response_time_half_width"), 2)
        ),
        format!(
            "Power-of-2: {} % off at N = 100, {} % at 300, {} % at 1000",
            short(with(two, "100"), 1),
            short(with(two, "300"), 1),
            short(with(two, "1000"), 1)
        ),
        format!("JIQ: {:.0} % at 100, {} % at 300", with(idle, "100"), short(with(idle, "300"), 1)),
    ]
}

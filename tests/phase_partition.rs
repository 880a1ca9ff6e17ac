//! The phase-partition arbitrator against its paper: every printed table, switch-on time, energy and saving.

use crate::command_line::{folder, printed, refused};
use alba_cluster::policy::{
    LiteralLeastConnections, LiteralPartition, LiteralRoundRobin, PhasePartition, Policy,
};
use alba_cluster::{
    Assignment, Course, PaperExperiment, PartitionTable, PowerModel, Ratios, published_arrivals,
    random_arrivals, stream,
};

const SAME: [u32; 3] = [1500; 3];
const DIFFERENT: [u32; 3] = [2000, 1500, 1000];
/// Seconds that the paper sums energies over.
const SECONDS: usize = 160;

fn table(capacities: &[u32], ratios: &[&str]) -> PartitionTable {
    PartitionTable::new(capacities, &Ratios::parse(ratios).unwrap()).unwrap()
}

fn portions(table: &PartitionTable, server: usize) -> Vec<u32> {
    (1..=table.phases()).map(|phase| table.portion(server, phase)).collect()
}

fn limits(table: &PartitionTable, server: usize) -> Vec<u32> {
    (1..=table.phases()).map(|phase| table.limit(server, phase)).collect()
}

/// Limits in per cent of the capacity, to the printed digit.
fn per_cent(table: &PartitionTable, server: usize) -> Vec<String> {
    let share = |limit| 100.0 * f64::from(limit) / f64::from(table.capacity(server));
    limits(table, server).into_iter().map(|limit| format!("{:.1}", share(limit))).collect()
}

#[test]
fn table_1() {
    let table = table(&[1000], &["10", "2"]);
    assert_eq!(portions(&table, 0), [100, 50, 25, 13, 6, 3, 2, 1]);
    assert_eq!(limits(&table, 0), [100, 150, 175, 188, 194, 197, 199, 200]);
    assert_eq!(per_cent(&table, 0), ["10.0", "15.0", "17.5", "18.8", "19.4", "19.7", "19.9", "20.0"]);
}

#[test]
fn table_2() {
    let table = table(&[1000], &["2"]);
    assert_eq!(portions(&table, 0), [500, 250, 125, 63, 31, 16, 8, 4, 2, 1]);
    assert_eq!(limits(&table, 0), [500, 750, 875, 938, 969, 985, 993, 997, 999, 1000]);
    let printed = ["50.0", "75.0", "87.5", "93.8", "96.9", "98.5", "99.3", "99.7", "99.9", "100.0"];
    assert_eq!(per_cent(&table, 0), printed);
}

#[test]
fn table_3() {
    let table = table(&SAME, &["2"]);
    for server in 0..3 {
        let printed = [750, 1125, 1313, 1407, 1454, 1477, 1489, 1495, 1498, 1499, 1500];
        assert_eq!(limits(&table, server), printed);
    }
}

#[test]
fn table_4() {
    let table = table(&SAME, &["2", "5", "2"]);
    for server in 0..3 {
        assert_eq!(limits(&table, server), [750, 900, 975, 1013, 1032, 1041, 1046, 1048, 1049, 1050]);
    }
}

#[test]
fn table_5() {
    let table = table(&DIFFERENT, &["2", "2.5", "2"]);
    let printed = [
        [1000, 1400, 1600, 1700, 1750, 1775, 1788, 1794, 1797, 1799, 1800],
        [750, 1050, 1200, 1275, 1313, 1332, 1341, 1346, 1348, 1349, 1350],
        [500, 700, 800, 850, 875, 888, 894, 897, 899, 900, 900],
    ];
    for (server, printed) in printed.into_iter().enumerate() {
        assert_eq!(limits(&table, server), printed);
    }
    let ratios = Ratios::parse(&["2", "2.5", "2"]).unwrap();
    assert_eq!(ratios.phase_reaching(&"0.7".parse().unwrap()), Ok(2));
}

fn run(capacities: &[u32], arrivals: &[u32], policy: &mut dyn Policy) -> Course {
    let experiment = PaperExperiment::new(capacities, PowerModel::PUBLISHED, Assignment::OneByOne).unwrap();
    experiment.run(arrivals, policy, &mut stream(1, 0)).unwrap()
}

/// Round robin, least connections, Algorithm 2.
fn courses(capacities: &[u32], arrivals: &[u32]) -> [Course; 3] {
    let table = table(capacities, &["2", "2.5", "2"]);
    [
        run(capacities, arrivals, &mut LiteralRoundRobin::new(3)),
        run(capacities, arrivals, &mut LiteralLeastConnections::new(3)),
        run(capacities, arrivals, &mut LiteralPartition::new(table, 2).unwrap()),
    ]
}

fn energies(courses: &[Course; 3]) -> [f64; 3] {
    [0, 1, 2].map(|method| courses[method].energy_j()[SECONDS - 1])
}

/// Printed energies with the tolerances that the unprinted arrivals allow, switch-on times exactly.
fn meets(capacities: &[u32], printed: [f64; 3], starts: [usize; 2], saving: f64) {
    let courses = courses(capacities, &published_arrivals());
    let energies = energies(&courses);
    for ((energy, printed), tolerance) in energies.into_iter().zip(printed).zip([0.005, 0.005, 0.003]) {
        assert!((energy / printed - 1.0).abs() < tolerance, "{energy} for {printed}");
    }
    assert_eq!([1, 2].map(|server| courses[2].started_s(server)), starts.map(Some));
    let saved = 100.0 * (1.0 - energies[2] / energies[0]);
    assert!((saved - saving).abs() < 0.5, "{saved} % for {saving} %");
    for course in &courses {
        assert_eq!(course.refused(SECONDS), 0);
    }
}

#[test]
fn case_1_is_met() {
    meets(&SAME, [52194.2, 52201.5, 42509.6], [43, 84], 18.6);
}

#[test]
fn case_2_is_met() {
    meets(&DIFFERENT, [52014.7, 51997.6, 42917.0], [57, 97], 17.5);
}

/// Another program's numbers for the same series.
#[test]
fn energies_by_an_independent_program() {
    for (capacities, expected) in [
        (SAME, [52080.37178961561, 52080.37178961561, 42540.21074428597]),
        (DIFFERENT, [51875.59862410991, 51875.59862410991, 42921.357691975936]),
    ] {
        for (energy, expected) in
            energies(&courses(&capacities, &published_arrivals())).into_iter().zip(expected)
        {
            assert!((energy / expected - 1.0).abs() < 1e-12, "{energy} for {expected}");
        }
    }
}

#[test]
fn case_1_ends_where_the_figures_do() {
    let arrivals = published_arrivals();
    let ends = |policy: &mut dyn Policy| run(&SAME, &arrivals, policy).seconds[179].clone();
    let (lemma_1, lemma_2) = (table(&SAME, &["2"]), table(&SAME, &["2", "5", "2"]));
    assert_eq!(ends(&mut LiteralPartition::new(lemma_1, 1).unwrap()).connections, [1500; 3]);
    assert_eq!(ends(&mut LiteralPartition::new(lemma_2, 1).unwrap()).connections, [1050; 3]);
    assert_eq!(ends(&mut LiteralRoundRobin::new(3)).connections, [1500; 3]);
    let table_5 = table(&DIFFERENT, &["2", "2.5", "2"]);
    let course = run(&DIFFERENT, &arrivals, &mut LiteralPartition::new(table_5, 2).unwrap());
    assert_eq!(course.seconds[SECONDS - 1].connections, [1800, 1350, 900]);
    assert_eq!((course.refused(SECONDS), course.refused(180)), (0, 500));
}

/// 200 series of Poisson arrivals, seed 1: the printed energies lie inside, and so do the switch-on times. The dynamic form picks the
/// same servers as nobody leaves.
#[test]
fn printed_values_are_inside_the_spread_of_random_arrivals() {
    for (capacities, printed, starts) in
        [(SAME, [52194.2, 52201.5, 42509.6], [43, 84]), (DIFFERENT, [52014.7, 51997.6, 42917.0], [57, 97])]
    {
        let mut found: [Vec<f64>; 3] = Default::default();
        let mut started: [Vec<usize>; 2] = Default::default();
        for replication in 0..200 {
            let arrivals = random_arrivals(25.0, 180, &mut stream(1, replication)).unwrap();
            let courses = courses(&capacities, &arrivals);
            energies(&courses).into_iter().zip(&mut found).for_each(|(energy, found)| found.push(energy));
            (1..3).for_each(|server| started[server - 1].push(courses[2].started_s(server).unwrap()));
            let table = table(&capacities, &["2", "2.5", "2"]);
            assert_eq!(run(&capacities, &arrivals, &mut PhasePartition::new(table, 2).unwrap()), courses[2]);
        }
        for (mut found, printed) in found.into_iter().zip(printed) {
            found.sort_by(f64::total_cmp);
            // The middle 95 %.
            assert!(found[5] < printed && printed < found[194], "{printed}: {} to {}", found[5], found[194]);
        }
        for (mut started, printed) in started.into_iter().zip(starts) {
            started.sort_unstable();
            assert!(started[5] <= printed && printed <= started[194], "{printed}: {started:?}");
        }
    }
}

#[test]
fn the_command_prints_the_table() {
    let folder = folder();
    let table = printed(&folder, &["partition", "--capacity", "1500,1000", "--ratios", "2,2.5,2"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[..4],
        ["server,phase,ratio,portion,limit", "1,1,2,750,750", "1,2,2.5,300,1050", "1,3,2,150,1200"]
    );
    assert_eq!(lines.len(), 1 + 2 * 11);
    assert_eq!(lines[22], "2,11,2,0,900");

    let markdown = ["partition", "--capacity", "5", "--ratios", "2.5", "--format", "markdown"];
    let expected = "| server | phase | ratio | portion | limit |\n| --- | --- | --- | --- | --- |\n\
                    | 1 | 1 | 2.5 | 2 | 2 |\n| 1 | 2 | 2.5 | 1 | 3 |\n";
    assert_eq!(printed(&folder, &markdown), expected);
    let json = printed(&folder, &["partition", "--capacity", "2", "--ratios", "2", "--format", "json"]);
    assert!(json.contains(r#"{"server":1,"phase":1,"ratio":2.0,"portion":1,"limit":1}"#), "{json}");
    let root = printed(&folder, &["partition", "--capacity", "1000", "--ratios", "10,1.4142135623"]);
    assert!(root.contains("\n1,2,1.4142135623,71,171\n"), "{root}");
}

#[test]
fn what_makes_no_table() {
    let folder = folder();
    for (capacity, ratios, expected) in [
        ("1500", "1.4142135623", "in phase 2 the portions of server 1 sum to 1811, above its capacity 1500"),
        ("1500", "2,x", "\"x\" is not allowed: a number above 0 in digits"),
        ("1500", "2,1", "ratio 2 = 1 is not allowed: a number above 1"),
        (
            "15,7",
            "100",
            "no server gets a portion: the largest capacity 15 over the first ratio 100 is below 1/2",
        ),
        ("1500,0", "2", "invalid value '0' for '--capacity"),
        ("1500,-1", "2", "invalid value '-1' for '--capacity"),
        ("4294967296", "2", "invalid value '4294967296' for '--capacity"),
    ] {
        let (code, message) = refused(&folder, &["partition", "--capacity", capacity, "--ratios", ratios]);
        assert!(code == 2 && message.contains(expected), "{capacity} {ratios}: {message}");
    }
    for sets in [["--set", "run.horizon=3"], ["--set", "run.replications=0"]] {
        let (code, message) = refused(&folder, &[&["figures", "phase-partition"], &sets[..]].concat());
        assert!(code == 2 && message.contains(sets[1]), "{message}");
    }
    assert!(!folder.path().join("results").exists());
}

#[test]
fn figures_are_the_same_on_any_number_of_threads() {
    let tables = ["1", "3"].map(|threads| {
        let folder = folder();
        let set = ["--set", "run.replications=6", "--seed", "3", "--threads", threads, "--quiet"];
        printed(&folder, &[&["figures", "phase-partition"], &set[..]].concat());
        let read = |name: &str| {
            std::fs::read_to_string(folder.path().join("results/phase-partition").join(name)).unwrap()
        };
        ["seconds.csv", "random.csv", "totals.csv", "assignment.csv", "figures/assignment.svg"].map(read)
    });
    assert_eq!(tables[0], tables[1]);
}

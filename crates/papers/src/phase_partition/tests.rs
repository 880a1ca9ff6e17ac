use super::*;
use alba_compare::Silent;
use alba_table::Cell;

#[test]
fn the_folder_holds_what_the_paper_prints_beside_what_was_computed() {
    let results = tempfile::tempdir().unwrap();
    let series = Series { seed: 1, count: 40 };
    let folder = phase_partition(series, results.path(), &Silent).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("seconds.csv").lines().count(), 1 + 14 * 180);
    assert_eq!(read("random.csv").lines().count(), 1 + 14 * 40);
    assert_eq!(read("totals.csv").lines().count(), 1 + 14);
    assert_eq!(read("assignment.csv").lines().count(), 3);
    assert!(read("manifest.toml").contains("replications = 40"));
    for name in ["figures-5-to-12", "figures-13-to-17", "figures-18-to-22", "assignment"] {
        assert!(read(&format!("figures/{name}.svg")).starts_with("<svg"));
        assert!(folder.join(format!("figures/{name}.png")).exists());
    }
}

#[test]
fn every_printed_limit_is_met() {
    let table = tables::partitions().unwrap();
    assert_eq!(table.rows().len(), 8 + 10 + 33 + 30 + 33);
    assert_eq!(table.numbers("limit"), table.numbers("printed_limit"));
}

#[test]
fn differences_by_hand() {
    let arrivals = Series { seed: 1, count: 2 }.arrivals().unwrap();
    let spread =
        |method, assignment| Spread::new(Line { case: &CASES[1], method, assignment }, &arrivals).unwrap();
    let spreads = LINES.map(|(method, assignment)| spread(method, assignment));
    let table = summary::assignment(&spreads);
    // Case 1 was not run.
    assert_eq!(table.rows()[0][2..], vec![Cell::Empty; 8]);
    // One by one, both fill all servers evenly.
    assert!(table.numbers("one_by_one_j").unwrap()[1].unwrap().abs() < 1e-6);
    let difference = spreads[5].total.energy_j - spreads[6].total.energy_j;
    assert_eq!(table.numbers("by_second_j").unwrap()[1], Some(difference));
    assert_eq!(table.numbers("printed_j").unwrap(), [Some(-7.3), Some(17.1)]);
}

#[test]
fn the_middle_leaves_out_a_fortieth_on_either_side() {
    assert_eq!(courses::middle((1..=40).map(f64::from).collect()), (2.0, 39.0));
    assert_eq!(courses::middle(vec![3.0, 1.0]), (1.0, 3.0));
}

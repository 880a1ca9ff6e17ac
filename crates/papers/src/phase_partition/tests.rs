use super::*;
use alba_compare::Silent;

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
    let rows = tables::partitions().unwrap();
    assert_eq!(rows.len(), 8 + 10 + 33 + 30 + 33);
    assert!(rows.iter().all(|row| Some(row.portion.limit) == row.printed_limit));
}

#[test]
fn differences_by_hand() {
    let arrivals = Series { seed: 1, count: 2 }.arrivals().unwrap();
    let spread =
        |method, assignment| Spread::new(Line { case: &CASES[1], method, assignment }, &arrivals).unwrap();
    let spreads = LINES.map(|(method, assignment)| spread(method, assignment));
    let [first, second] = summary::contrasts(&spreads).try_into().ok().unwrap();
    // Case 1 was not run.
    assert!(first.one_by_one_j.is_none() && first.by_second_j.is_none() && first.random.is_none());
    // One by one, both fill all servers evenly.
    assert!(second.one_by_one_j.unwrap().abs() < 1e-6);
    let difference = spreads[5].total.energy_j - spreads[6].total.energy_j;
    assert_eq!(second.by_second_j, Some(difference));
    assert_eq!([first.printed_j, second.printed_j], [-7.3, 17.1]);
}

#[test]
fn the_middle_leaves_out_a_fortieth_on_either_side() {
    assert_eq!(courses::middle((1..=40).map(f64::from).collect()), Some((2.0, 39.0)));
    assert_eq!(courses::middle(vec![3.0, 1.0]), Some((1.0, 3.0)));
    assert_eq!(courses::middle(vec![]), None);
}

use super::*;
use crate::Stroke;
use alba_table::Schema;

fn table() -> Table {
    type Line = (f64, &'static str, f64, f64, f64);
    let lines: [Line; 4] = [
        (0.5, "a", 1.0, 0.1, 3.0),
        (0.3, "a", 0.5, 0.2, 2.0),
        (0.3, "b", 0.7, 0.1, 1.0),
        (0.5, "b", 2.0, 0.1, 4.0),
    ];
    let schema = Schema::new()
        .column("cell", "", "", |row: &(usize, Line)| row.0)
        .column("load", "", "", |row| row.1.0)
        .column("rule", "", "", |row| row.1.1)
        .column("seed", "", "", |_| 1_u64)
        .column("wait", "", "", |row| row.1.2)
        .column("wait_half_width", "", "", |row| row.1.3)
        .column("energy", "", "", |row| row.1.4)
        .column("status", "", "", |_| None::<String>);
    schema.table(lines.into_iter().enumerate())
}

fn request(by: &[&str]) -> Chart {
    let by = by.iter().map(|name| (*name).to_owned()).collect();
    Chart { x: "load".into(), y: vec!["wait".into()], by, ..Chart::default() }
}

#[test]
fn curves_have_their_rows_in_order_and_bars() {
    let table = table();
    let rows = Rows::new(&table, &[]).unwrap();
    let series = lines::series(&rows, &request(&["rule"])).unwrap();
    assert_eq!(series.len(), 4);
    assert_eq!((series[0].stroke, series[1].stroke), (Stroke::Points, Stroke::Solid));
    assert_eq!(series[1].label, "a");
    assert_eq!(series[1].points, [(0.3, Some(0.5)), (0.5, Some(1.0))]);
    assert_eq!(series[0].band, [(0.3, 0.3, 0.7), (0.5, 0.9, 1.1)]);
    assert!(chart(&table, &request(&["rule"])).unwrap().svg().contains("load"));
}

#[test]
fn two_rows_at_one_place_are_refused() {
    let error = chart(&table(), &request(&[])).unwrap_err();
    assert!(matches!(error, DrawError::Chart(_)));
    assert_eq!(
        error.to_string(),
        "2 rows have load = 0.3: name the columns that tell them apart in --by, or choose some of them with --only \
         (they differ in rule)"
    );
    let only = vec![("rule".to_owned(), "b".to_owned())];
    assert!(chart(&table(), &Chart { only, ..request(&[]) }).is_ok());
}

#[test]
fn columns_are_named_in_errors() {
    let text = |request: Chart| chart(&table(), &request).unwrap_err().to_string();
    let unknown = text(Chart { x: "laod".into(), ..request(&[]) });
    assert!(
        unknown.starts_with("no column laod (did you mean load?): the table has cell, load"),
        "{unknown}"
    );
    let names = text(Chart { x: "rule".into(), ..request(&[]) });
    assert_eq!(names, "column rule holds \"a\", not numbers: names go to --by");
    let only = vec![("load".to_owned(), "0.7".to_owned())];
    assert_eq!(text(Chart { only, ..request(&["rule"]) }), "no row has numbers to draw");
}

#[test]
fn a_heat_map_has_a_field_for_every_pair() {
    let table = table();
    let request = Chart { y: vec!["rule".into()], kind: Kind::Heat("wait".into()), ..request(&[]) };
    let map = heat::map(&Rows::new(&table, &[]).unwrap(), &request, "wait").unwrap();
    assert_eq!(
        (map.x.values, map.y.values),
        (vec!["0.3".into(), "0.5".into()], vec!["a".into(), "b".into()])
    );
    assert_eq!(map.fields, [[Some(0.5), Some(1.0)], [Some(0.7), Some(2.0)]]);
    assert!(chart(&table, &request).is_ok());
}

#[test]
fn the_front_is_what_nothing_beats() {
    let points = vec![(1.0, 3.0), (2.0, 1.0), (2.0, 2.0), (3.0, 1.0), (1.0, 4.0), (0.5, 5.0)];
    assert_eq!(pareto::front(points), [(0.5, 5.0), (1.0, 3.0), (2.0, 1.0)]);
    let request = Chart { x: "energy".into(), kind: Kind::Pareto, ..request(&["rule"]) };
    let table = table();
    let figure = pareto::figure(&Rows::new(&table, &[]).unwrap(), &request).unwrap();
    let front = figure.panels[0].series.last().unwrap();
    assert_eq!(front.points, [(1.0, Some(0.7)), (2.0, Some(0.7)), (2.0, Some(0.5))]);
}

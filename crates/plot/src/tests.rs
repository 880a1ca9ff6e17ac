use super::*;

fn curve(label: &str, stroke: Stroke, points: &[(f64, Option<f64>)]) -> Series {
    Series { label: label.into(), colour: Colour::Blue, stroke, points: points.into(), band: vec![] }
}

fn figure(series: Vec<Series>) -> Figure {
    let panel = Panel { title: "panel".into(), x: Axis::linear("time"), y: Axis::linear("share"), series };
    Figure { title: "title".into(), caption: "caption".into(), columns: 1, panels: vec![panel] }
}

fn count(figure: &Figure, pattern: &str) -> usize {
    render(figure).unwrap().svg().matches(pattern).count()
}

const RISE: [(f64, Option<f64>); 3] = [(0.0, Some(0.0)), (1.0, Some(0.5)), (2.0, Some(1.5))];

#[test]
fn the_same_figure_has_the_same_bytes() {
    let figure = figure(vec![curve("one", Stroke::DashDotted, &RISE)]);
    let (first, second) = (render(&figure).unwrap(), render(&figure).unwrap());
    assert_eq!(first, second);
    assert_eq!(first.png().unwrap(), second.png().unwrap());
}

#[test]
fn letters_of_the_png_come_from_the_compiled_in_font() {
    let plain = figure(vec![curve("", Stroke::Solid, &RISE)]);
    let titled = |title: &str| Figure { title: title.into(), ..plain.clone() };
    let png = |figure: &Figure| render(figure).unwrap().png().unwrap();
    assert_ne!(png(&titled("a")), png(&titled("b")));
}

#[test]
fn a_gap_breaks_the_curve_and_a_lone_point_is_a_dot() {
    let whole = figure(vec![curve("", Stroke::Solid, &RISE)]);
    let mut points = [RISE, RISE.map(|(x, y)| (x + 4.0, y))].concat();
    points.insert(3, (3.0, Some(f64::NAN)));
    points.extend([(7.0, None), (8.0, Some(1.0))]);
    let broken = figure(vec![curve("", Stroke::Solid, &points)]);
    let lines = |figure| count(figure, "stroke=\"#0072B2\" stroke-width=\"44\"");
    assert_eq!((lines(&whole), lines(&broken)), (1, 2));
    assert_eq!((count(&whole, "<circle"), count(&broken, "<circle")), (0, 1));
    assert!(!render(&broken).unwrap().svg().contains("NaN"));
}

#[test]
fn bands_are_translucent_and_become_error_bars_on_points() {
    let banded = |stroke| {
        let band = vec![(0.0, 0.0, 0.1), (1.0, 0.4, 0.6), (2.0, f64::NAN, 2.0)];
        figure(vec![Series { band, ..curve("", stroke, &RISE) }])
    };
    assert_eq!(count(&banded(Stroke::Solid), "<polygon opacity=\"0.25\""), 1);
    assert_eq!(count(&banded(Stroke::Points), "<polygon"), 0);
    assert_eq!(count(&banded(Stroke::Points), "stroke-width=\"26\""), 2 * 3);
}

#[test]
fn labelled_series_are_named_once() {
    let figure = figure(vec![
        curve("first", Stroke::Solid, &RISE),
        curve("second", Stroke::Dashed, &[]),
        curve("", Stroke::Dashed, &RISE),
    ]);
    assert_eq!((count(&figure, "first\n"), count(&figure, "second\n")), (1, 1));
}

#[test]
fn there_must_be_something_to_draw() {
    let none = Figure { panels: vec![], ..figure(vec![]) };
    assert!(matches!(render(&none), Err(PlotError::NoPanel)));
    let absent = figure(vec![curve("", Stroke::Solid, &[(0.0, None), (1.0, None)])]);
    assert!(matches!(render(&absent), Err(PlotError::NoFiniteValue { axis }) if axis == "share"));
    let mut logarithmic = figure(vec![curve("", Stroke::Points, &[(1.0, Some(0.0)), (2.0, Some(-1.0))])]);
    logarithmic.panels[0].y = Axis::log10("gap");
    assert!(matches!(render(&logarithmic), Err(PlotError::NoPositiveValue { axis }) if axis == "gap"));
}

#[test]
fn panels_fill_rows_and_columns_line_up() {
    let one = figure(vec![curve("", Stroke::Solid, &RISE)]);
    let mut four = Figure { panels: [&one.panels[..]; 4].concat(), columns: 2, ..one };
    four.panels[2].y.label = String::new();
    let corners: Vec<String> = render(&four)
        .unwrap()
        .svg()
        .lines()
        .filter(|line| line.contains("stroke-width=\"20\"") && line.matches(',').count() == 3)
        .map(|line| line.split_once("points=\"").unwrap().1.split(',').next().unwrap().to_owned())
        .collect();
    assert_eq!(corners.len(), 4);
    assert_eq!(corners[..2], corners[2..]);
    assert_ne!(corners[0], corners[1]);
}

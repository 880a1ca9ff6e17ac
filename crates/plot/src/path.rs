//! Plane geometry of curves, in pixels.

pub(super) type Point = (f64, f64);

/// The parts of a line inside the rectangle from the origin to (`width`, `height`).
pub(super) fn clip(line: &[Point], width: f64, height: f64) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = vec![];
    for pair in line.windows(2) {
        let Some((from, to)) = inside(pair[0], pair[1], width, height) else { continue };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    parts
}

/// The part of a straight piece inside the rectangle (Liang and Barsky 1984).
fn inside(from: Point, to: Point, width: f64, height: f64) -> Option<(Point, Point)> {
    let (mut enter, mut leave) = (0.0, 1.0);
    for (start, end, size) in [(from.0, to.0, width), (from.1, to.1, height)] {
        // Distances inward from the two edges, at the start and at the end.
        for (first, last) in [(start, end), (size - start, size - end)] {
            if first < 0.0 && last < 0.0 {
                return None;
            } else if first < 0.0 {
                enter = f64::max(enter, first / (first - last));
            } else if last < 0.0 {
                leave = f64::min(leave, first / (first - last));
            }
        }
    }
    let from_edge = if enter > 0.0 { between(from, to, enter) } else { from };
    let to_edge = if leave < 1.0 { between(from, to, leave) } else { to };
    (enter < leave).then_some((from_edge, to_edge))
}

/// Leaves out the points that lie within `tolerance` of the line through those kept (Ramer 1972, Douglas and Peucker
/// 1973).
pub(super) fn simplified(line: &[Point], tolerance: f64) -> Vec<Point> {
    let Some(end) = line.len().checked_sub(1) else { return vec![] };
    let mut kept = vec![false; line.len()];
    let mut spans = vec![(0, end)];
    while let Some((first, last)) = spans.pop() {
        (kept[first], kept[last]) = (true, true);
        let farthest = (first + 1..last)
            .map(|index| (index, distance(line[index], line[first], line[last])))
            .max_by(|(_, one), (_, other)| one.total_cmp(other));
        if let Some((index, far)) = farthest
            && far > tolerance
        {
            spans.extend([(first, index), (index, last)]);
        }
    }
    line.iter().zip(kept).filter_map(|(&point, kept)| kept.then_some(point)).collect()
}

/// The pieces of a line drawn with a pattern of lengths drawn and left out, in turn; all of it if there is no pattern.
pub(super) fn dashed(line: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let (Some(&start), Some(&length)) = (line.first(), pattern.first()) else { return vec![line.to_vec()] };
    let (mut pieces, mut piece) = (vec![], vec![start]);
    let (mut turn, mut left) = (0, length);
    for pair in line.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut length = span(from, to);
        while length > left {
            from = between(from, to, left / length);
            length -= left;
            piece.push(from);
            if turn % 2 == 0 {
                pieces.push(std::mem::take(&mut piece));
            }
            piece = vec![from];
            turn = (turn + 1) % pattern.len();
            left = pattern[turn];
        }
        left -= length;
        piece.push(to);
    }
    if turn % 2 == 0 {
        pieces.push(piece);
    }
    pieces
}

fn between(from: Point, to: Point, share: f64) -> Point {
    (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
}

fn span(from: Point, to: Point) -> f64 {
    (to.0 - from.0).hypot(to.1 - from.1)
}

/// Distance of a point to a straight piece.
fn distance(point: Point, from: Point, to: Point) -> f64 {
    let along = (point.0 - from.0) * (to.0 - from.0) + (point.1 - from.1) * (to.1 - from.1);
    let share = (along / span(from, to).powi(2)).clamp(0.0, 1.0);
    span(point, if share.is_nan() { from } else { between(from, to, share) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_edges() {
        let line = [(-5.0, 5.0), (5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)];
        let parts = clip(&line, 10.0, 10.0);
        assert_eq!(parts, [vec![(0.0, 5.0), (5.0, 5.0), (5.0, 10.0)], vec![(8.0, 10.0), (8.0, 5.0)]]);
        assert!(clip(&[(-5.0, 2.0), (2.0, -5.0)], 10.0, 10.0).is_empty());
    }

    #[test]
    fn dashes_go_round_corners() {
        let line = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)];
        assert_eq!(
            dashed(&line, &[4.0, 2.0]),
            [vec![(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)], vec![(3.0, 3.0), (3.0, 4.0)]]
        );
        assert_eq!(dashed(&line, &[]), [line]);
    }

    #[test]
    fn flat_points_are_left_out_and_corners_kept() {
        let stairs = [(0.0, 0.0), (50.0, 0.2), (100.0, 0.0), (100.0, 80.0), (100.0, 0.0)];
        assert_eq!(simplified(&stairs, 0.3), [(0.0, 0.0), (100.0, 0.0), (100.0, 80.0), (100.0, 0.0)]);
        assert_eq!(simplified(&[(1.0, 2.0)], 0.3), [(1.0, 2.0)]);
        assert!(simplified(&[], 0.3).is_empty());
    }
}

//! All cells of a sweep, made by index.

use super::axis::{Key, Source, ValueKind, Values};
use super::latin::LatinHypercube;
use alba_scenario::tree::Node;
use alba_scenario::{Place, Setting};

/// What varies together; a cell is a choice of one point of every dimension.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Dimension {
    /// Keys whose values go together, one key or several.
    Zipped { place: Place, axes: Vec<(Key, Values)> },
    /// Points spread over several keys.
    Latin { place: Place, hypercube: LatinHypercube },
}

impl Dimension {
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Zipped { axes, .. } => axes.first().map_or(0, |(_, values)| values.len()),
            Self::Latin { hypercube, .. } => hypercube.len(),
        }
    }

    pub(super) fn place(&self) -> &Place {
        match self {
            Self::Zipped { place, .. } | Self::Latin { place, .. } => place,
        }
    }

    pub(super) fn keys(&self) -> Vec<&Key> {
        match self {
            Self::Zipped { axes, .. } => axes.iter().map(|(key, _)| key).collect(),
            Self::Latin { hypercube, .. } => hypercube.keys.iter().collect(),
        }
    }

    fn kinds(&self) -> Vec<ValueKind> {
        match self {
            Self::Zipped { axes, .. } => axes.iter().map(|(_, values)| values.kind()).collect(),
            Self::Latin { hypercube, .. } => hypercube.sources().iter().map(Source::kind).collect(),
        }
    }

    fn nodes(&self, point: u64) -> Vec<Node> {
        match self {
            Self::Zipped { axes, .. } => axes.iter().map(|(_, values)| values.node(point)).collect(),
            Self::Latin { hypercube, .. } => {
                (0..hypercube.keys.len()).map(|axis| hypercube.node(axis, point)).collect()
            }
        }
    }
}

/// Dimensions, the first the slowest, and engines, faster than all.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cells {
    dimensions: Vec<Dimension>,
    engines: u64,
    count: u64,
}

impl Cells {
    /// So many can be planned, ordered and found again in about 200 MB.
    pub(super) const MOST: u64 = 10_000_000;

    /// None if there are more than [`Self::MOST`].
    pub(super) fn new(dimensions: Vec<Dimension>, engines: usize) -> Option<Self> {
        let engines = engines as u64;
        let product =
            dimensions.iter().try_fold(engines, |product, dimension| product.checked_mul(dimension.len()));
        product.filter(|count| *count <= Self::MOST).map(|count| Self { dimensions, engines, count })
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The engine's index.
    pub(super) fn engine(&self, cell: u64) -> usize {
        (cell % self.engines) as usize
    }

    pub(super) fn keys(&self) -> Vec<&Key> {
        self.dimensions.iter().flat_map(Dimension::keys).collect()
    }

    pub(super) fn kinds(&self) -> Vec<ValueKind> {
        self.dimensions.iter().flat_map(Dimension::kinds).collect()
    }

    /// The cell's values, in the order of [`Self::keys`].
    pub(super) fn nodes(&self, cell: u64) -> Vec<Node> {
        let mut left = cell / self.engines;
        let mut points: Vec<u64> = self
            .dimensions
            .iter()
            .rev()
            .map(|dimension| {
                let point = left % dimension.len();
                left /= dimension.len();
                point
            })
            .collect();
        points.reverse();
        self.dimensions.iter().zip(points).flat_map(|(dimension, point)| dimension.nodes(point)).collect()
    }

    /// The cell's values as changes to its scenario.
    pub(super) fn settings(&self, cell: u64) -> Vec<Setting<'_>> {
        let pairs = self.keys().into_iter().zip(self.nodes(cell));
        pairs.map(|(key, node)| Setting { key: &key.path, place: &key.place, node }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::range::Range;

    fn key(name: &str) -> Key {
        let path = name.split('.').map(str::to_owned).collect();
        Key { name: name.into(), path, place: Place::Option("x".into()) }
    }

    fn zipped(axes: &[(&str, &str)]) -> Dimension {
        let place = Place::Option("x".into());
        let values = |text: &str| Values::Range(Range::parse(text).unwrap(), place.clone());
        let axes = axes.iter().map(|(name, text)| (key(name), values(text))).collect();
        Dimension::Zipped { place: place.clone(), axes }
    }

    #[test]
    fn the_last_varies_fastest_and_engines_faster_still() {
        let both = [("b", "1..3 step 1"), ("c", "10..30 step 10")];
        let cells = Cells::new(vec![zipped(&[("a", "1..2 step 1")]), zipped(&both)], 2).unwrap();
        assert_eq!(cells.count(), 12);
        let shown = |cell| {
            let nodes: Vec<String> = cells.nodes(cell).iter().map(Node::shown).collect();
            format!("{} engine {}", nodes.join(" "), cells.engine(cell))
        };
        assert_eq!(
            [0, 1, 2, 5, 6, 11].map(shown),
            [
                "1 1 10 engine 0",
                "1 1 10 engine 1",
                "1 2 20 engine 0",
                "1 3 30 engine 1",
                "2 1 10 engine 0",
                "2 3 30 engine 1"
            ]
        );
        assert_eq!(cells.settings(11)[2].key, ["c"]);
    }

    #[test]
    fn too_many_cells_are_refused() {
        let large = || zipped(&[("a", "1..10000 step 1")]);
        assert!(Cells::new(vec![large(), large()], 1).is_none());
        assert_eq!(Cells::new(vec![], 3).unwrap().count(), 3);
    }
}

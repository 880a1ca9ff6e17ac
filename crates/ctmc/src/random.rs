//! Exact uniform ranks.

use alba_replicate::{Stream, stream, stream_for};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// All streams of one replication: one for each thing that must not disturb another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Streams {
    seed: u64,
    replication: u64,
}

impl Streams {
    pub(crate) fn new(seed: u64, replication: u64) -> Self {
        Self { seed, replication }
    }

    /// For what is drawn one by one.
    pub(crate) fn scalar(self) -> Stream {
        stream(self.seed, self.replication)
    }

    /// For lane `lane` of what is drawn in blocks.
    pub(crate) fn lane(self, lane: u64) -> Stream {
        stream_for(self.seed, self.replication, 2 * lane + 1)
    }

    /// For times of steps in bursts.
    pub(crate) fn times(self, number: u64) -> Stream {
        stream_for(self.seed, self.replication, 2 * number + 2)
    }
}

/// The index that `uniform` in [0, 1) falls on where each has its share of `weights >= 0`; none if all are 0.
pub(crate) fn weighted(weights: &[f64], uniform: f64) -> Option<usize> {
    let mut left = uniform * weights.iter().sum::<f64>();
    let mut last = None;
    for (index, &weight) in weights.iter().enumerate() {
        if weight > 0.0 {
            last = Some(index); // where rounding leaves something at the end
            if left < weight {
                break;
            }
        }
        left -= weight;
    }
    last
}

/// The sum of `steps >= 1` exponential times of mean one.
///
/// # Source
/// G. Marsaglia, W. W. Tsang, *A simple method for generating gamma variables*, 2000.
pub(crate) fn erlang(steps: usize, rng: &mut Stream) -> f64 {
    let d = steps as f64 - 1.0 / 3.0;
    let c = (9.0 * d).sqrt().recip();
    loop {
        let x: f64 = rng.sample(StandardNormal);
        let v = (1.0 + c * x).powi(3);
        let u: f64 = rng.random();
        // The first of the two tests is nearly always enough.
        if v > 0.0 && (u < 1.0 - 0.0331 * x.powi(4) || u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln())) {
            return d * v;
        }
    }
}

/// A whole number below `bound`, each equally likely, from 32 random `bits` (Lemire 2019, exact: what would be
/// biased is drawn again). 0 if `bound` is 0.
#[inline(always)]
pub(crate) fn below(bound: u32, bits: u32, rng: &mut Stream) -> u32 {
    let product = u64::from(bits) * u64::from(bound);
    if (product as u32) < bound { redraw_below(bound, product, rng) } else { (product >> 32) as u32 }
}

/// The same from 31 random `bits`.
#[inline(always)]
pub(crate) fn below_by_31_bits(bound: u32, bits: u32, rng: &mut Stream) -> u32 {
    let product = u64::from(bits) * u64::from(bound);
    let left = product as u32 & (u32::MAX >> 1);
    if left < bound { redraw_below_by_31_bits(bound, product, rng) } else { (product >> 31) as u32 }
}

#[cold]
fn redraw_below_by_31_bits(bound: u32, mut product: u64, rng: &mut Stream) -> u32 {
    let biased = (1 << 31) % bound;
    while (product as u32 & (u32::MAX >> 1)) < biased {
        product = (rng.next_u64() >> 33) * u64::from(bound);
    }
    (product >> 31) as u32
}

#[cold]
fn redraw_below(bound: u32, mut product: u64, rng: &mut Stream) -> u32 {
    let biased = bound.wrapping_neg() % bound; // 2^32 mod bound
    while (product as u32) < biased {
        product = (rng.next_u64() >> 32) * u64::from(bound);
    }
    (product >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_replicate::stream;

    #[test]
    fn ranks_are_uniform_where_truncation_is_not() {
        // 3 * 2^30: without rejection every third rank is drawn twice as often (2^32 is no multiple of it).
        let (bound, draws) = (3 << 30, 60_000);
        let mut rng = stream(1, 0);
        let mut remainders = [0u32; 3];
        for _ in 0..draws {
            let bits = rng.next_u64() as u32;
            remainders[(below(bound, bits, &mut rng) % 3) as usize] += 1;
        }
        let sd = (f64::from(draws) * (1.0 / 3.0) * (2.0 / 3.0)).sqrt();
        for count in remainders {
            assert!((f64::from(count) - f64::from(draws) / 3.0).abs() < 4.0 * sd, "{remainders:?}");
        }
        assert_eq!(below(1, u32::MAX, &mut rng), 0);
        assert_eq!(below(0, u32::MAX, &mut rng), 0);
    }
}

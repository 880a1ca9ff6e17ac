//! Where randomness enters: one stream per replication.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random numbers of replication `replication` of an experiment with `seed`; they depend on nothing else.
pub fn stream(seed: u64, replication: u64) -> Xoshiro256PlusPlus {
    let mut key = [0; 32];
    for (word, bytes) in (1u64..).zip(key.chunks_exact_mut(8)) {
        // Mixed one after the other: (seed, r) and (seed + 1, r - 1) have nothing in common.
        let seeded = mix(seed.wrapping_add(word.wrapping_mul(GOLDEN)));
        bytes.copy_from_slice(&mix(seeded.wrapping_add(replication.wrapping_mul(GOLDEN))).to_le_bytes());
    }
    Xoshiro256PlusPlus::from_seed(key)
}

/// 2^64 over the golden ratio, odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finalizer, a bijection.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_differ_by_seed_and_by_replication() {
        let first = |seed, replication| stream(seed, replication).next_u64();
        let mut firsts: Vec<u64> = (0..50).flat_map(|s| (0..50).map(move |r| first(s, r))).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 2500);
    }
}

//! Streams of random numbers, one per replication.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random numbers of one replication.
pub type Stream = Xoshiro256PlusPlus;

/// The stream of replication `replication` of an experiment with `seed`; it depends on nothing else.
pub fn stream(seed: u64, replication: u64) -> Stream {
    keyed(|word| mixed(seed, replication, word))
}

/// The stream of that replication for one of any number of purposes, `purpose >= 1`: what one draws changes nothing for the
/// others.
pub fn stream_for(seed: u64, replication: u64, purpose: u64) -> Stream {
    let shift = purpose.wrapping_mul(GOLDEN);
    keyed(|word| mix(mixed(seed, replication, word).wrapping_add(shift)))
}

/// The stream whose key has the words `word(1)` to `word(4)`.
fn keyed(word: impl Fn(u64) -> u64) -> Stream {
    let mut key = [0; 32];
    for (index, bytes) in (1u64..).zip(key.chunks_exact_mut(8)) {
        bytes.copy_from_slice(&word(index).to_le_bytes());
    }
    Stream::from_seed(key)
}

/// Mixed one after the other: (seed, r) and (seed + 1, r - 1) have nothing in common.
fn mixed(seed: u64, replication: u64, word: u64) -> u64 {
    let seeded = mix(seed.wrapping_add(word.wrapping_mul(GOLDEN)));
    mix(seeded.wrapping_add(replication.wrapping_mul(GOLDEN)))
}

/// Streams of the same replication for different purposes, in the order asked for: each begins 2^128 draws after the
/// one before, so that what one purpose draws changes nothing for the others.
pub fn streams<const PURPOSES: usize>(seed: u64, replication: u64) -> [Stream; PURPOSES] {
    let mut next = stream(seed, replication);
    std::array::from_fn(|_| {
        let this = next.clone();
        next.jump();
        this
    })
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
    fn streams_differ_by_seed_by_replication_and_by_purpose() {
        let first = |seed, replication| streams::<3>(seed, replication).map(|mut stream| stream.next_u64());
        let mut firsts: Vec<u64> = (0..50).flat_map(|s| (0..50).flat_map(move |r| first(s, r))).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 7500);
        assert_eq!(streams::<1>(7, 3)[0], stream(7, 3));
    }
}

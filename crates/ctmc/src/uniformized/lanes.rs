//! Random words in blocks: several generators side by side, which the compiler turns into vector instructions.

use rand::Rng;

use crate::random::Streams;

/// Steps whose random words are drawn at a time.
pub(crate) const BLOCK: usize = 256;

/// Generators side by side.
const LANES: usize = 8;

/// xoshiro256++, `LANES` times: lane `l` yields words `l`, `l + LANES`, ... of a block.
///
/// # Source
/// D. Blackman, S. Vigna, *Scrambled linear pseudorandom number generators*, 2021.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    state: [[u64; LANES]; 4],
}

impl Lanes {
    /// The generators of one replication, each with a stream of its own.
    pub(crate) fn new(streams: Streams) -> Self {
        let mut state = [[0; LANES]; 4];
        for lane in 0..LANES {
            // An output, not the key itself: the lanes' own streams start elsewhere.
            let mut stream = streams.lane(lane as u64);
            state.iter_mut().for_each(|words| words[lane] = stream.next_u64());
        }
        Self { state }
    }

    /// The next words.
    pub(crate) fn fill(&mut self, words: &mut [u64; BLOCK]) {
        let [mut a, mut b, mut c, mut d] = self.state;
        for chunk in words.as_chunks_mut::<LANES>().0 {
            for lane in 0..LANES {
                chunk[lane] = a[lane].wrapping_add(d[lane]).rotate_left(23).wrapping_add(a[lane]);
                let shifted = b[lane] << 17;
                c[lane] ^= a[lane];
                d[lane] ^= b[lane];
                b[lane] ^= c[lane];
                a[lane] ^= d[lane];
                c[lane] ^= shifted;
                d[lane] = d[lane].rotate_left(45);
            }
        }
        self.state = [a, b, c, d];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn every_lane_is_xoshiro() {
        let mut lanes = Lanes::new(Streams::new(1, 2));
        let mut words = [0; BLOCK];
        let mut plain: Vec<Xoshiro256PlusPlus> = (0..LANES)
            .map(|lane| {
                let mut key = [0; 32];
                for (bytes, words) in key.chunks_exact_mut(8).zip(&lanes.state) {
                    bytes.copy_from_slice(&words[lane].to_le_bytes());
                }
                Xoshiro256PlusPlus::from_seed(key)
            })
            .collect();
        for _ in 0..3 {
            lanes.fill(&mut words);
            for (index, &word) in words.iter().enumerate() {
                assert_eq!(word, plain[index % LANES].next_u64());
            }
        }
    }
}

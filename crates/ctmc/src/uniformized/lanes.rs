//! Random words in blocks: several generators side by side, which the compiler turns into vector instructions.

use pulp::{Arch, Simd, WithSimd};
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

    /// The next words, a multiple of `LANES`.
    pub(crate) fn fill(&mut self, words: &mut [u64], arch: Arch) {
        arch.dispatch(Fill { lanes: self, words });
    }

    #[inline(always)]
    fn fill_words(&mut self, words: &mut [u64]) {
        let [a, b, c, d] = &mut self.state;
        for chunk in words.as_chunks_mut::<LANES>().0 {
            for lane in 0..LANES {
                let (s0, s1, s2, s3) = (a[lane], b[lane], c[lane], d[lane]);
                chunk[lane] = s0.wrapping_add(s3).rotate_left(23).wrapping_add(s0);
                let (t2, t3) = (s2 ^ s0, s3 ^ s1);
                a[lane] = s0 ^ t3;
                b[lane] = s1 ^ t2;
                c[lane] = t2 ^ (s1 << 17);
                d[lane] = t3.rotate_left(45);
            }
        }
    }
}

/// Compiled for several instruction sets, of which `dispatch` chooses.
struct Fill<'a> {
    lanes: &'a mut Lanes,
    words: &'a mut [u64],
}

impl WithSimd for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.lanes.fill_words(self.words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_replicate::Stream;
    use rand::SeedableRng;

    #[test]
    fn every_lane_is_xoshiro() {
        let mut lanes = Lanes::new(Streams::new(1, 2));
        let mut words = [0; BLOCK];
        let mut plain: Vec<Stream> = (0..LANES)
            .map(|lane| {
                let mut key = [0; 32];
                for (bytes, words) in key.chunks_exact_mut(8).zip(&lanes.state) {
                    bytes.copy_from_slice(&words[lane].to_le_bytes());
                }
                Stream::from_seed(key)
            })
            .collect();
        for _ in 0..3 {
            lanes.fill(&mut words[..], Arch::new());
            for (index, &word) in words.iter().enumerate() {
                assert_eq!(word, plain[index % LANES].next_u64());
            }
        }
    }
}

//! Replications in parallel, taken in order.

use std::ops::Range;

use rayon::prelude::*;

/// Makes one thing per replication, in parallel, and takes them in order; only a block of them is held at a time, of
/// about `numbers` numbers each. The blocks show in nothing but speed and memory.
///
/// # Errors
/// The first of `take`; no further replication is taken then.
pub fn in_order<T: Send, E>(
    replications: Range<u64>,
    numbers: usize,
    make: impl Fn(u64) -> T + Sync,
    take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    in_order_by_groups(replications, numbers, 1, |group| group.map(&make).collect(), take)
}

/// The same where `make` makes the things of several replications together, in order, of at most `most >= 1`.
///
/// # Errors
/// The first of `take`; no further replication is taken then.
pub fn in_order_by_groups<T: Send, E>(
    replications: Range<u64>,
    numbers: usize,
    most: usize,
    make: impl Fn(Range<u64>) -> Vec<T> + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let block = block_size(numbers);
    for first in replications.clone().step_by(block as usize) {
        let end = replications.end.min(first + block);
        let size = group_size((end - first) as usize, most) as u64;
        let groups = (end - first).div_ceil(size);
        // One at a time: replications are long, and a thread that took half of them at once would be waited for.
        let made: Vec<Vec<T>> = (0..groups as usize)
            .into_par_iter()
            .with_max_len(1)
            .map(|index| {
                let from = first + index as u64 * size;
                make(from..end.min(from + size))
            })
            .collect();
        made.into_iter().flatten().try_for_each(&mut take)?;
    }
    Ok(())
}

/// As many at most, in groups of the same size, as many for each thread.
fn group_size(size: usize, most: usize) -> usize {
    let threads = rayon::current_num_threads();
    size.div_ceil(threads * size.div_ceil(threads * most))
}

/// Many, so that threads seldom wait for the last of a block; few where each holds many numbers (about 64 MB in all).
fn block_size(numbers: usize) -> u64 {
    const MOST_NUMBERS: usize = 1 << 23;
    (MOST_NUMBERS / numbers.max(1)).clamp(16, 512) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_replication_once_and_in_order() {
        let mut taken = Vec::new();
        let result: Result<(), ()> = in_order(
            3..1200,
            1,
            |r| r,
            |r| {
                taken.push(r);
                Ok(())
            },
        );
        assert_eq!(result, Ok(()));
        assert!(taken.into_iter().eq(3..1200));
        let stopped = in_order(0..1200, 1 << 40, |r| r, |r| if r < 20 { Ok(()) } else { Err(r) });
        assert_eq!(stopped, Err(20));
    }
}

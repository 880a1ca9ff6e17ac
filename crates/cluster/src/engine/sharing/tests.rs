use super::*;
use proptest::prelude::*;

/// Serves everybody, and finds for each request when it leaves.
fn fast(requests: &[(f64, f64)]) -> Vec<f64> {
    let (mut sharing, mut left, mut next) = (Sharing::default(), vec![], 0);
    loop {
        let completion = sharing.next_completion().unwrap_or(f64::INFINITY);
        match requests.get(next) {
            Some(&(arrival, service)) if arrival < completion => {
                sharing.join(arrival, service, arrival, true);
                next += 1;
            }
            _ if completion < f64::INFINITY => {
                let guest = sharing.leave(completion).unwrap();
                left.push((guest.arrived, completion));
            }
            _ => break,
        }
    }
    in_order(left)
}

/// The obvious way: from change to change, everybody's remaining work goes down by the same.
fn slow(requests: &[(f64, f64)]) -> Vec<f64> {
    let mut remaining: Vec<(usize, f64)> = vec![];
    let mut left = vec![0.0; requests.len()];
    let (mut now, mut next) = (0.0, 0);
    while next < requests.len() || !remaining.is_empty() {
        let least = remaining.iter().map(|request| request.1).fold(f64::INFINITY, f64::min);
        let completion = if remaining.is_empty() { least } else { now + least * remaining.len() as f64 };
        let arrival = requests.get(next).map_or(f64::INFINITY, |request| request.0);
        let time = completion.min(arrival);
        let served = (time - now) / remaining.len() as f64;
        remaining.iter_mut().for_each(|request| request.1 -= served);
        now = time;
        if arrival < completion {
            remaining.push((next, requests[next].1));
            next += 1;
        } else {
            let least = |a: &usize, b: &usize| remaining[*a].1.total_cmp(&remaining[*b].1);
            let done = (0..remaining.len()).min_by(least).unwrap();
            left[remaining.swap_remove(done).0] = now;
        }
    }
    in_order(requests.iter().map(|request| request.0).zip(left).collect())
}

/// When requests leave, in the order of their arrivals, and of leaving where they came together.
fn in_order(mut left: Vec<(f64, f64)>) -> Vec<f64> {
    left.sort_by(|a, b| a.partial_cmp(b).unwrap());
    left.into_iter().map(|pair| pair.1).collect()
}

#[test]
fn by_hand() {
    // 1 and 2 share from 1 on: 1 has done 1 of 2, both run at 1/2, so it leaves at 3; 2 has done 1 of 3, leaves at 5.
    assert_eq!(fast(&[(0.0, 2.0), (1.0, 3.0)]), [3.0, 5.0]);
    assert_eq!(fast(&[(1.0, 1.0), (5.0, 0.0), (5.5, 1.0)]), [2.0, 5.0, 6.5]);
}

proptest! {
    #[test]
    fn like_the_obvious_way(gaps in prop::collection::vec((0.0f64..1.5, 0.01f64..2.0), 1..80)) {
        let mut time = 0.0;
        let ticks = |time: f64| (time * 1e9).round();
        let requests: Vec<_> =
            gaps.into_iter().map(|(gap, service)| { time += ticks(gap); (time, ticks(service)) }).collect();
        for (fast, slow) in fast(&requests).into_iter().zip(slow(&requests)) {
            // Every completion is cut off to a whole tick: up to 79 before this one, and each moves the end of those that
            // share by as much again (100.4 ticks were seen).
            prop_assert!((fast - slow).abs() <= 160.0 && fast.fract() == 0.0, "{fast} {slow}");
        }
    }
}

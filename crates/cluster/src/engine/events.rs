//! What will happen, in order.

/// Something that happens to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is warm now: before what a request of no length that waited for it does.
    Ready,
    /// A request is done.
    Completion,
    /// It may go cold: not before it has been idle for longer than that, so after whoever arrives at that time.
    Expiration,
}

/// A time, and below it the kind and the server's number: what happens at the same time happens in their order. Times are
/// not negative, so that their bits are in the order of the times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    time: u64,
    what: u64,
}

/// Where the heap is empty.
const NEVER: Event = Event { time: f64::INFINITY.to_bits(), what: u64::MAX };

/// Events to come: a heap in which every node has four children, whose comparisons share a cache line.
#[derive(Debug, Clone)]
pub(super) struct Events {
    heap: Vec<Event>,
}

const CHILDREN: usize = 4;
/// The kind is above as many bits as numbers of servers have.
const KIND: u32 = 32;

impl Events {
    pub(super) fn new() -> Self {
        Self { heap: Vec::new() }
    }

    /// When the next event happens, infinite if none does; and whether it lets whoever arrives at that time go first.
    #[inline]
    pub(super) fn next(&self) -> (f64, bool) {
        let next = self.heap.first().unwrap_or(&NEVER);
        (f64::from_bits(next.time), next.what >> KIND >= Kind::Expiration as u64)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Adds an event at `time >= 0`.
    #[inline]
    pub(super) fn push(&mut self, time: f64, kind: Kind, server: u32) {
        // Adding zero makes -0 a 0, whose bits are the smallest.
        let event = Event { time: (time + 0.0).to_bits(), what: (kind as u64) << KIND | u64::from(server) };
        let mut hole = self.heap.len();
        self.heap.push(event);
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if self.heap[parent] <= event {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = event;
    }

    /// Takes the next event.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(f64, Kind, u32)> {
        let last = self.heap.pop()?;
        let next = match self.heap.first_mut() {
            Some(first) => std::mem::replace(first, last),
            None => last,
        };
        self.sink();
        let kind = match next.what >> KIND {
            0 => Kind::Ready,
            1 => Kind::Completion,
            _ => Kind::Expiration,
        };
        Some((f64::from_bits(next.time), kind, next.what as u32))
    }

    /// Puts the first event where it belongs.
    #[inline]
    fn sink(&mut self) {
        let heap = self.heap.as_mut_slice();
        let Some(&event) = heap.first() else { return };
        let mut hole = 0;
        loop {
            let first = CHILDREN * hole + 1;
            let Some(children) = heap.get(first..(first + CHILDREN).min(heap.len())) else { break };
            let mut least = (first, event);
            for (child, &candidate) in (first..).zip(children) {
                if candidate < least.1 {
                    least = (child, candidate);
                }
            }
            if least.1 == event {
                break;
            }
            heap[hole] = least.1;
            hole = least.0;
        }
        heap[hole] = event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_in_order(times in prop::collection::vec(prop::option::weighted(0.6, 0u8..20), 1..200)) {
            let (mut events, mut sorted) = (Events::new(), Vec::new());
            for (server, time) in (0..).zip(times) {
                match time {
                    Some(time) => {
                        events.push(time.into(), Kind::Completion, server);
                        sorted.push((f64::from(time), server));
                        sorted.sort_by(|a, b| b.partial_cmp(a).unwrap());
                    }
                    None => {
                        let expected = sorted.pop();
                        prop_assert_eq!(events.next().0, expected.map_or(f64::INFINITY, |event| event.0));
                        prop_assert_eq!(events.pop(), expected.map(|(time, server)| (time, Kind::Completion, server)));
                    }
                }
            }
        }
    }

    #[test]
    fn at_the_same_time_servers_get_ready_then_requests_leave_then_servers_expire() {
        let mut events = Events::new();
        events.push(1.0, Kind::Expiration, 3);
        events.push(1.0, Kind::Ready, 4);
        events.push(1.0, Kind::Completion, 5);
        events.push(-0.0, Kind::Ready, 9);
        assert_eq!(events.next(), (0.0, false));
        let all = std::iter::from_fn(|| events.pop()).map(|event| (event.1, event.2));
        let expected = [(Kind::Ready, 9), (Kind::Ready, 4), (Kind::Completion, 5), (Kind::Expiration, 3)];
        assert_eq!(all.collect::<Vec<_>>(), expected);
        events.push(1.0, Kind::Expiration, 3);
        assert_eq!(events.next(), (1.0, true));
    }
}

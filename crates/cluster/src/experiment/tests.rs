use super::*;
use crate::policy::{LiteralLeastConnections, LiteralPartition, LiteralRoundRobin, PhasePartition};
use crate::{PartitionTable, Ratios, stream};
use proptest::prelude::*;

fn run(capacities: &[u32], assignment: Assignment, arrivals: &[u32], policy: &mut dyn Policy) -> Course {
    let experiment = PaperExperiment::new(capacities, PowerModel::PUBLISHED, assignment).unwrap();
    experiment.run(arrivals, policy, &mut stream(1, 0)).unwrap()
}

fn connections(course: &Course) -> Vec<Vec<u32>> {
    course.seconds.iter().map(|second| second.connections.clone()).collect()
}

#[test]
fn one_by_one_by_hand() {
    let course = run(&[3, 2], Assignment::OneByOne, &[1, 0, 2, 4], &mut LiteralRoundRobin::new(2));
    assert_eq!(connections(&course), [[1, 0], [1, 0], [2, 1], [3, 2]]);
    let refused: Vec<u32> = course.seconds.iter().map(|second| second.refused).collect();
    assert_eq!(refused, [0, 0, 0, 2]);
    assert_eq!((course.refused(3), course.refused(4)), (0, 2));
    assert_eq!((course.started_s(0), course.started_s(1), course.started_s(2)), (Some(1), Some(3), None));
}

#[test]
fn by_the_second_by_hand() {
    let course = run(&[4, 4], Assignment::BySecond, &[3, 2, 1, 3], &mut LiteralRoundRobin::new(2));
    // The last second's 3: one fills server 1, two go to server 0 but it is full: none left but in server 1.
    assert_eq!(connections(&course), [[3, 0], [3, 2], [4, 2], [4, 4]]);
    assert_eq!(course.refused(4), 1);
    let course = run(&[4, 4], Assignment::BySecond, &[3, 2, 2], &mut LiteralLeastConnections::new(2));
    assert_eq!(connections(&course), [[3, 0], [3, 2], [3, 4]]);
}

#[test]
fn a_server_is_off_until_its_first_connection() {
    let course = run(&[1500, 3000], Assignment::OneByOne, &[0, 1, 1], &mut LiteralRoundRobin::new(2));
    assert_eq!(course.seconds[0].power_w, [0.0, 0.0]);
    let one = PowerModel::PUBLISHED.power_w(1.0 / 1500.0);
    assert_eq!(course.seconds[1].power_w, [one, 0.0]);
    let two = PowerModel::new(138.0, 284.0, 1.4).unwrap().power_w(1.0 / 3000.0);
    assert_eq!(course.seconds[2].power_w, [one, two]);
    assert_eq!(course.energy_j(), [0.0, one, one + (one + two)]);
}

#[test]
fn a_policy_that_overloads_is_found_out() {
    struct Always(usize);
    impl Policy for Always {
        fn notify(&mut self, _server: usize, _load: ServerLoad) {}
        fn pick(&mut self, _random: &mut Xoshiro256PlusPlus) -> Option<usize> {
            Some(self.0)
        }
    }
    let experiment = PaperExperiment::new(&[2, 2], PowerModel::PUBLISHED, Assignment::OneByOne).unwrap();
    let run = |server| experiment.run(&[3], &mut Always(server), &mut stream(1, 0)).unwrap_err();
    assert_eq!(run(1), ClusterError::Overload { server: 2, capacity: 2 });
    assert_eq!(run(2), ClusterError::NoSuchServer { server: 3, servers: 2 });
    let refused = |capacities: &[u32]| {
        PaperExperiment::new(capacities, PowerModel::PUBLISHED, Assignment::OneByOne).unwrap_err()
    };
    assert_eq!(refused(&[]), ClusterError::NoServers);
    assert_eq!(refused(&[1, 0]), ClusterError::NoCapacity { server: 2 });
}

/// Every policy, for these servers; capacities that leave nobody without a portion.
fn policies(
    capacities: &[u32],
    ratios: &[String],
    first: prop::sample::Index,
) -> Vec<(&'static str, Box<dyn Policy>)> {
    let table = PartitionTable::new(capacities, &Ratios::parse(ratios).unwrap()).unwrap();
    let first = 1 + first.index(table.phases());
    vec![
        ("round robin", Box::new(LiteralRoundRobin::new(capacities.len()))),
        ("least connections", Box::new(LiteralLeastConnections::new(capacities.len()))),
        ("phase partition", Box::new(PhasePartition::new(table.clone(), first).unwrap())),
        ("phase partition, literally", Box::new(LiteralPartition::new(table, first).unwrap())),
    ]
}

proptest! {
    /// Overload would be an error of `run`; nobody is lost, and refused requests are counted.
    #[test]
    fn no_server_is_overloaded_and_every_request_is_somewhere(
        capacities in prop::collection::vec(5u32..2000, 1..9),
        ratios in prop::collection::vec((2u32..9, 0u64..10_000_000_000), 1..5),
        first in any::<prop::sample::Index>(),
        arrivals in prop::collection::vec(0u32..400, 1..40),
        by_second in any::<bool>(),
    ) {
        let ratios: Vec<String> = ratios.iter().map(|(whole, decimals)| format!("{whole}.{decimals:010}")).collect();
        let Ok(table) = PartitionTable::new(&capacities, &Ratios::parse(&ratios).unwrap()) else {
            prop_assert!(capacities.iter().all(|capacity| f64::from(*capacity) < 4.5));
            return Ok(());
        };
        let assignment = if by_second { Assignment::BySecond } else { Assignment::OneByOne };
        let last = |server| table.limit(server, table.phases());
        for (name, mut policy) in policies(&capacities, &ratios, first) {
            let partition = name.starts_with("phase");
            if partition && by_second {
                // A whole second's requests at once do not stop at a phase's limit.
                continue;
            }
            let course = run(&capacities, assignment, &arrivals, policy.as_mut());
            let (mut come, mut refused) = (0, 0);
            for second in &course.seconds {
                come += u64::from(second.requests);
                refused += u64::from(second.refused);
                let present: u64 = second.connections.iter().map(|taken| u64::from(*taken)).sum();
                prop_assert_eq!(come, present + refused, "{}", name);
                for (server, &taken) in second.connections.iter().enumerate() {
                    prop_assert!(taken <= capacities[server]);
                    prop_assert!(!partition || taken <= last(server), "{}", name);
                }
            }
            // Nobody is refused while there is room.
            let room: u64 = (0..capacities.len())
                .map(|server| u64::from(if partition { last(server) } else { capacities[server] }))
                .sum();
            prop_assert_eq!(refused, come.saturating_sub(room), "{}", name);
        }
    }
}

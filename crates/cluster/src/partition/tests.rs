use super::*;
use proptest::prelude::*;

fn table(capacities: &[u32], ratios: &[&str]) -> Result<PartitionTable, ClusterError> {
    PartitionTable::new(capacities, &Ratios::parse(ratios).unwrap())
}

fn limits(table: &PartitionTable, server: usize) -> Vec<u32> {
    (1..=table.phases()).map(|phase| table.limit(server, phase)).collect()
}

#[test]
fn a_table_by_hand() {
    // 7: 3.5, 1.75, 0.875, 0.4375; 2: 1, 0.5, 0.25.
    let table = table(&[7, 2, 7], &["2"]).unwrap();
    assert_eq!((table.servers(), table.phases()), (3, 3));
    assert_eq!(limits(&table, 0), [4, 6, 7]);
    assert_eq!(limits(&table, 1), [1, 2, 2]);
    assert_eq!(limits(&table, 2), limits(&table, 0));
    let portions: Vec<u32> = (0..=4).map(|phase| table.portion(1, phase)).collect();
    assert_eq!(portions, [0, 1, 1, 0, 0]);
    assert_eq!(table.capacity(1), 2);
}

#[test]
fn the_lowest_phase_with_room_by_hand() {
    let table = table(&[7, 2], &["2"]).unwrap();
    let rooms = |server, first| (0..=7).map(|c| table.phase_with_room(server, c, first)).collect::<Vec<_>>();
    let phases = [1, 1, 1, 1, 2, 2, 3].map(Some).into_iter().chain([None]);
    assert_eq!(rooms(0, 1), phases.collect::<Vec<_>>());
    assert_eq!(rooms(0, 2)[..4], [Some(2); 4]);
    assert_eq!(rooms(1, 3)[..3], [Some(3), Some(3), None]);
}

#[test]
fn what_cannot_be_partitioned() {
    assert_eq!(table(&[], &["2"]), Err(ClusterError::NoServers));
    assert_eq!(table(&[5, 0], &["2"]), Err(ClusterError::NoCapacity { server: 2 }));
    let root = table(&[1500, 1000], &["1.4142135623"]).unwrap_err();
    assert_eq!(root, ClusterError::LimitAboveCapacity { server: 1, phase: 2, limit: 1811, capacity: 1500 });
    let slow = table(&[4_000_000_000], &["1000000", "1.00001"]).unwrap_err();
    assert_eq!(slow, ClusterError::TooManyPhases { server: 1, most: Ratios::MOST_PHASES });
    assert!(matches!(table(&[4, 3], &["10"]), Err(ClusterError::NoPhases { capacity: 4, .. })));
    // Beside a larger server, one without a portion is never used.
    assert_eq!(limits(&table(&[4, 5], &["10"]).unwrap(), 0), [0]);
}

#[test]
fn ratios_below_two_are_allowed_where_they_do_no_harm() {
    // 0.1 (1 + 1/1.5 + 1/1.5^2 + ...) = 0.3
    let table = table(&[1000], &["10", "1.5"]).unwrap();
    let last = table.limit(0, table.phases());
    assert!((295..=305).contains(&last), "{last}");
}

/// Ratios of at least 2, with up to 30 decimals.
fn ratio() -> impl Strategy<Value = String> {
    prop_oneof![
        (2u32..20).prop_map(|whole| whole.to_string()),
        (2u32..6, 0u64..1_000_000_000_000_000, 0u64..1_000_000_000_000_000)
            .prop_map(|(whole, high, low)| format!("{whole}.{high:015}{low:015}")),
    ]
}

proptest! {
    #[test]
    fn with_ratios_of_two_or_more_no_limit_is_above_the_capacity(
        capacities in prop::collection::vec(prop_oneof![1u32..100, 1u32..], 1..6),
        first in 2u32..4,
        ratios in prop::collection::vec(ratio(), 1..5),
    ) {
        let ratios: Vec<String> = [first.to_string()].into_iter().chain(ratios).collect();
        let Ok(table) = PartitionTable::new(&capacities, &Ratios::parse(&ratios).unwrap()) else {
            // Capacity 1 over 3 is no portion.
            prop_assert!(capacities.iter().all(|capacity| *capacity == 1) && first == 3);
            return Ok(());
        };
        for (server, &capacity) in capacities.iter().enumerate() {
            let limits = limits(&table, server);
            prop_assert!(limits.is_sorted());
            prop_assert!(limits.iter().all(|limit| *limit <= capacity));
        }
        let last = (0..capacities.len()).any(|server| table.portion(server, table.phases()) > 0);
        prop_assert!(last);
    }

    #[test]
    fn with_ratio_two_the_limits_end_at_the_capacity(capacity in prop_oneof![1u32..5000, 1u32..]) {
        let table = table(&[capacity], &["2"]).unwrap();
        prop_assert_eq!(table.limit(0, table.phases()), capacity);
    }
}

#[test]
fn with_ratio_two_every_small_capacity_is_given_out() {
    for capacity in 1..20_000 {
        let table = table(&[capacity], &["2"]).unwrap();
        assert_eq!(table.limit(0, table.phases()), capacity);
    }
}

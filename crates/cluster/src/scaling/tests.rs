use std::collections::HashSet;

use alba_model::{Dispatch, Rates, ScalingRule, Scheme, check_catalogue};
use strum::EnumCount;

use super::Scaling;
use crate::ClusterError;

#[test]
fn schemes_start_servers_as_they_say() {
    let rates = Rates::new(0.5, 0.1, 0.02).unwrap();
    let blind = ScalingRule::blind(0.1).unwrap();
    let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, blind);
    assert_eq!(Scaling::of(scheme, rates), Scaling::asynchronous(0.5, blind));
    assert_eq!(Scaling::of(Scheme::tabs(2).unwrap(), rates), Ok(Scaling::Tabs));
    assert_eq!(Scaling::of(Scheme::CentralQueue, rates), Err(ClusterError::CentralQueue));
}

#[test]
fn what_starts_nothing_is_known_before() {
    let starts = |rate, rule| Scaling::asynchronous(rate, rule).unwrap().starts();
    let blind = ScalingRule::blind(0.1).unwrap();
    assert!(starts(0.5, blind) && !starts(0.0, blind) && !starts(0.5, ScalingRule::None));
    assert!(!Scaling::None.starts());
    assert!([Scaling::Tabs, Scaling::PerRequest, Scaling::SwitchOn].iter().all(Scaling::starts));
}

#[test]
fn every_scaling_is_in_the_catalogue_and_made_of_what_is_said_of_it() {
    let all = Scaling::catalogue().unwrap();
    let variants: HashSet<_> = all.iter().map(std::mem::discriminant).collect();
    assert_eq!(variants.len(), Scaling::COUNT, "a scaling is not in the catalogue");
    let said = |scaling: &Scaling| (scaling.kind(), scaling.values());
    let made = |scaling: &Scaling| (scaling.name() != "asynchronous").then_some(*scaling);
    assert_eq!(check_catalogue(&Scaling::KINDS, &all, said, made), Ok(()));
}

//! A server for each request that finds none idle.

use alba_model::Kind;

use super::{AtArrival, Chance, Facts, Scaler, Scaling, Seen};

pub(super) const KIND: Kind<Option<Scaling>> = Kind::bare("per-request", |_| Ok(Some(Scaling::PerRequest)));

pub(super) const FACTS: Facts =
    Facts { starts: true, any_server: false, to_cold: true, chance: Chance::Taker };

/// An arrival that finds no idle server waits for a cold one.
pub(super) struct PerRequest;

impl Scaler for PerRequest {
    fn on_arrival(&mut self, seen: &Seen<'_>) -> AtArrival {
        if seen.idle == 0 { AtArrival::StartForIt } else { AtArrival::Nothing }
    }
}

//! TABS.

use alba_model::Kind;

use super::{AtArrival, Chance, Facts, Scaler, Scaling, Seen};

pub(super) const KIND: Kind<Option<Scaling>> = Kind::bare("tabs", |_| Ok(Some(Scaling::Tabs)));

pub(super) const FACTS: Facts =
    Facts { starts: true, any_server: false, to_cold: false, chance: Chance::Started };

/// An arrival that finds no idle server starts a cold one, also where it is turned away.
pub(super) struct Tabs;

impl Scaler for Tabs {
    fn on_arrival(&mut self, seen: &Seen<'_>) -> AtArrival {
        if seen.idle == 0 { AtArrival::StartAnother } else { AtArrival::Nothing }
    }
}

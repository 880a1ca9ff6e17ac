//! The arbitrator's switch-on.

use alba_model::Kind;

use super::{Chance, Facts, Scaler, Scaling};

pub(super) const KIND: Kind<Option<Scaling>> = Kind::bare("switch-on", |_| Ok(Some(Scaling::SwitchOn)));

pub(super) const FACTS: Facts =
    Facts { starts: true, any_server: true, to_cold: true, chance: Chance::Taker };

/// The policy picks among all servers, and what it picks is started where it is cold: nothing is left to do.
pub(super) struct SwitchOn;

impl Scaler for SwitchOn {}

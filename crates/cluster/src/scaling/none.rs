//! No scaling.

use alba_model::Kind;

use super::{Chance, Facts, Scaler, Scaling};

pub(super) const KIND: Kind<Option<Scaling>> = Kind::bare("none", |_| Ok(Some(Scaling::None)));

pub(super) const FACTS: Facts =
    Facts { starts: false, any_server: false, to_cold: false, chance: Chance::Nothing };

/// Starts nothing.
pub(super) struct NoScaling;

impl Scaler for NoScaling {}

//! No scaling.

use super::{Chance, Facts, Scaler};

pub(super) const FACTS: Facts =
    Facts { starts: false, any_server: false, to_cold: false, chance: Chance::Nothing };

/// Starts nothing.
pub(super) struct NoScaling;

impl Scaler for NoScaling {}

//! Which regime holds from here on.

use crate::departure::depart;
use crate::field::{Field, INITIALIZING, tail};
use crate::guard::{guards, is_empty, scale, value};
use crate::starts::unresolved;
use crate::{FluidError, Guard, Pool, Regime};
use alba_model::Piece;

/// A flow balance this close to zero, in units of its scale, does not decide by its sign: what it does next decides.
const BALANCED: f64 = 1e-11;

/// How far ahead a regime is tried, in units of the fastest time constant: long enough for growth with the square
/// of the time to show above rounding, short enough for nothing else to happen.
const AHEAD: f64 = 1e-4;

/// The regime that holds after `z`.
///
/// Where a pool is empty and what enters and leaves it balance, every regime that is still possible is tried for a
/// moment, and the one whose own conditions then hold best is taken: guards can fire together, and a flow may
/// balance with any of its derivatives.
///
/// # Errors
/// Those of [`depart`].
pub(crate) fn decide(field: &Field, z: &[f64], time: f64) -> Result<Regime, FluidError> {
    let below = match field.threshold() {
        Some(d) if field.arrival_rate > 0.0 => {
            let held = field.below_threshold(z, d);
            let empty = is_empty(Guard::BelowThresholdEmpties, held, field, z);
            options(empty, Guard::BelowThresholdRefills, field, z)
        }
        _ => &[Pool::Open],
    };
    let mut candidates = Vec::new();
    for &below_threshold in below {
        let mut field = field.clone();
        field.regime.below_threshold = below_threshold; // on which the rate of starts may depend
        let has_warm = tail(z, 0) > 0.0 || z[INITIALIZING] > 0.0 || field.starting(z) > 0.0;
        let warm = if has_warm { Pool::Open } else { Pool::Empty };
        let empty = is_empty(Guard::ColdPoolEmpties, field.cold(z), &field, z);
        let cold = options(empty, Guard::ColdPoolRefills, &field, z);
        candidates.extend(cold.iter().map(|&cold| Regime { cold, below_threshold, warm }));
    }
    let mut best = (candidates[0], f64::INFINITY);
    for &regime in candidates.iter().filter(|_| candidates.len() > 1) {
        let violation = violation(&Field { regime, ..field.clone() }, z, time)?;
        if violation < best.1 - 1e-16 {
            best = (regime, violation);
        }
    }
    Ok(best.0)
}

/// The piece of the scaling rule's probability that holds after `z`, the regime being decided: on a kink the one to which
/// the shortage moves. Both sides agree on that, since the drift is continuous there: nothing ever slides along a kink.
pub(crate) fn decide_piece(field: &Field, z: &[f64]) -> Option<Piece> {
    let field = Field { piece: None, ..field.clone() };
    let mut drift = vec![0.0; z.len()];
    field.drift(z, &mut drift);
    field.piece_at(z, &drift, 2.0 * unresolved(&field))
}

/// What has changed a regime, where the event itself was a kink: a pool's flows balance on it too.
pub(crate) fn cause(event: Guard, before: Regime, after: Regime) -> Guard {
    let pools = [
        (
            before.below_threshold,
            after.below_threshold,
            [Guard::BelowThresholdEmpties, Guard::BelowThresholdRefills],
        ),
        (before.cold, after.cold, [Guard::ColdPoolEmpties, Guard::ColdPoolRefills]),
    ];
    let changed = pools.into_iter().find(|(before, after, _)| before != after);
    match (event, changed) {
        (Guard::ScalingKink, Some((_, Pool::Empty, [empties, _]))) => empties,
        (Guard::ScalingKink, Some((_, Pool::Open, [_, refills]))) => refills,
        (event, _) => event,
    }
}

/// The states that a pool may be in, by whether it is empty and by the balance of flows in favour of it being so.
fn options(empty: bool, refills: Guard, field: &Field, z: &[f64]) -> &'static [Pool] {
    let balance = value(refills, field, z) / scale(refills, field, z);
    if !empty || balance < -BALANCED {
        &[Pool::Open]
    } else if balance > BALANCED {
        &[Pool::Empty]
    } else {
        &[Pool::Empty, Pool::Open]
    }
}

/// By how much the field's regime violates its own conditions a moment after `z`, in units of their scales.
fn violation(field: &Field, z: &[f64], time: f64) -> Result<f64, FluidError> {
    let ahead = AHEAD / field.fastest_rate(z).max(1.0);
    let after = match depart(field, z, 0.1 * ahead, time)? {
        Some(departure) => departure.state,
        None => euler(field, z, ahead),
    };
    let worst = guards(field).map(|guard| -value(guard, field, &after) / scale(guard, field, &after));
    Ok(worst.fold(0.0, f64::max))
}

fn euler(field: &Field, z: &[f64], ahead: f64) -> Vec<f64> {
    const STEPS: usize = 8;
    let (mut after, mut drift) = (z.to_vec(), vec![0.0; z.len()]);
    for _ in 0..STEPS {
        field.drift(&after, &mut drift);
        after.iter_mut().zip(&drift).for_each(|(z, drift)| *z += ahead / STEPS as f64 * drift);
    }
    after
}

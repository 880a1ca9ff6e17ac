//! Systems by their numbers, for tests that compare many.

use alba_model::{ArrivalProfile, Buffer, Dispatch, Model, Rates, ScalingRule, Scheme};

/// A system of constant arrival rate `lambda`, rates `[alpha, beta, gamma]`, and a buffer, if it has one.
pub(crate) fn model(
    dispatch: Dispatch,
    scaling: ScalingRule,
    buffer: Option<u32>,
    lambda: f64,
    rates: [f64; 3],
) -> Model {
    Model::new(
        ArrivalProfile::constant(lambda).unwrap(),
        Rates::new(rates[0], rates[1], rates[2]).unwrap(),
        buffer.map_or(Buffer::Infinite, |b| Buffer::finite(b).unwrap()),
        Scheme::asynchronous(dispatch, scaling),
    )
    .unwrap()
}

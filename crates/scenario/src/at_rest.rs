//! A start at rest.

use alba_fluid::fixed_points as find;
use alba_model::Model;

/// The fixed point at the arrival rate of time 0, as an initial state: the stable one, with cold servers left rather than
/// saturated.
///
/// # Errors
/// What is wrong, in words: no fixed point, or several with none preferred.
pub(super) fn fixed_point_state(model: &Model) -> Result<alba_model::Occupancy, String> {
    let found = find(model, model.arrivals().rate_at(0.0), 1.0).map_err(|error| error.to_string())?;
    let stable = found.points.iter().filter(|point| point.stability.is_stable() != Some(false));
    match stable.collect::<Vec<_>>()[..] {
        [point] => Ok(point.state.clone()),
        [] => Err("no isolated stable fixed point is found".to_owned()),
        ref several => Err(format!("there are {} fixed points, none of which is preferred", several.len())),
    }
}

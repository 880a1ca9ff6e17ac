//! What an engine may take, by the scenario's section `[limits]`.

use crate::{Engine, InputError};
use alba_replicate::Deadline;
use alba_scenario::Scenario;

/// Costs are good to this factor, about: who may be done in time is let run.
const ROUGH: f64 = 3.0;

/// The deadline of what begins now and is about `times` the work of `engine`.
///
/// # Errors
/// [`InputError::TooLong`] for what cannot be done by then.
pub(crate) fn deadline(scenario: &Scenario, engine: &dyn Engine, times: f64) -> Result<Deadline, InputError> {
    let limit = scenario.limits().time();
    let seconds = engine.cost(scenario) * times / rayon::current_num_threads() as f64;
    if seconds > ROUGH * limit.as_secs_f64() {
        let (scenario, limit) = (scenario.name().to_owned(), limit.as_secs_f64());
        return Err(InputError::TooLong { scenario, seconds, limit });
    }
    Ok(Deadline::after(limit))
}

/// Time is up for `scenario`.
pub(crate) fn out_of_time(scenario: &Scenario) -> InputError {
    let limit = scenario.limits().time().as_secs_f64();
    InputError::OutOfTime { scenario: scenario.name().to_owned(), limit }
}

/// A time as people say it: `2.4 min`, `3.1e5 years`.
pub(crate) fn said(seconds: f64) -> String {
    const UNITS: [(f64, &str); 5] =
        [(31_557_600.0, "years"), (86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    let (length, unit) =
        UNITS.into_iter().find(|(length, _)| seconds >= *length).unwrap_or(UNITS[UNITS.len() - 1]);
    let number = seconds / length;
    if number < 1e4 {
        format!("{} {unit}", (number * 10.0).round() / 10.0)
    } else {
        format!("{number:.0e} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_people_say_them() {
        let times = [0.04, 1.0, 150.0, 86_400.0, 4e7, 3e15];
        assert_eq!(times.map(said), ["0 s", "1 s", "2.5 min", "1 d", "1.3 years", "1e8 years"]);
    }
}

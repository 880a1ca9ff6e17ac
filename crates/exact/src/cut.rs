//! Infinite buffers, cut where next to nothing is beyond.

use alba_model::{Buffer, Counts, JoinBelowThreshold, Model, Scheme};

use crate::ExactError;
use crate::numbering::states;
use crate::{Cut, Limits};

/// Where to cut first, unless the start or the rule needs more.
const FIRST: u32 = 8;

/// The outcome of `solve` with the buffer cut, doubled until what is beyond, as `cut` says, is at most half the error allowed.
pub(crate) fn double<T>(
    (model, initial): (&Model, &Counts),
    limits: &Limits,
    solve: impl Fn(&Model) -> Result<T, ExactError>,
    cut: impl Fn(&T) -> Option<Cut>,
) -> Result<T, ExactError> {
    let allowed = limits.error() / 2.0;
    let highest = initial.warm.iter().rposition(|&count| count > 0).unwrap_or(0);
    let mut levels = FIRST.max(u32::try_from(highest).unwrap_or(u32::MAX)).max(threshold(model) + 1);
    let mut best: Option<Cut> = None;
    loop {
        let buffer = Buffer::finite(levels)?;
        let cut_model = Model::new(model.arrivals().clone(), model.rates(), buffer, model.scheme())?;
        let error = match solve(&cut_model) {
            Ok(outcome) => {
                let too_much = cut(&outcome).filter(|cut| cut.probability.max(cut.jobs) > allowed);
                let Some(cut) = too_much else { return Ok(outcome) };
                best = Some(cut);
                levels = levels.saturating_mul(2);
                continue;
            }
            Err(error) => error,
        };
        let (Some(Cut { levels: tried, probability, jobs }), ExactError::TooManyStates { most, .. }) =
            (best, &error)
        else {
            return Err(error);
        };
        let fits = most_levels(model.scheme(), initial.servers(), *most, tried, levels);
        if fits == tried {
            return Err(ExactError::NoCut { levels: tried, probability, jobs, error: allowed, most: *most });
        }
        levels = fits;
    }
}

/// The largest buffer from `low`, which fits, to below `high`, whose states are at most `most`.
fn most_levels(scheme: Scheme, servers: u64, most: usize, mut low: u32, mut high: u32) -> u32 {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if states(scheme, servers, middle.into()) <= most as f64 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The fewest jobs that the rule must be able to tell apart.
fn threshold(model: &Model) -> u32 {
    model.scheme().dispatch().and_then(|dispatch| dispatch.threshold()).map_or(0, JoinBelowThreshold::d)
}

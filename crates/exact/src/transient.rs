//! Expectations over time, by uniformization.

use alba_ctmc::Problem;
use alba_model::{Measure, Model, PowerDraw, Segment};

use crate::ExactError;
use crate::leg::{Leg, Position, Stretch};
use crate::readout::Reading;
use crate::{Cut, Generator, Limits, StateSpace, Transient, cut};

/// Expectations of `measures`, each of them a ratio of expectations, at every time of the problem's grid, with bounds on
/// their errors. Values are in the order of `measures`. The problem's warm-up and number of events play no part. An
/// infinite buffer is cut, see [`Cut`]; that error is in the bounds too.
///
/// # Errors
/// [`ExactError::TooManyStates`] above the limit, [`ExactError::NoCut`] for queues too long for any cut that fits.
///
/// # Source
/// A. Jensen, *Markoff chains as an aid in the study of Markoff processes*, Skandinavisk Aktuarietidskrift, 1953: with a
/// rate `u` no state is left faster than, `exp(Qt) = sum_n e^-ut (ut)^n / n! (I + Q/u)^n`. Only sums of terms that are
/// not negative: the rounding error is bounded too.
///
/// ```
/// use alba_ctmc::Problem;
/// use alba_exact::{Limits, transient};
/// use alba_model::*;
///
/// // One server, warm and idle; it goes cold at rate 1 and nothing else happens.
/// let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::None);
/// let rates = Rates::new(0.0, 1.0, 1.0)?;
/// let model = Model::new(ArrivalProfile::constant(0.0)?, rates, Buffer::finite(1)?, scheme)?;
/// let start = Counts { cold: 0, initializing: 0, warm: vec![1], waiting: 0 };
/// let problem = Problem::new(model, start, Grid::new(2.0, 1)?, 0.0, None)?;
/// let limits = Limits::default();
/// let outcome = transient(&problem, &[Measure::Idle], &PowerDraw::default(), &limits)?;
/// let idle = outcome.points[1].values[0];
/// assert!((idle.value.unwrap() - (-2f64).exp()).abs() <= idle.error_bound);
/// assert!(idle.error_bound < 1e-10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn transient(
    problem: &Problem,
    measures: &[Measure],
    power: &PowerDraw,
    limits: &Limits,
) -> Result<Transient, ExactError> {
    match problem.model().buffer().limit() {
        Some(_) => solve(problem, problem.model(), measures, power, limits),
        None => cut::double(
            (problem.model(), problem.initial()),
            limits,
            |model| solve(problem, model, measures, power, limits),
            |outcome| outcome.cut,
        ),
    }
}

/// The same where the chain is that of `model`, which may cut the problem's buffer.
pub(crate) fn solve(
    problem: &Problem,
    model: &Model,
    measures: &[Measure],
    power: &PowerDraw,
    limits: &Limits,
) -> Result<Transient, ExactError> {
    let limits_of_space = limits.with_room_for(2 * measures.len());
    let (space, generator) = StateSpace::with_generator(model, problem.initial(), &limits_of_space)?;
    let horizon = problem.grid().horizon();
    // One that begins at the horizon has a point too.
    let segments: Vec<Segment> =
        model.arrivals().segments(f64::INFINITY).take_while(|segment| segment.start <= horizon).collect();
    let level = model.buffer().limit().unwrap_or(0);
    // A quarter for Poisson tails, a quarter for settling; a half for a cut and for the denominators of ratios.
    let budget =
        limits.error() / (4.0 * segments.len() as f64 * Reading::largest(problem.model(), power, level));
    let mut position = Position::start(&space);
    let mut points = Vec::with_capacity(problem.grid().points());
    let mut generator: Option<(f64, Generator)> = Some((segments[0].rate, generator));
    for (index, segment) in segments.iter().enumerate() {
        let (_, generator) = match generator.take() {
            Some(same) if same.0 == segment.rate => generator.insert(same),
            _ => generator.insert((segment.rate, space.generator(segment.rate)?)),
        };
        let reading = Reading { model: problem.model(), measures, power, arrival_rate: segment.rate };
        let stretch = Stretch {
            segment: Segment { end: segment.end.min(horizon), ..*segment },
            grid: problem.grid(),
            first: points.len(),
            is_last: index + 1 == segments.len(),
            budget,
        };
        position = Leg::new(&space, generator, reading, stretch)?.follow(position, &mut points);
    }
    let cut = (model.buffer() != problem.model().buffer()).then_some(Cut {
        levels: level,
        probability: position.errors.escaped,
        jobs: position.errors.escaped_jobs,
    });
    Ok(Transient { points, states: space.len(), cut })
}

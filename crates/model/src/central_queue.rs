//! The central queue with set-up and delayed-off: [`crate::Scheme::CentralQueue`].

use crate::{Buffer, Event, Inflow, Occupancy, Place, Rates, Transition};

/// Where jobs arriving at `arrival_rate` go in `state`: to an idle server, else to the queue, unless all room is taken.
pub(crate) fn inflow(state: &Occupancy, buffer: Buffer, arrival_rate: f64) -> Inflow {
    let nobody = Inflow { queued: Some(0.0), ..Inflow::default() };
    if state.idle() > 0.0 {
        Inflow { levels: vec![arrival_rate], ..nobody }
    } else if has_room(state, buffer) {
        Inflow { queued: Some(arrival_rate), ..nobody }
    } else {
        Inflow { rejected: arrival_rate, ..nobody }
    }
}

/// Whether one more job may wait. Jobs are whole numbers over the number of servers: rounding must not decide.
fn has_room(state: &Occupancy, buffer: Buffer) -> bool {
    buffer.limit().is_none_or(|limit| state.jobs() < f64::from(limit) * (1.0 - 1e-12))
}

/// Visits every transition out of `state`, in which a server initializes for every waiting job as long as there are
/// servers.
pub(crate) fn for_each_transition(
    state: &Occupancy,
    rates: Rates,
    buffer: Buffer,
    arrival_rate: f64,
    emit: &mut impl FnMut(Transition),
) {
    let (idle, busy) = (Place::Warm(0), Place::Warm(1));
    let inflow = inflow(state, buffer, arrival_rate);
    let served = inflow.levels.first().copied().unwrap_or(0.0);
    emit(Transition::moving(Event::Accepted { level: 0 }, idle, busy, served));
    let queued = Transition::counted(Event::Queued, inflow.queued.unwrap_or(0.0)).with_queue(1);
    emit(queued.and(state.cold() > 0.0, Place::Cold, Place::Initializing));
    emit(Transition::counted(Event::Rejected, inflow.rejected));
    let completion = Event::Completion { level: 1 };
    if state.waiting() > 0.0 {
        let surplus = state.initializing() >= state.waiting();
        let next = Transition::counted(completion, state.busy()).with_queue(-1);
        emit(next.and(surplus, Place::Initializing, Place::Cold));
    } else {
        emit(Transition::moving(completion, busy, idle, state.busy()));
    }
    let warming = rates.initialization() * state.initializing();
    emit(Transition::moving(Event::Initialization, Place::Initializing, busy, warming).with_queue(-1));
    emit(Transition::moving(Event::Expiration, idle, Place::Cold, rates.expiration() * state.idle()));
}

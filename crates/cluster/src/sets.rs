//! Sets of numbered servers, each with the one question that policies ask of it.

mod index_set;
mod levels;
mod random_set;
mod random_tournament;
mod shuffle;
mod tournament;

pub(crate) use index_set::IndexSet;
pub(crate) use levels::Levels;
pub(crate) use random_set::RandomSet;
pub(crate) use random_tournament::RandomTournament;
pub(crate) use shuffle::Shuffle;
pub(crate) use tournament::Tournament;

//! How far a study is.

/// Hears how far a study is.
pub trait Progress: Sync {
    /// A part begins that takes so many steps.
    fn begin(&self, part: &str, steps: u64);
    /// So many more steps are done.
    fn advance(&self, steps: u64);
    /// The part is over.
    fn end(&self);
    /// Something to know before it goes on.
    fn note(&self, _text: &str) {}
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _part: &str, _steps: u64) {}
    fn advance(&self, _steps: u64) {}
    fn end(&self) {}
}

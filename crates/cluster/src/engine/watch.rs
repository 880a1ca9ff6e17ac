//! When an engine looks at the clock.

use alba_replicate::{Deadline, OutOfTime};

/// A deadline, and how many events there were.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Watch {
    deadline: Deadline,
    events: u32,
}

impl Watch {
    /// Events between two looks at the clock: some tenth of a second.
    const PATIENCE: u32 = 1 << 20;

    pub(super) fn until(deadline: Deadline) -> Self {
        Self { deadline, events: 0 }
    }

    /// Notices an event.
    #[inline]
    pub(super) fn notice(&mut self) -> Result<(), OutOfTime> {
        self.events = self.events.wrapping_add(1);
        if self.events.is_multiple_of(Self::PATIENCE) { self.deadline.check() } else { Ok(()) }
    }
}

//! What becomes of requests.

/// Numbers of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestCounts {
    /// Present at the start.
    pub present_at_start: u64,
    /// Arrived.
    pub arrived: u64,
    /// Done.
    pub done: u64,
    /// Refused by the policy, or sent to a full server.
    pub rejected: u64,
    /// Found no server that could be given requests.
    pub lost: u64,
    /// Of those accepted: given to a server that was not warm.
    pub cold_starts: u64,
    /// Present at the end.
    pub present_at_end: u64,
}

impl RequestCounts {
    /// Arrived and neither rejected nor lost.
    pub fn accepted(&self) -> u64 {
        self.arrived - self.rejected - self.lost
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.present_at_start += other.present_at_start;
        self.arrived += other.arrived;
        self.done += other.done;
        self.rejected += other.rejected;
        self.lost += other.lost;
        self.cold_starts += other.cold_starts;
        self.present_at_end += other.present_at_end;
    }
}

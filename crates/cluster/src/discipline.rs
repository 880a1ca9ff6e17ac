//! How a server works on its requests.

use crate::Group;

/// How a server works on its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discipline {
    /// First come, first served: each worker serves one request at a time, the others wait.
    FirstComeFirstServed,
    /// All requests present share the server's speed equally.
    ProcessorSharing,
    /// Every request present is served at the server's speed, whatever the others do; nobody waits in a warm server.
    Parallel,
}

impl Discipline {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::FirstComeFirstServed, Self::ProcessorSharing, Self::Parallel];
    /// Names in scenario files, in the same order.
    pub const NAMES: [&'static str; 3] = ["first-come-first-served", "processor-sharing", "parallel"];

    /// How many requests a server of `group` works on at most, each at the server's speed or as if; none: no limit.
    pub(crate) fn places(self, group: &Group) -> Option<f64> {
        match self {
            Self::FirstComeFirstServed => Some(group.workers().into()),
            Self::ProcessorSharing => Some(1.0),
            Self::Parallel => group.capacity().map(f64::from),
        }
    }

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstComeFirstServed => Self::NAMES[0],
            Self::ProcessorSharing => Self::NAMES[1],
            Self::Parallel => Self::NAMES[2],
        }
    }
}

impl std::fmt::Display for Discipline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

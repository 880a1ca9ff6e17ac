//! How to read a trace file.

/// An enumeration of ways with names, as scenario files and the command line say them.
macro_rules! named {
    ($(#[$about:meta])* $kind:ident { $($(#[$way:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $kind {
            $($(#[$way])* $variant,)+
        }

        impl $kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];
            /// Their names in scenario files, in the same order.
            pub const NAMES: &[&str] = &[$($name,)+];

            /// Its name in scenario files.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// The one called `name`.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|way| way.name() == name)
            }
        }
    };
}

named! {
    /// How a trace file is laid out.
    TraceFormat {
        /// CSV, a row an interval, a column with the number of requests in it.
        Counts = "counts",
        /// CSV, a row a request, a column with its time.
        TimeStamps = "time-stamps",
        /// The layout of the Azure Functions 2019 trace: a row a function, a column a minute.
        AzureFunctions = "azure-functions",
        /// A web server's log in common or combined format, a line a request.
        AccessLog = "access-log",
    }
}

impl TraceFormat {
    /// Whether a row is a request with a time of its own, which can be replayed.
    pub fn is_one_by_one(self) -> bool {
        match self {
            Self::TimeStamps | Self::AccessLog => true,
            Self::Counts | Self::AzureFunctions => false,
        }
    }

    /// Which keys it has a use for, of those that not every format has.
    pub(crate) fn uses(self) -> Uses {
        match self {
            Self::Counts => Uses { columns: true, counts: true, functions: false },
            Self::TimeStamps => Uses { columns: true, counts: false, functions: false },
            Self::AzureFunctions => Uses { columns: false, counts: false, functions: true },
            Self::AccessLog => Uses { columns: false, counts: false, functions: false },
        }
    }
}

/// Keys that a format has a use for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uses {
    /// Those about columns.
    pub(crate) columns: bool,
    /// Those about numbers of requests.
    pub(crate) counts: bool,
    /// A choice of functions.
    pub(crate) functions: bool,
}

named! {
    /// What an interval that the file says nothing about holds.
    #[derive(Default)]
    Gaps {
        /// There must be none.
        #[default]
        Error = "error",
        /// No requests.
        Zero = "zero",
        /// A straight line between its neighbours; before the first and after the last one, as many as there.
        Interpolate = "interpolate",
    }
}

named! {
    /// What the numbers of a row an interval are.
    Values {
        /// Requests in the interval.
        Counts = "counts",
        /// Requests per second, on average over the interval.
        PerSecond = "rate-per-second",
        /// Requests per minute, on average over the interval.
        PerMinute = "rate-per-minute",
        /// Requests per hour, on average over the interval.
        PerHour = "rate-per-hour",
    }
}

impl Values {
    /// What one stands for in an interval of `interval_s` seconds, in requests.
    pub(super) fn requests(self, interval_s: f64) -> f64 {
        match self {
            Self::Counts => 1.0,
            Self::PerSecond => interval_s,
            Self::PerMinute => interval_s / 60.0,
            Self::PerHour => interval_s / 3600.0,
        }
    }
}

named! {
    /// What several rows for one interval mean.
    #[derive(Default)]
    Duplicates {
        /// There must be none.
        #[default]
        Error = "error",
        /// Parts of one number, as of several servers: they are added up.
        Sum = "sum",
    }
}

named! {
    /// What equal times of requests mean where requests are replayed one by one.
    #[derive(Default)]
    Stamps {
        /// That times were cut to whole seconds, say: each request came at any time within its stamp.
        #[default]
        Spread = "spread",
        /// That requests came together.
        Keep = "keep",
        /// There must be none.
        Error = "error",
    }
}

/// How to read a trace file; what is absent is found out from the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceKeys {
    /// How it is laid out.
    pub format: Option<TraceFormat>,
    /// The column of numbers of requests, or of times if each row is a request.
    pub column: Option<String>,
    /// The column of times.
    pub time_column: Option<String>,
    /// What a number in the column of times counts: seconds; at least a nanosecond.
    pub time_unit_s: Option<f64>,
    /// Requests are counted per so many seconds; at least a nanosecond.
    pub interval_s: Option<f64>,
    /// What the numbers of requests are.
    pub values: Option<Values>,
    /// What to make of gaps.
    pub gaps: Gaps,
    /// What to make of several rows for one interval.
    pub duplicates: Duplicates,
    /// What to make of equal times of requests.
    pub stamps: Stamps,
    /// Functions to count, by the beginning of their hash; all if there are none.
    pub functions: Vec<String>,
}

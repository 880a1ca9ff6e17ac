//! What is known of a measure before anything is simulated.

/// Where a measure can be, and whether it can change at all: known from the model, not from a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nature {
    least: f64,
    most: f64,
    origin: f64,
    unit: f64,
    in_clusters: bool,
    constant: bool,
}

impl Default for Nature {
    /// Nothing is known: the spread of the sample is all there is.
    fn default() -> Self {
        Self {
            least: f64::NEG_INFINITY,
            most: f64::INFINITY,
            origin: f64::NEG_INFINITY,
            unit: 0.0,
            in_clusters: false,
            constant: false,
        }
    }
}

impl Nature {
    /// From 0 to 1: of jobs, of servers, of time; a probability.
    pub const SHARE: Self =
        Self { least: 0.0, most: 1.0, origin: 0.0, unit: 0.0, in_clusters: false, constant: false };

    /// From `least` to `most`, which may be infinite.
    pub fn between(least: f64, most: f64) -> Self {
        Self { least, most, origin: least, unit: 0.0, in_clusters: false, constant: false }
    }

    /// The same where the numerator counts things, each of which adds `unit > 0` to it.
    #[must_use]
    pub fn counted(self, unit: f64) -> Self {
        Self { unit, ..self }
    }

    /// The same where things counted come in clusters of any size: jobs turned away, say, while a buffer is full.
    #[must_use]
    pub fn in_clusters(self) -> Self {
        Self { in_clusters: true, ..self }
    }

    /// The same where values scatter as those that are never below `origin` do, which are skewed the more the nearer to it they are.
    #[must_use]
    pub fn skewed_from(self, origin: f64) -> Self {
        Self { origin, ..self }
    }

    /// The same where it is the same in every replication if `constant`.
    #[must_use]
    pub fn constant_if(self, constant: bool) -> Self {
        Self { constant: self.constant || constant || self.least == self.most, ..self }
    }

    /// The least it can be; minus infinity where nothing is known.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// The most it can be; infinite where there is no limit.
    pub fn most(&self) -> f64 {
        self.most
    }

    /// How far the farther limit is from `value`: an interval that reaches further says no more.
    pub(crate) fn farthest(&self, value: f64) -> f64 {
        (value - self.least).max(self.most - value).max(0.0)
    }

    /// From where skewness is reckoned: the least it can be, unless something else is known; minus infinity where nothing is.
    pub(crate) fn origin(&self) -> f64 {
        self.origin
    }

    /// What one thing counted adds to the numerator; 0: nothing is counted.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Whether what is counted may come in clusters of any size.
    pub fn is_in_clusters(&self) -> bool {
        self.in_clusters
    }

    /// Whether every replication has the same value.
    pub fn is_constant(&self) -> bool {
        self.constant
    }
}

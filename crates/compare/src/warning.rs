//! What a reader of results should know.

/// Something that makes results mean less than they seem to.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Warning {
    /// Jobs found no warm server.
    #[error("{scenario}: jobs are lost ({}) because no server is warm; a real platform would queue them", percent(*share))]
    JobsLost {
        /// The scenario's name.
        scenario: String,
        /// As a fraction of all jobs of the run.
        share: f64,
    },
    /// Many jobs were sent to a full server.
    #[error("{scenario}: jobs are rejected ({}) because the buffer is full", percent(*share))]
    JobsRejected {
        /// The scenario's name.
        scenario: String,
        /// As a fraction of all jobs of the run.
        share: f64,
    },
}

impl Warning {
    /// Rejected jobs below this share of all are what a finite buffer is for.
    const REJECTED_SHARE: f64 = 0.01;

    /// Warnings about shares of all jobs that were lost and rejected.
    pub(crate) fn turned_away(scenario: &str, lost: f64, rejected: f64) -> Vec<Self> {
        let scenario = || scenario.to_owned();
        let lost = (lost > 0.0).then(|| Self::JobsLost { scenario: scenario(), share: lost });
        let rejected = (rejected > Self::REJECTED_SHARE)
            .then(|| Self::JobsRejected { scenario: scenario(), share: rejected });
        lost.into_iter().chain(rejected).collect()
    }
}

fn percent(share: f64) -> String {
    if share < 1e-4 { "below 0.01 % of all".to_owned() } else { format!("{:.2} % of all", 100.0 * share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_rejected_jobs_are_no_news() {
        assert_eq!(Warning::turned_away("x", 0.0, 0.01), []);
        let both = Warning::turned_away("x", 1e-9, 0.25);
        assert_eq!(
            both.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "x: jobs are lost (below 0.01 % of all) because no server is warm; a real platform would queue them",
                "x: jobs are rejected (25.00 % of all) because the buffer is full",
            ]
        );
    }
}

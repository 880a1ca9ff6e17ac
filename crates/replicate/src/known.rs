//! What a model says of every measure before anything is simulated.

use alba_model::{Account, Formula, Measure, Per};

use crate::Nature;

/// What is known of a system: what cannot change in it, whatever chance does, and how large things can be. Engines find it out,
/// each for its own models; what follows for a measure is the same for all of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// N.
    pub servers: f64,
    /// What is the same in every replication.
    pub fixed: Fixed,
    /// The most jobs at a server; infinite where there is no limit.
    pub most_jobs: f64,
    /// The most jobs for each warm server.
    pub most_jobs_per_warm: f64,
    /// The least and the most power per server.
    pub power: [f64; 2],
    /// The shortest and the longest that a mean response time can be.
    pub response_time: [f64; 2],
    /// Whether it is made of numbers of jobs.
    pub response_times_are_counts: bool,
}

/// What cannot change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fixed {
    /// Nothing can.
    pub everything: bool,
    /// The number of cold servers.
    pub cold: bool,
    /// The number of initializing servers.
    pub initializing: bool,
    /// The number of idle servers.
    pub idle: bool,
    /// The number of busy servers.
    pub busy: bool,
    /// The number of jobs.
    pub jobs: bool,
    /// The power of all servers.
    pub energy: bool,
    /// The share of jobs that are lost.
    pub lost: bool,
    /// The share of jobs that are rejected.
    pub rejected: bool,
    /// The share of jobs that are given to servers that are not warm.
    pub cold_starts: bool,
    /// Whether some server is full.
    pub overload: bool,
}

/// Of what a measure is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// States at one time: servers are counted, and jobs that arrive are rates.
    AtATime,
    /// Runs: servers are times, and jobs that arrive are counted.
    AlongRuns,
}

impl Known {
    /// The nature of a measure. That of a percentile is unknown: it has intervals of its own.
    pub fn nature(&self, measure: Measure, sample: Sample) -> Nature {
        let nature = match measure.formula() {
            Formula::Ratio(account, per) => self.ratio(account, per, sample),
            Formula::Quantile(..) => Nature::default(),
        };
        nature.constant_if(self.fixed.everything)
    }

    fn ratio(&self, account: Account, per: Per, sample: Sample) -> Nature {
        let nature = self.limits(account).constant_if(self.is_fixed(account));
        let at_a_time = sample == Sample::AtATime;
        let of_servers = matches!(per, Per::Server | Per::WarmServer);
        // Energy and times are sums of parts of any size.
        if at_a_time && of_servers && account != Account::Energy {
            nature.counted(1.0 / self.servers)
        } else if !at_a_time && per.counts_jobs() && self.is_count(account) {
            nature.counted(1.0).in_clusters()
        } else {
            nature
        }
    }

    /// Whether it is a number of jobs, or follows from such numbers.
    fn is_count(&self, account: Account) -> bool {
        account.is_part() || account == Account::ResponseTimes && self.response_times_are_counts
    }

    fn limits(&self, account: Account) -> Nature {
        match account {
            Account::Jobs => Nature::between(0.0, self.most_jobs),
            Account::JobsOfWarm => Nature::between(0.0, self.most_jobs_per_warm),
            Account::On => Nature::between(0.0, self.servers),
            Account::Energy => Nature::between(self.power[0], self.power[1]),
            Account::WaitingTimes => Nature::between(0.0, f64::INFINITY),
            // Recorded one by one they are never near zero, so that nothing is rare there.
            Account::ResponseTimes if !self.response_times_are_counts => {
                Nature::default().skewed_from(self.response_time[0])
            }
            Account::ResponseTimes => Nature::between(self.response_time[0], self.response_time[1]),
            Account::Cold
            | Account::Initializing
            | Account::Idle
            | Account::Busy
            | Account::Warm
            | Account::WarmWith(_)
            | Account::SomeWith(_)
            | Account::Overload
            | Account::Arrivals
            | Account::Accepted
            | Account::Lost
            | Account::Rejected
            | Account::ColdStarts
            | Account::Responses
            | Account::Waits
            | Account::Waited => Nature::SHARE,
        }
    }

    fn is_fixed(&self, account: Account) -> bool {
        let fixed = &self.fixed;
        let beyond = |level: usize| level as f64 > self.most_jobs;
        match account {
            Account::Cold | Account::On => fixed.cold,
            Account::Initializing => fixed.initializing,
            Account::Idle | Account::WarmWith(0) => fixed.idle,
            Account::Busy => fixed.busy,
            Account::WarmWith(level) | Account::SomeWith(level) => fixed.busy || beyond(level),
            Account::Jobs | Account::JobsOfWarm => fixed.jobs,
            Account::Energy => fixed.energy,
            Account::Overload => fixed.overload,
            Account::Lost => fixed.lost,
            Account::Rejected => fixed.rejected,
            Account::ColdStarts => fixed.cold_starts,
            // Of equal limits alone: see `Nature::constant_if`.
            Account::ResponseTimes
            | Account::WaitingTimes
            | Account::Warm
            | Account::Arrivals
            | Account::Accepted
            | Account::Responses
            | Account::Waits
            | Account::Waited => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Known = Known {
        servers: 4.0,
        fixed: Fixed {
            everything: false,
            cold: false,
            initializing: true,
            idle: false,
            busy: false,
            jobs: false,
            energy: false,
            lost: true,
            rejected: false,
            cold_starts: false,
            overload: false,
        },
        most_jobs: 2.0,
        most_jobs_per_warm: f64::INFINITY,
        power: [1.0, 3.0],
        response_time: [1.0, 2.0],
        response_times_are_counts: true,
    };

    #[test]
    fn servers_are_counted_at_times_and_jobs_along_runs() {
        for measure in [Measure::Cold, Measure::JobsPerServer, Measure::JobsPerWarm, Measure::Warm(1)] {
            assert_eq!(KNOWN.nature(measure, Sample::AtATime).unit(), 0.25, "{measure:?}");
            assert_eq!(KNOWN.nature(measure, Sample::AlongRuns).unit(), 0.0, "{measure:?}");
        }
        for measure in [Measure::MeanResponseTime, Measure::RejectedFraction, Measure::ColdStartFraction] {
            let along = KNOWN.nature(measure, Sample::AlongRuns);
            assert!(along.unit() == 1.0 && along.is_in_clusters(), "{measure:?}");
            assert_eq!(KNOWN.nature(measure, Sample::AtATime).unit(), 0.0, "{measure:?}");
        }
        for measure in [Measure::Energy, Measure::ServersOn, Measure::MeanWaitingTime, Measure::P99] {
            let units =
                [Sample::AtATime, Sample::AlongRuns].map(|sample| KNOWN.nature(measure, sample).unit());
            assert_eq!(units, [0.0, 0.0], "{measure:?}");
        }
    }

    #[test]
    fn what_is_fixed_is_constant() {
        let constant = |known: &Known| {
            let all = Measure::known().chain([Measure::Warm(2), Measure::Warm(3)]);
            let constant = all.filter(|&measure| known.nature(measure, Sample::AlongRuns).is_constant());
            constant.map(Measure::name).collect::<Vec<_>>()
        };
        assert_eq!(constant(&KNOWN), ["initializing", "lost_fraction", "warm_3"]);
        // No room for another one: response times are service times.
        assert!(
            constant(&Known { response_time: [1.0, 1.0], ..KNOWN })
                .contains(&"mean_response_time".to_owned())
        );
        let all = Known { fixed: Fixed { everything: true, ..KNOWN.fixed }, ..KNOWN };
        assert_eq!(constant(&all).len(), 25);
    }

    #[test]
    fn limits_are_those_of_measures_or_closer() {
        for measure in Measure::known().filter(|measure| measure.percentile().is_none()) {
            let [least, most] = measure.limits();
            let nature = KNOWN.nature(measure, Sample::AlongRuns);
            assert!(nature.least() >= least && nature.most() <= most, "{measure:?} {nature:?}");
        }
    }
}

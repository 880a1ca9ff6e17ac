//! What a reader of results should know.

use alba_scenario::{Reader, Scenario};
use alba_trace::TraceRemark;
use std::path::PathBuf;

/// A share of jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// Of all jobs of the run.
    OfAll(f64),
    /// Of those that arrive at a report time: the largest such share. What happens between them is not known.
    AtReportTimes(f64),
}

impl Share {
    fn value(self) -> f64 {
        match self {
            Self::OfAll(share) | Self::AtReportTimes(share) => share,
        }
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = self.value();
        let percent =
            if share < 1e-4 { "below 0.01 %".to_owned() } else { format!("{:.2} %", 100.0 * share) };
        match self {
            Self::OfAll(_) => write!(f, "{percent} of all"),
            Self::AtReportTimes(_) => write!(f, "up to {percent} of those that arrive at the report times"),
        }
    }
}

/// Something that makes results mean less than they seem to.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Warning {
    /// Jobs found no warm server.
    #[error(
        "{scenario}: jobs are lost ({share}) because no server is warm; a real platform would queue them"
    )]
    JobsLost {
        /// The scenario's name.
        scenario: String,
        /// How many.
        share: Share,
    },
    /// Many jobs were sent to a full server.
    #[error("{scenario}: jobs are rejected ({share}) because the buffer is full")]
    JobsRejected {
        /// The scenario's name.
        scenario: String,
        /// How many.
        share: Share,
    },
    /// A proposed scenario turns requests away whatever the time after which idle servers are switched off.
    #[error(
        "{scenario}: {:.1} % of the requests would be turned away (no server warm, or all full)", 100.0 * share
    )]
    TurnedAway {
        /// The scenario's name.
        scenario: String,
        /// Of all requests.
        share: f64,
    },
    /// More work arrives than all servers can do, for long.
    #[error(
        "{scenario}: unstable load: from time {from} to {to} (mean service times) the offered load per server is at \
         least 1, at most {peak:.3}: even with all servers warm, queues grow or jobs are turned away"
    )]
    UnstableLoad {
        /// The scenario's name.
        scenario: String,
        /// When the longest such stretch begins.
        from: f64,
        /// When it ends.
        to: f64,
        /// The highest load per server in it.
        peak: f64,
    },
    /// A limit that is not for numbered servers.
    #[error("{scenario}: alba cluster runs to the horizon: run.max_events is not used")]
    NoMaxEvents {
        /// The scenario's name.
        scenario: String,
    },
    /// A key that the engine does not read, and that would change its result.
    #[error("{scenario}: {key} is not used: {reason}")]
    NotUsed {
        /// The scenario's name.
        scenario: String,
        /// Which.
        key: &'static str,
        /// Why.
        reason: String,
    },
    /// A key that was given for this run alone, and that makes no difference to it.
    #[error("{scenario}: {key} is not used: nothing here depends on it")]
    Unread {
        /// The scenario's name.
        scenario: String,
        /// The full dotted key.
        key: String,
    },
    /// Numbered servers are another system than the one that an engine follows.
    #[error(
        "{scenario}: {} is for alba cluster and not used here: servers are equal, requests come as system.arrival_rate says, times \
         are exponential, and [scheme] is followed",
        keys.join(", ")
    )]
    OnlyForNumbered {
        /// The scenario's name.
        scenario: String,
        /// Keys that make the difference.
        keys: Vec<&'static str>,
    },
    /// Servers go cold, and none is started.
    #[error(
        "{scenario}: nothing ever starts a server, and idle ones go cold for ever; if they are to stay warm, say {remedy}"
    )]
    ServersVanish {
        /// The scenario's name.
        scenario: String,
        /// What keeps them.
        remedy: &'static str,
    },
    /// Many requests were still there at the horizon.
    #[error(
        "{scenario}: {:.2} % of the accepted requests are not done at the horizon; they are served to their end, with no further \
         arrivals, and their response times count: these depend on run.horizon",
        100.0 * share
    )]
    Unfinished {
        /// The scenario's name.
        scenario: String,
        /// Of the requests present at the start or accepted.
        share: f64,
    },
    /// The most replications did not make an interval as narrow as asked for.
    #[error(
        "{scenario}: the precision is not met with {replications} replications: the interval of {measure}{} {}; allow more \
         (run.max_replications), or name the measures that matter (run.precision = {{ {measure} = ... }})",
        at(*time),
        too_wide(*excess)
    )]
    NotPrecise {
        /// The scenario's name.
        scenario: String,
        /// As many as were allowed.
        replications: u64,
        /// The measure with the widest interval.
        measure: String,
        /// Its report time, unless it is an average along the run.
        time: Option<f64>,
        /// How many times as wide as allowed; infinite where nothing but 0 is allowed, or there is no interval.
        excess: f64,
    },
    /// Measures that one precision for all leaves out.
    #[error(
        "{scenario}: the precision says nothing of {}: none was seen, and half-widths are upper limits; give a measure a precision of its \
         own (run.precision = {{ MEASURE = ... }}) to have it known",
        measures.join(", ")
    )]
    NotSeen {
        /// The scenario's name.
        scenario: String,
        /// Theirs.
        measures: Vec<String>,
    },
    /// Percentiles that so few requests are above that nothing is known of their error.
    #[error(
        "{scenario}: no interval for {}: too few independent requests are beyond (in brackets, about; {needed:.1} are needed, and \
         those that wait together count as one); more or longer runs have more (run.replications, run.horizon)",
        with_numbers(percentiles)
    )]
    NoInterval {
        /// The scenario's name.
        scenario: String,
        /// Each with the smallest number of independent requests beyond it.
        percentiles: Vec<(String, f64)>,
        /// How many an interval takes.
        needed: f64,
    },
    /// Replications that do not differ.
    #[error(
        "{scenario}: all {replications} replications under {} are the same: {}; their half-widths are 0 because the same run is \
         repeated, and say nothing about other arrivals",
        policies.join(", "),
        why_the_same(random)
    )]
    SameReplications {
        /// The scenario's name.
        scenario: String,
        /// So many.
        replications: u64,
        /// Under these policies.
        policies: Vec<String>,
        /// What could have differed.
        random: Vec<String>,
    },
    /// The system had not settled by the middle of its runs.
    #[error(
        "{scenario}: the runs are too short for a steady state: after {length} mean service times it is not clear that the \
         transient is over (MSER-5 would leave out more than half); nothing is estimated but what never changes. Give a longer \
         run.horizon, or a start that is nearer to rest"
    )]
    Unsettled {
        /// The scenario's name.
        scenario: String,
        /// Of a run.
        length: f64,
    },
    /// Runs so short that their parts are correlated.
    #[error(
        "{scenario}: the runs are too short for {}: their batches are not independent, and no interval can be given; runs would have \
         to be at least {longer:.1} times as long (run.horizon), or as many (run.replications)",
        measures.join(", ")
    )]
    CorrelatedBatches {
        /// The scenario's name.
        scenario: String,
        /// The measures that are not estimated.
        measures: Vec<String>,
        /// How many times as long.
        longer: f64,
    },
    /// An infinite buffer was cut.
    #[error(
        "{scenario}: the buffer is infinite, queues are cut at {levels} jobs: {} {probability:.1e} is the probability, and \
         {jobs:.1e} the jobs per server, {}",
        if *is_bound { "at most" } else { "about" },
        if *is_bound { "of ever having been beyond (in error_bound)" } else { "that would be beyond" }
    )]
    QueuesCut {
        /// The scenario's name.
        scenario: String,
        /// Jobs that a server holds at most.
        levels: u32,
        /// Beyond.
        probability: f64,
        /// Jobs per server beyond.
        jobs: f64,
        /// Whether that is a bound, or an estimate.
        is_bound: bool,
    },
    /// Requests of a trace come in bursts, or regularly.
    #[error(
        "{scenario}: arrivals are far from Poisson: requests in neighbouring intervals of the trace differ {} as Poisson \
         arrivals would (index of dispersion {dispersion:.2}); {}",
        times(*dispersion),
        if *dispersion > 1.0 { "bursts within an interval, and what they do to response times, are smoothed away" }
        else { "response times will be overestimated" }
    )]
    NotPoisson {
        /// The scenario's name.
        scenario: String,
        /// Index of dispersion between neighbouring intervals.
        dispersion: f64,
    },
    /// Something was assumed of a trace file.
    #[error("{scenario}: {}: {remark}", file.display())]
    Trace {
        /// The scenario's name.
        scenario: String,
        /// The trace.
        file: PathBuf,
        /// What.
        remark: TraceRemark,
    },
    /// Recorded arrivals with stamps that are no times.
    #[error(
        "{scenario}: {}: {equal} of {of} recorded arrivals have the stamp of the one before, and stamps are whole multiples of \
         {resolution_s} s: each request comes at random within {resolution_s} s after its stamp, anew in each replication; \
         stamps = \"keep\" lets them come together, \"error\" refuses them (key of system.arrival_rate)",
        file.display()
    )]
    StampsSpread {
        /// The scenario's name.
        scenario: String,
        /// The trace.
        file: PathBuf,
        /// Stamps that equal the one before.
        equal: usize,
        /// All stamps.
        of: usize,
        /// What they are whole numbers of, in seconds.
        resolution_s: f64,
    },
}

impl Warning {
    /// Rejected jobs below this share of all are what a finite buffer is for.
    const REJECTED_SHARE: f64 = 0.01;

    /// Requests present at the horizon below this share of all do not change a mean much.
    const UNFINISHED_SHARE: f64 = 0.01;
    /// A load of at least 1 for fewer mean service times than this is a peak that queues absorb.
    const SUSTAINED: f64 = 10.0;
    /// Indices of dispersion that Poisson arrivals do not have.
    pub(crate) const POISSON: std::ops::RangeInclusive<f64> = 0.5..=2.0;

    /// What is known of a scenario before it runs.
    pub fn about(scenario: &Scenario) -> Vec<Self> {
        Self::about_servers(scenario, 1.0).into_iter().chain(Self::about_keys(scenario)).collect()
    }

    /// What the model's engines do with keys that their author may have meant otherwise.
    pub fn about_keys(scenario: &Scenario) -> Vec<Self> {
        let keys = scenario.for_numbered_servers_alone();
        let name = || scenario.name().to_owned();
        let unused = (!keys.is_empty()).then(|| Self::OnlyForNumbered { scenario: name(), keys });
        unused.into_iter().chain(Self::vanishing(scenario, false)).collect()
    }

    /// The same of numbered servers.
    pub(crate) fn about_keys_of_numbered(scenario: &Scenario) -> Vec<Self> {
        let unused = scenario.unread_by_numbered_servers().into_iter();
        let name = || scenario.name().to_owned();
        let unused = unused.map(|(key, reason)| Self::NotUsed { scenario: name(), key, reason });
        unused.chain(Self::vanishing(scenario, true)).collect()
    }

    /// Keys among those that were `given` for this run on which none of its `readers` depends. What a scenario file has for other
    /// commands is no fault.
    pub fn unread<'k>(
        scenario: &Scenario,
        readers: &[Reader],
        given: impl IntoIterator<Item = &'k str>,
    ) -> Vec<Self> {
        let unread = |key: &str| readers.iter().all(|&reader| scenario.is_unread(key, reader));
        let name = || scenario.name().to_owned();
        let keys = given.into_iter().filter(|key| unread(key));
        keys.map(|key| Self::Unread { scenario: name(), key: key.to_owned() }).collect()
    }

    fn vanishing(scenario: &Scenario, numbered: bool) -> Option<Self> {
        let remedy = scenario.keeps_warm(numbered)?;
        Some(Self::ServersVanish { scenario: scenario.name().to_owned(), remedy })
    }

    /// Of `accepted` requests these are `present` at the horizon.
    pub(crate) fn unfinished(scenario: &str, present: u64, accepted: u64) -> Option<Self> {
        let share = present as f64 / accepted.max(1) as f64;
        (share > Self::UNFINISHED_SHARE).then(|| Self::Unfinished { scenario: scenario.to_owned(), share })
    }

    /// The same where a server can do `work` on average, in mean service times for each.
    pub fn about_servers(scenario: &Scenario, work: f64) -> Vec<Self> {
        let name = || scenario.name().to_owned();
        let dispersion = scenario.trace().and_then(|trace| trace.facts().dispersion);
        let not_poisson = dispersion
            .filter(|dispersion| !Self::POISSON.contains(dispersion))
            .map(|dispersion| Self::NotPoisson { scenario: name(), dispersion });
        unstable(scenario, work).into_iter().chain(not_poisson).chain(Self::of_trace(scenario)).collect()
    }

    /// What was assumed of the scenario's trace.
    fn of_trace(scenario: &Scenario) -> Vec<Self> {
        let Some(facts) = scenario.trace().map(alba_scenario::TraceSource::facts) else { return vec![] };
        let warning = |remark: &TraceRemark| Self::Trace {
            scenario: scenario.name().to_owned(),
            file: facts.path.clone(),
            remark: remark.clone(),
        };
        facts.remarks.iter().map(warning).collect()
    }

    /// Whether it is about what recorded arrivals have, and Poisson ones lack.
    pub(crate) fn is_about_poisson(&self) -> bool {
        matches!(self, Self::NotPoisson { .. })
    }

    /// Warnings about shares of jobs that were lost and rejected.
    pub(crate) fn turned_away(scenario: &str, lost: Share, rejected: Share) -> Vec<Self> {
        let scenario = || scenario.to_owned();
        let lost = (lost.value() > 0.0).then(|| Self::JobsLost { scenario: scenario(), share: lost });
        let rejected = (rejected.value() > Self::REJECTED_SHARE)
            .then(|| Self::JobsRejected { scenario: scenario(), share: rejected });
        lost.into_iter().chain(rejected).collect()
    }
}

/// The longest stretch of load of at least 1, if it is long.
fn unstable(scenario: &Scenario, work: f64) -> Option<Warning> {
    let mut stretch: Option<(f64, f64, f64)> = None;
    let mut longest: Option<(f64, f64, f64)> = None;
    for segment in scenario.model().arrivals().segments(scenario.run().grid.horizon()) {
        let load = segment.rate / work;
        stretch = (load >= 1.0).then(|| match stretch {
            Some((from, _, peak)) => (from, segment.end, load.max(peak)),
            None => (segment.start, segment.end, load),
        });
        let length = |stretch: Option<(f64, f64, f64)>| stretch.map_or(0.0, |(from, to, _)| to - from);
        if length(stretch) > length(longest) {
            longest = stretch;
        }
    }
    let (from, to, peak) = longest.filter(|(from, to, _)| to - from >= Warning::SUSTAINED)?;
    Some(Warning::UnstableLoad { scenario: scenario.name().to_owned(), from, to, peak })
}

fn at(time: Option<f64>) -> String {
    time.map_or(String::new(), |time| format!(" at time {time}"))
}

fn too_wide(excess: f64) -> String {
    if excess.is_finite() {
        format!("is {excess:.2} times as wide as asked for")
    } else {
        "cannot be that narrow: there is none, or the value is 0 or unknown".to_owned()
    }
}

fn with_numbers(percentiles: &[(String, f64)]) -> String {
    percentiles.iter().map(|(name, number)| format!("{name} ({number:.1})")).collect::<Vec<_>>().join(", ")
}

fn why_the_same(random: &[String]) -> String {
    if random.is_empty() {
        "nothing in them is random, since arrivals are recorded or equally spaced and all times deterministic"
            .to_owned()
    } else {
        format!("what is random ({}) made no difference", random.join(", "))
    }
}

fn times(dispersion: f64) -> String {
    if dispersion > 1.0 {
        format!("{dispersion:.1} times as much")
    } else {
        format!("{dispersion:.2} times as much")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure1(sets: &[&str]) -> Scenario {
        let overrides: Vec<_> = sets.iter().map(|set| alba_scenario::Override::parse(set).unwrap()).collect();
        Scenario::parse("f", include_str!("../../../scenarios/figure1.toml"), &overrides).unwrap()
    }

    #[test]
    fn only_a_long_overload_is_unstable() {
        let about = |sets: &[&str]| Warning::about(&figure1(sets));
        assert_eq!(about(&[]), []);
        assert_eq!(about(&["system.arrival_rate={ steps = [[0, 1], [9.9, 0.5], [20, 2], [29, 0.5]] }"]), []);
        let steps = "system.arrival_rate={ steps = [[0, 1], [5, 0.5], [20, 1], [26, 2], [30, 0.5]] }";
        let longest = Warning::UnstableLoad { scenario: "figure1".into(), from: 20.0, to: 30.0, peak: 2.0 };
        assert_eq!(about(&[steps]), [longest]);
        let for_ever = Warning::UnstableLoad { scenario: "figure1".into(), from: 0.0, to: 690.0, peak: 1.5 };
        assert_eq!(about(&["system.arrival_rate=1.5"]), [for_ever]);
    }

    #[test]
    fn a_few_rejected_jobs_are_no_news() {
        assert_eq!(Warning::turned_away("x", Share::OfAll(0.0), Share::OfAll(0.01)), []);
        let both = Warning::turned_away("x", Share::OfAll(1e-9), Share::AtReportTimes(0.25));
        assert_eq!(
            both.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "x: jobs are lost (below 0.01 % of all) because no server is warm; a real platform would queue them",
                "x: jobs are rejected (up to 25.00 % of those that arrive at the report times) because the buffer is full",
            ]
        );
    }

    /// What is said of keys: of an engine of the model, and of numbered servers.
    fn said(sets: &[&str]) -> (Vec<String>, Vec<String>) {
        let scenario = figure1(sets);
        let texts = |warnings: Vec<Warning>| warnings.iter().map(ToString::to_string).collect();
        (texts(Warning::about_keys(&scenario)), texts(Warning::about_keys_of_numbered(&scenario)))
    }

    #[test]
    fn groups_of_servers_with_all_of_their_own_leave_keys_unread() {
        let groups = "cluster.servers=[{ count = 300 }, { count = 700, capacity = 'infinite', speed = 2.0, power = { idle = 1, busy = 2 } }]";
        let (_, numbered) =
            said(&[groups, "energy={ idle = 3, busy = 5, initializing = 4 }", "system.buffer=7"]);
        assert_eq!(numbered, <[&str; 0]>::default());
        let own = "cluster.servers=[{ count = 1000, capacity = 8, power = { idle = 1, busy = 2 } }]";
        let (_, numbered) = said(&[own, "energy={ idle = 0.5 }"]);
        assert!(
            numbered[0]
                .contains("system.buffer is not used: every group of cluster.servers has its own capacity")
        );
        assert!(numbered[1].contains("energy is not used: every group of cluster.servers has its own power"));
    }

    #[test]
    fn keys_that_are_not_read_are_said() {
        assert_eq!(said(&[]), (vec![], vec![]));
        // What says the same as the other sections changes nothing.
        let same = "cluster={ discipline = 'first-come-first-served', service = 'exponential', scaling = 'asynchronous', policies = \
                    ['random', { rule = 'power-of-d', d = 2 }], initialization = { law = 'exponential', mean = 10 }, expiration = \
                    { law = 'exponential', mean = 40 }, servers = [{ count = 1000 }] }";
        assert_eq!(said(&[same]), (vec![], vec![]));
        for (set, key) in [
            ("cluster.discipline=parallel", "cluster.discipline"),
            ("cluster.policies=['random']", "cluster.policies"),
            ("cluster.arrivals={ law = 'deterministic', mean = 0.001 }", "cluster.arrivals"),
            ("cluster.service={ law = 'exponential', mean = 2 }", "cluster.service"),
            ("cluster.service=deterministic", "cluster.service"),
            ("cluster.initialization={ law = 'deterministic', mean = 10 }", "cluster.initialization"),
            ("cluster.expiration=never", "cluster.expiration"),
            ("cluster.scaling=tabs", "cluster.scaling"),
            ("cluster.servers=[{ count = 1000, speed = 2 }]", "cluster.servers"),
        ] {
            let (model, _) = said(&[set]);
            assert!(
                model.len() == 1 && model[0].contains(&format!(": {key} is for alba cluster")),
                "{set}: {model:?}"
            );
        }
        for (sets, key) in [
            (&["cluster.arrivals={ law = 'deterministic', mean = 0.01 }"][..], "system.arrival_rate"),
            (&["cluster.servers=[{ count = 1000, weight = 2 }]"], "cluster.servers.weight"),
            (
                &["cluster.servers=[{ count = 1000, workers = 2 }]", "cluster.discipline=processor-sharing"],
                "cluster.servers.workers",
            ),
        ] {
            let (_, numbered) = said(sets);
            let expected = format!("figure1: {key} is not used: ");
            assert!(numbered.len() == 1 && numbered[0].starts_with(&expected), "{key}: {numbered:?}");
        }
    }

    #[test]
    fn servers_that_vanish_are_said() {
        let (model, numbered) = said(&["scheme.scaling={ rule = 'none' }"]);
        assert!(model[0].ends_with("say system.expiration_rate = 0"), "{model:?}");
        assert!(numbered[0].ends_with("say cluster.expiration = \"never\""), "{numbered:?}");
        let (model, numbered) = said(&["cluster.scaling=none"]);
        assert!(model.len() == 1 && numbered.len() == 1, "{model:?} {numbered:?}");
        assert_eq!(said(&["cluster.scaling=none", "cluster.expiration=never"]).1, <[&str; 0]>::default());
    }
}

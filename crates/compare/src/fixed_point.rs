//! Fixed points of the fluid model.

use crate::{Error, InputError};
use alba_fluid::{
    Counterexample, Edge, Family, FixedPoint, FixedPoints, Optimality, Pool, Refined, Refinement,
    fixed_points as find,
};
use alba_model::{Ledger, Measure, Snapshot};
use alba_scenario::Scenario;
use alba_table::WriteError;
use serde::{Serialize, Serializer};

/// All fixed points of a scenario at its constant arrival rate, ready to be written as JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FixedPointReport {
    /// Isolated ones: with cold servers left first, then saturated ones.
    pub points: Vec<PointReport>,
    /// Continua.
    pub families: Vec<FamilyReport>,
    /// Whether the scaling rule meets the condition under which, with JIQ, nobody waits and no server is idle.
    pub optimality: Option<OptimalityReport>,
}

impl FixedPointReport {
    /// Writes it as JSON that reads back unchanged, indented, with a line end.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&self, writer: &mut dyn std::io::Write) -> Result<(), Error> {
        serde_json::to_writer_pretty(&mut *writer, self)
            .map_err(|error| WriteError::Standard(error.into()))?;
        Ok(writeln!(writer).map_err(WriteError::Standard)?)
    }
}

/// One fixed point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointReport {
    /// The regime whose drift vanishes: the pools that are empty, or `interior`.
    pub regime: String,
    /// Whether no cold server is left.
    pub saturated: bool,
    /// Where the servers are.
    #[serde(flatten)]
    pub servers: Values,
    /// Warm servers with 0, 1, ... jobs, as fractions of all.
    pub levels: Vec<f64>,
    /// What follows for jobs and power; percentiles are those of response times under first come, first served.
    #[serde(flatten)]
    pub measures: Values,
    /// Whether nearby states come back; null where it is not known.
    pub stable: Option<bool>,
    /// Largest real part of an eigenvalue of the drift's derivative; null where eigenvalues do not decide.
    pub leading_eigenvalue: Option<f64>,
    /// Largest component of the drift.
    pub residual: f64,
    /// What finite numbers of servers add to it, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finite: Option<FiniteReport>,
}

impl PointReport {
    const SERVERS: [Measure; 4] = [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy];
    const MEASURES: [Measure; 11] = [
        Measure::JobsPerServer,
        Measure::JobsPerWarm,
        Measure::MeanResponseTime,
        Measure::P50,
        Measure::P95,
        Measure::P99,
        Measure::P99_9,
        Measure::WaitingProbability,
        Measure::LostFraction,
        Measure::RejectedFraction,
        Measure::Energy,
    ];

    /// A measure there; none where it is undefined, and of those that are not reported.
    pub fn value(&self, measure: Measure) -> Option<f64> {
        self.servers.of(measure).or(self.measures.of(measure))
    }
}

/// Measures in the order of their keys; null where one is undefined.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(Vec<(Measure, Option<f64>)>);

impl Values {
    fn new(measures: &[Measure], ledger: &impl Ledger) -> Self {
        Self(measures.iter().map(|&measure| (measure, measure.value(ledger))).collect())
    }

    fn of(&self, measure: Measure) -> Option<f64> {
        self.0.iter().find(|(other, _)| *other == measure)?.1
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(measure, value)| (measure.name(), value)))
    }
}

/// Finite numbers of servers around a fixed point, from theory.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FiniteReport {
    /// The expansion holds.
    Refined {
        /// For each number of servers asked for.
        refined: Vec<RefinedReport>,
        /// From this number of servers on, jobs per server and mean response time of the fluid model are good to 1 %; null where the
        /// bands of so many servers touch a boundary, and the expansion cannot tell.
        servers_for_1_percent: Option<u64>,
        /// To 5 %.
        servers_for_5_percent: Option<u64>,
        /// Why one of them is null.
        #[serde(skip_serializing_if = "Option::is_none")]
        not_known: Option<String>,
    },
    /// It does not.
    Not {
        /// Why.
        not_refined: String,
    },
}

/// The stationary law of so many servers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefinedReport {
    /// N.
    pub servers: u64,
    /// Fraction of servers, as the next three.
    pub cold: Band,
    /// Fraction of servers.
    pub initializing: Band,
    /// Fraction of servers.
    pub idle: Band,
    /// Fraction of servers.
    pub busy: Band,
    /// Jobs per server.
    pub jobs_per_server: Band,
    /// Power per server.
    pub energy: Band,
    /// Jobs per warm server, a ratio of means.
    pub jobs_per_warm: f64,
    /// Mean response time.
    pub mean_response_time: f64,
    /// The boundaries that bands touch, which the expansion knows nothing of: it is not to be relied on there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boundaries: Vec<String>,
}

/// A mean to O(1/N^2), and where 95 % of the time is spent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    /// Mean.
    pub mean: f64,
    /// Lower end of the band.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl From<Refined> for Band {
    /// Nothing here is negative: nor is the band.
    fn from(refined: Refined) -> Self {
        let (low, high) = refined.band();
        Self { mean: refined.mean, low: low.max(0.0), high }
    }
}

/// A continuum of fixed points, one for every fraction of servers with `level` jobs in a range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyReport {
    /// The lowest occupied level: no warm server holds fewer jobs.
    pub level: usize,
    /// Smallest fraction of servers at that level; excluded if it is 0.
    pub from: f64,
    /// Largest.
    pub to: f64,
    /// Jobs per server of the member in the middle.
    pub example_jobs_per_server: f64,
    /// Warm servers with 0, 1, ... jobs of the member in the middle.
    pub example_levels: Vec<f64>,
}

/// Theorem 3's condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptimalityReport {
    /// Whether the rule starts servers exactly where the demand exceeds what becomes idle.
    pub condition_met: bool,
    /// A state at which it does not.
    pub counterexample: Option<CounterexampleReport>,
}

/// A state at which a scaling rule does not do what Theorem 3 asks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CounterexampleReport {
    /// Fraction of servers.
    pub initializing: f64,
    /// Fraction of servers.
    pub idle: f64,
    /// Servers with one job, as a fraction of all.
    pub one_job: f64,
    /// Servers with two jobs, as a fraction of all.
    pub two_jobs: f64,
    /// Demand minus the rate at which servers become idle.
    pub shortage: f64,
    /// What the rule does there.
    pub scaling_probability: f64,
}

/// Finds all fixed points of the scenario's fluid model, and what the finite numbers of servers in `refine` add to them.
///
/// # Errors
/// [`InputError::NotConstant`] if the arrival rate changes; [`Error::Fluid`].
pub fn fixed_points(scenario: &Scenario, refine: &[u64]) -> Result<FixedPointReport, Error> {
    let arrival_rate = scenario
        .model()
        .arrivals()
        .constant_rate()
        .ok_or_else(|| InputError::NotConstant { scenario: scenario.name().to_owned() })?;
    let kept = scenario.initial().warm() + scenario.initial().initializing();
    let found = find(scenario.model(), arrival_rate, kept)
        .map_err(|source| Error::Fluid { scenario: scenario.name().to_owned(), source })?;
    Ok(report(found, scenario, arrival_rate, refine))
}

fn report(found: FixedPoints, scenario: &Scenario, arrival_rate: f64, refine: &[u64]) -> FixedPointReport {
    let points = found.points.into_iter().map(|point| {
        let finite = (!refine.is_empty()).then(|| finite(scenario, arrival_rate, &point, refine));
        let at = Snapshot { time: 0.0, arrival_rate, state: point.state, inflow: point.inflow };
        let ledger = at.with(scenario.power());
        PointReport {
            regime: point.regime.to_string(),
            saturated: point.regime.cold == Pool::Empty,
            servers: Values::new(&PointReport::SERVERS, &ledger),
            measures: Values::new(&PointReport::MEASURES, &ledger),
            stable: point.stability.is_stable(),
            leading_eigenvalue: point.stability.leading_eigenvalue(),
            residual: point.residual,
            finite,
            levels: trimmed(at.state.levels()),
        }
    });
    FixedPointReport {
        points: points.collect(),
        families: found.families.iter().map(family).collect(),
        optimality: found.optimality.map(optimality),
    }
}

fn finite(scenario: &Scenario, arrival_rate: f64, point: &FixedPoint, refine: &[u64]) -> FiniteReport {
    let refinement = match Refinement::new(scenario.model(), arrival_rate, point) {
        Ok(refinement) => refinement,
        Err(reason) => return FiniteReport::Not { not_refined: reason.to_string() },
    };
    let refined = refine.iter().map(|&servers| RefinedReport {
        servers,
        cold: refinement.cold(servers).into(),
        initializing: refinement.initializing(servers).into(),
        idle: refinement.idle(servers).into(),
        busy: refinement.busy(servers).into(),
        jobs_per_server: refinement.jobs_per_server(servers).into(),
        energy: refinement.energy(servers, scenario.power()).into(),
        jobs_per_warm: refinement.jobs_per_server(servers).mean / refinement.warm(servers).mean,
        mean_response_time: refinement.mean_response_time(servers),
        boundaries: names(&refinement.edges(servers)),
    });
    let [one, five] = [0.01, 0.05].map(|share| servers_for(&refinement, share));
    let not_known = five.as_ref().err().or(one.as_ref().err()).cloned();
    FiniteReport::Refined {
        refined: refined.collect(),
        servers_for_1_percent: one.ok(),
        servers_for_5_percent: five.ok(),
        not_known,
    }
}

/// From how many servers on the fluid model is good to `share`, or why that is not known.
fn servers_for(refinement: &Refinement, share: f64) -> Result<u64, String> {
    let servers = refinement.servers_needed(share);
    let kinks: Vec<Edge> =
        refinement.edges(servers.max(1)).into_iter().filter(|edge| edge.is_kink()).collect();
    let boundaries = names(&kinks);
    if boundaries.is_empty() {
        return Ok(servers);
    }
    Err(format!(
        "the refined mean field's band for N = {} touches a boundary: {}",
        servers.max(1),
        boundaries.join(", ")
    ))
}

fn names(edges: &[Edge]) -> Vec<String> {
    edges.iter().map(Edge::to_string).collect()
}

/// Up to the highest level that is not empty.
fn trimmed(levels: &[f64]) -> Vec<f64> {
    let used = levels.iter().rposition(|&level| level > 0.0).map_or(0, |level| level + 1);
    levels[..used].to_vec()
}

fn family(family: &Family) -> FamilyReport {
    FamilyReport {
        level: family.lowest_level,
        from: family.range.0,
        to: family.range.1,
        example_jobs_per_server: family.example.jobs(),
        example_levels: trimmed(family.example.levels()),
    }
}

fn optimality(optimality: Optimality) -> OptimalityReport {
    let counterexample = match optimality {
        Optimality::Met => None,
        Optimality::Violated(Counterexample {
            initializing,
            idle,
            one_job,
            two_jobs,
            shortage,
            scaling_probability,
        }) => Some(CounterexampleReport {
            initializing,
            idle,
            one_job,
            two_jobs,
            shortage,
            scaling_probability,
        }),
    };
    OptimalityReport { condition_met: counterexample.is_none(), counterexample }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(set: &[&str]) -> Scenario {
        let overrides: Vec<_> =
            set.iter().map(|text| alba_scenario::Override::parse(text).unwrap()).collect();
        Scenario::parse("f", include_str!("../../../scenarios/figure1.toml"), &overrides).unwrap()
    }

    #[test]
    fn figure_1_as_json() {
        let report = fixed_points(&scenario(&[]), &[100]).unwrap();
        let json = serde_json::to_value(&report).unwrap();
        let point = &json["points"][0];
        assert_eq!(point["regime"], "interior");
        assert_eq!(point["stable"], true);
        assert!((point["p99"].as_f64().unwrap() - 8.009766).abs() < 1e-6);
        assert!((point["energy"].as_f64().unwrap() - 0.85).abs() < 1e-12);
        let jobs = &point["finite"]["refined"][0]["jobs_per_server"]["mean"];
        assert!((jobs.as_f64().unwrap() - (1.563521 + 0.0533602)).abs() < 1e-6);
        assert_eq!(point["finite"]["servers_for_1_percent"], 342);
        assert_eq!(json["optimality"]["condition_met"], false);
        assert_eq!(json["families"].as_array().unwrap().len(), 0);
    }

    #[test]
    fn a_run_starts_at_the_fixed_point() {
        let at_rest = scenario(&["initial={ state = \"fixed-point\" }"]);
        assert!((at_rest.initial().cold() - 0.15).abs() < 1e-12);
        assert!((at_rest.initial().jobs() - 1.563521).abs() < 1e-6);
        for wrong in ["initial={ state = \"x\" }", "initial={ state = \"fixed-point\", warm = [0.5] }"] {
            let overrides = [alba_scenario::Override::parse(wrong).unwrap()];
            let text = include_str!("../../../scenarios/figure1.toml");
            assert!(Scenario::parse("f", text, &overrides).is_err());
        }
    }

    #[test]
    fn a_changing_arrival_rate_has_no_fixed_point() {
        let changing = scenario(&["system.arrival_rate={ steps = [[0, 0.7], [45, 0.3]] }"]);
        assert!(fixed_points(&changing, &[]).unwrap_err().is_input());
    }

    #[test]
    fn a_band_that_touches_a_boundary_says_so_and_tells_no_number() {
        let finite = |set: &[&str], servers: u64| {
            let json = serde_json::to_value(fixed_points(&scenario(set), &[servers]).unwrap()).unwrap();
            json["points"][0]["finite"].clone()
        };
        let figure_1 = finite(&[], 1000);
        assert!(figure_1["refined"][0].get("boundaries").is_none() && figure_1.get("not_known").is_none());
        // 1.5 servers of ten are cold, give or take 1.3.
        let near = ["cold near 0", "initializing near 0", "idle near 0"];
        assert_eq!(finite(&[], 10)["refined"][0]["boundaries"], serde_json::json!(near));
        // Half a server of a hundred is cold: the bias alone would say that 225 servers are enough for 5 %.
        let crowded =
            finite(&["system.arrival_rate=0.97", "scheme.scaling.theta=0.01", "system.buffer=infinite"], 225);
        let bands = crowded["refined"][0]["boundaries"].as_array().unwrap();
        assert!(bands.contains(&"cold near 0".into()) && bands.contains(&"busy above 1".into()), "{crowded}");
        assert!(crowded["servers_for_5_percent"].is_null(), "{crowded}");
        assert!(crowded["not_known"].as_str().unwrap().contains("touches a boundary: "), "{crowded}");
    }
}

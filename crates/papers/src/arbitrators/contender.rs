//! Who is compared: a policy, when servers are started, and, where there is one, the scheme of the model that does the same.

use alba_cluster::{
    Arbitrator, Arrivals, ClusterError, Discipline, Law, Problem, ProblemParts, Ratios, Scaling, Times,
};
use alba_model::{Counts, Dispatch, Grid, Model, ModelError, Occupancy, Rates, ScalingRule, Scheme};
use alba_scenario::Scenario;

/// Blind's probability where the scenario has none.
const THETA: f64 = 0.06;

/// One way to run the servers.
#[derive(Debug, Clone)]
pub(super) struct Contender {
    pub(super) name: String,
    pub(super) kind: Kind,
    policy: Arbitrator,
    scaling: Scaling,
    /// What the chain and the fluid model know it as.
    pub(super) scheme: Option<Scheme>,
}

/// When servers are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// By a scaling rule or at arrivals, as ALBA and TABS do.
    Scaled,
    /// When the arbitrator first gives it a request.
    SwitchedOn,
    /// All, always.
    AlwaysOn,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Scaled => "scaled",
            Self::SwitchedOn => "switch-on",
            Self::AlwaysOn => "always on",
        }
    }
}

/// Everybody who is compared on `scenario`'s system, ALBA's schemes first, then the arbitrator, then the references.
pub(super) fn contenders(scenario: &Scenario) -> Result<Vec<Contender>, ClusterError> {
    let (model, two) = (scenario.model(), Dispatch::power_of_d(2)?);
    let own = model.scheme();
    let rule = match own {
        Scheme::Asynchronous { scaling, .. } => scaling,
        Scheme::Tabs(_) | Scheme::CentralQueue => ScalingRule::None,
    };
    let rate_idle =
        if matches!(rule, ScalingRule::RateIdle(_)) { rule } else { ScalingRule::rate_idle(1.0, 1.0)? };
    let blind = if matches!(rule, ScalingRule::Blind(_)) { rule } else { ScalingRule::blind(THETA)? };
    let mut schemes = vec![
        Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, rate_idle),
        Scheme::asynchronous(two, blind),
        Scheme::tabs(1)?,
    ];
    if !schemes.contains(&own) && own != Scheme::CentralQueue {
        schemes.insert(0, own);
    }
    let mut all: Vec<Contender> =
        schemes.into_iter().map(|scheme| Contender::of_scheme(scheme, model)).collect::<Result<_, _>>()?;
    let servers = alba_scenario::equal_servers(scenario.servers(), model.buffer(), scenario.power())?;
    for policy in arbitrators(model.buffer().limit().unwrap_or(u32::MAX))? {
        match policy.fits(&servers) {
            Ok(()) => {}
            // Servers too small to be divided so far do without that arbitrator.
            Err(ClusterError::NoPhases { .. }) => continue,
            Err(other) => return Err(other),
        }
        let name = described(&policy);
        all.push(Contender {
            name,
            kind: Kind::SwitchedOn,
            policy,
            scaling: Scaling::SwitchOn,
            scheme: None,
        });
    }
    let references = [
        Arbitrator::RoundRobin,
        Arbitrator::LeastConnections,
        Arbitrator::from(two),
        Arbitrator::from(Dispatch::JOIN_IDLE_QUEUE),
    ];
    for (policy, dispatch) in
        references.into_iter().zip([None, None, Some(two), Some(Dispatch::JOIN_IDLE_QUEUE)])
    {
        let name = format!("{policy}, always on");
        let scheme = dispatch.map(|dispatch| Scheme::asynchronous(dispatch, ScalingRule::None));
        all.push(Contender { name, kind: Kind::AlwaysOn, policy, scaling: Scaling::None, scheme });
    }
    Ok(all)
}

/// The phase-partition arbitrator, from half of a server's capacity at a time to one request at a time, and what its paper
/// compares it with.
fn arbitrators(capacity: u32) -> Result<Vec<Arbitrator>, ClusterError> {
    let single = capacity.max(2).to_string();
    let ratios = |list: &[&str]| Ratios::parse(list);
    let saving = |list: &[&str], eta: &str| -> Result<Arbitrator, ClusterError> {
        Ok(Arbitrator::PowerSaving { ratios: ratios(list)?, eta: eta.parse()? })
    };
    Ok(vec![
        Arbitrator::PhasePartition { ratios: ratios(&["2"])? },
        Arbitrator::PhasePartition { ratios: ratios(&["10", "2"])? },
        Arbitrator::PhasePartition { ratios: ratios(&[&single, "2"])? },
        saving(&["2", "2.5", "2"], "0.7")?,
        saving(&["10", "2"], "0.15")?,
        Arbitrator::RoundRobin,
        Arbitrator::LeastConnections,
    ])
}

fn described(policy: &Arbitrator) -> String {
    let list = |ratios: &Ratios| {
        let ratios: Vec<String> = ratios.list().iter().map(ToString::to_string).collect();
        format!("r = {}, …", ratios.join(", "))
    };
    match policy {
        Arbitrator::PhasePartition { ratios } => format!("phase partition, {}", list(ratios)),
        Arbitrator::PowerSaving { ratios, eta } => format!("phase partition, {}, η = {eta}", list(ratios)),
        other => format!("{other}, switch-on"),
    }
}

/// A system to run them on: that of a scenario, or one with other numbers.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) model: Model,
    pub(super) initial: Occupancy,
    pub(super) servers: u64,
    pub(super) grid: Grid,
    pub(super) warm_up: f64,
    pub(super) discipline: Discipline,
    pub(super) power: alba_model::PowerDraw,
}

impl Setting {
    pub(super) fn of(scenario: &Scenario) -> Self {
        Self {
            model: scenario.model().clone(),
            initial: scenario.initial().clone(),
            servers: scenario.servers(),
            grid: scenario.run().grid,
            warm_up: scenario.run().warm_up,
            discipline: scenario.discipline(),
            power: *scenario.power(),
        }
    }
}

impl Contender {
    fn of_scheme(scheme: Scheme, model: &Model) -> Result<Self, ClusterError> {
        let scaling = Scaling::of(scheme, model.rates())?;
        let dispatch = scheme.dispatch().unwrap_or(Dispatch::JOIN_IDLE_QUEUE);
        let (name, policy) = (scheme.to_string(), Arbitrator::from(dispatch));
        Ok(Self { name, kind: Kind::Scaled, policy, scaling, scheme: Some(scheme) })
    }

    pub(super) fn policy(&self) -> &Arbitrator {
        &self.policy
    }

    fn start(&self, setting: &Setting) -> Result<Occupancy, ModelError> {
        match self.kind {
            Kind::Scaled | Kind::SwitchedOn => Ok(setting.initial.clone()),
            Kind::AlwaysOn => Occupancy::new(0.0, vec![1.0]),
        }
    }

    /// Numbered servers with exponential times.
    pub(super) fn numbered(&self, setting: &Setting) -> Result<Problem, ClusterError> {
        let (model, rates) = (&setting.model, setting.model.rates());
        let expires = rates.expiration() > 0.0 && self.kind != Kind::AlwaysOn;
        let exponential = |rate: f64| Law::exponential(1.0 / rate);
        Problem::new(ProblemParts {
            servers: alba_scenario::equal_servers(setting.servers, model.buffer(), &setting.power)?,
            discipline: setting.discipline,
            arrivals: Arrivals::poisson(model.arrivals().clone()),
            times: Times {
                service: Law::exponential(1.0)?,
                initialization: exponential(rates.initialization())?,
                expiration: expires.then(|| exponential(rates.expiration())).transpose()?,
            },
            scaling: self.scaling,
            initial: Counts::apportion(&self.start(setting)?, setting.servers),
            grid: setting.grid,
            warm_up: setting.warm_up,
        })
    }

    /// The same as a model, where there is a scheme for it.
    pub(super) fn model(&self, setting: &Setting) -> Result<Option<(Model, Occupancy)>, ModelError> {
        let Some(scheme) = self.scheme else { return Ok(None) };
        let (model, rates) = (&setting.model, setting.model.rates());
        let rates = match self.kind {
            Kind::Scaled | Kind::SwitchedOn => rates,
            Kind::AlwaysOn => Rates::new(0.0, rates.initialization(), 0.0)?,
        };
        let model = Model::new(model.arrivals().clone(), rates, model.buffer(), scheme)?;
        Ok(Some((model, self.start(setting)?)))
    }
}

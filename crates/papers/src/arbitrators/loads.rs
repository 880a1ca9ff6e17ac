//! The figure: every contender over loads, numbers of servers, and two days of real traffic.

use super::contender::{Contender, Setting, contenders};
use super::round::Round;
use super::standing::{Quantity, Standing, is_efficient, ranked, seeds_that_agree, standings};
use super::{chart, findings, refuse};
use crate::Error;
use alba_compare::Progress;
use alba_compare::{InputError, ResultsFolder, with_half_width};
use alba_model::{ArrivalProfile, Grid, Model, ModelError};
use alba_scenario::{Override, Scenario};
use alba_table::{Schema, Table};
use std::path::{Path, PathBuf};

/// Arrival rates, with the scenario's number of servers.
const LOADS: [f64; 7] = [0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 1.2];
/// Numbers of servers, with the scenario's arrival rate.
const SERVERS: [u64; 4] = [3, 10, 100, 1000];
/// Seeds, from the scenario's on: intervals are over them, and ranks are seen to hold in each.
const SEEDS: u64 = 10;
/// Days of real traffic: their scenario, and the longest queue that a server may have there.
const DAYS: [(&str, &str); 2] = [
    ("azure-functions", include_str!("../../../../scenarios/azure-functions.toml")),
    ("nasa-day", include_str!("../../../../scenarios/nasa-day.toml")),
];
const LONGEST_QUEUE: &str = "system.buffer=100";

/// Runs all rounds, and keeps tables, figure, findings and manifest in a folder of the scenario's name in `results`.
pub(crate) fn arbitrators(
    scenario: &Scenario,
    results: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    refuse(scenario)?;
    let Some(arrival_rate) = scenario.model().arrivals().constant_rate() else {
        return Err(InputError::NotConstant { scenario: scenario.name().to_owned() }.into());
    };
    let folder = ResultsFolder::create(results, scenario.name())?;
    let mut rounds = vec![];
    for load in LOADS {
        rounds.push(round(scenario, scenario.servers(), load, progress)?);
    }
    for servers in SERVERS.into_iter().filter(|&servers| servers != scenario.servers()) {
        rounds.push(round(scenario, servers, arrival_rate, progress)?);
    }
    for (name, text) in DAYS {
        rounds.extend(day(scenario, name, text, progress)?);
    }
    let claims = findings::claims(&rounds);
    folder.add_table("standings.csv", &table(&rounds))?;
    folder.add_table("claims.csv", &findings::claim_columns().table(&claims))?;
    folder.add("findings.md", findings::text(&rounds, &claims).as_bytes())?;
    folder.add_figure(scenario.name(), &chart::of_rounds(scenario, arrival_rate, &rounds))?;
    Ok(folder.finish("figures", scenario)?)
}

/// All contenders in equilibrium.
fn round(
    scenario: &Scenario,
    servers: u64,
    arrival_rate: f64,
    progress: &dyn Progress,
) -> Result<Round, Error> {
    let failed = |source| InputError::servers(scenario, source);
    let setting = at(scenario, servers, arrival_rate).map_err(|source| failed(source.into()))?;
    let all = contenders(scenario).map_err(failed)?;
    let name = format!("λ = {arrival_rate}, N = {servers}");
    let standings = run(scenario, &all, &setting, &name, progress)?;
    Ok(Round { name, servers, arrival_rate: Some(arrival_rate), standings })
}

/// The scenario's system with other numbers; as many requests are measured, in at least as long as the warm-up.
fn at(scenario: &Scenario, servers: u64, arrival_rate: f64) -> Result<Setting, ModelError> {
    let (setting, run, model) = (Setting::of(scenario), scenario.run(), scenario.model());
    let measured = (run.grid.horizon() - run.warm_up) * scenario.servers() as f64 / servers as f64;
    Ok(Setting {
        model: Model::new(
            ArrivalProfile::constant(arrival_rate)?,
            model.rates(),
            model.buffer(),
            model.scheme(),
        )?,
        servers,
        grid: Grid::new(run.warm_up + measured.max(run.warm_up), 1)?,
        ..setting
    })
}

/// All contenders on a day of real traffic; none where its trace is not found.
fn day(scenario: &Scenario, name: &str, text: &str, progress: &dyn Progress) -> Result<Option<Round>, Error> {
    let file = format!("scenarios/{name}.toml");
    if !Path::new("scenarios/traces").is_dir() {
        return Ok(None);
    }
    let day = Scenario::parse(&file, text, &[Override::parse(LONGEST_QUEUE).map_err(InputError::from)?])?;
    let failed = |source| InputError::servers(&day, source);
    let setting = Setting {
        grid: Grid::new(day.run().grid.horizon(), 1).map_err(|source| failed(source.into()))?,
        ..Setting::of(&day)
    };
    let all = contenders(&day).map_err(failed)?;
    let standings = run(scenario, &all, &setting, name, progress)?;
    Ok(Some(Round { name: name.to_owned(), servers: day.servers(), arrival_rate: None, standings }))
}

fn run(
    scenario: &Scenario,
    contenders: &[Contender],
    setting: &Setting,
    name: &str,
    progress: &dyn Progress,
) -> Result<Vec<Standing>, Error> {
    let run = scenario.run();
    progress.begin(name, SEEDS * run.replications * contenders.len() as u64);
    let seeds = run.seed..run.seed.saturating_add(SEEDS);
    let standings = standings(contenders, setting, seeds, run.replications, progress);
    progress.end();
    Ok(standings.map_err(|source| InputError::servers(scenario, source))?)
}

/// A contender in its place.
struct Placed<'r> {
    round: &'r Round,
    rank: u64,
    /// In how many seeds it has that rank.
    agreeing: usize,
    standing: &'r Standing,
}

/// A row a round and contender, cheapest first.
fn table(rounds: &[Round]) -> Table {
    let quantity = |quantity: Quantity| {
        let get = move |row: &Placed<'_>| row.standing.estimate(quantity);
        with_half_width(quantity.name(), quantity.unit(), "mean over seeds", get)
    };
    let schema = Schema::new()
        .column("round", "", "system or day", |row: &Placed<'_>| row.round.name.clone())
        .column("servers", "", "N", |row| row.round.servers)
        .column("arrival_rate", "per server and service time", "empty: changes", |row| row.round.arrival_rate)
        .column("rank", "", "by cost, from 1", |row| row.rank)
        .column("seeds_with_that_rank", "seeds", "equal costs counted as equal", |row| row.agreeing)
        .column("contender", "", "its name", |row| row.standing.name.clone())
        .column("servers_start", "", "when servers are started", |row| row.standing.kind.name())
        .columns(Quantity::ALL.into_iter().flat_map(quantity))
        .column("efficient", "", "nobody is better in both energy and delay", |row| {
            is_efficient(row.standing, &row.round.standings)
        });
    schema.table(rounds.iter().flat_map(|round| {
        let ranked = ranked(&round.standings);
        let agreeing = seeds_that_agree(&ranked);
        let placed = (1..).zip(ranked).zip(agreeing);
        placed.map(move |((rank, standing), agreeing)| Placed { round, rank, agreeing, standing })
    }))
}

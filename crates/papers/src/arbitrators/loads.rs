//! The figure: every contender over loads, numbers of servers, and two days of real traffic.

use super::contender::{Contender, Setting, contenders};
use super::round::Round;
use super::standing::{Quantity, Standing, is_efficient, ranked, seeds_that_agree, standings};
use super::{cells, chart, findings, refuse, with_half_widths};
use crate::Error;
use alba_compare::Progress;
use alba_compare::{InputError, ResultsFolder};
use alba_model::{ArrivalProfile, Grid, Model, ModelError};
use alba_scenario::{Override, Scenario};
use alba_table::{Cell, Row, Table};
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
    let (all, claims) = (table(&rounds), findings::claims(&rounds));
    folder.add_table("standings.csv", &all)?;
    folder.add_table("claims.csv", &claims)?;
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

/// A row a round and contender, cheapest first.
fn table(rounds: &[Round]) -> Table {
    let first =
        ["round", "servers", "arrival_rate", "rank", "seeds_with_that_rank", "contender", "servers_start"];
    let quantities = with_half_widths(Quantity::ALL.into_iter().map(|quantity| quantity.name().to_owned()));
    let last = ["efficient"].map(str::to_owned);
    let mut table = Table::new(first.map(str::to_owned).into_iter().chain(quantities).chain(last));
    for round in rounds {
        let ranked = ranked(&round.standings);
        let agreeing = seeds_that_agree(&ranked);
        for ((rank, standing), agreeing) in (1u64..).zip(&ranked).zip(agreeing) {
            let mut row: Row =
                vec![round.name.clone().into(), round.servers.into(), round.arrival_rate.into()];
            row.extend([rank.into(), (agreeing as u64).into()]);
            row.extend([standing.name.clone().into(), standing.kind.name().into()]);
            row.extend(Quantity::ALL.into_iter().flat_map(|quantity| cells(standing.estimate(quantity))));
            row.push(Cell::Truth(is_efficient(standing, &round.standings)));
            table.push(row);
        }
    }
    table
}

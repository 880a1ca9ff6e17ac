//! From arguments to studies and back.

use crate::arguments::{
    Cluster, Command, Common, Compare, Converge, Exact, Figures, FixedPoint, Fluid, Partition,
    PartitionFormat, Simulate, Unit,
};
use crate::common::RESULTS;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::report;
use crate::{plots, sweeps, traces};
use alba_compare::{Continuation, Convergence, View, Warning};
use alba_scenario::{Override, Reader, Scenario};
use alba_table::{Output, WriteError};
use std::path::Path;

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Fluid(arguments) => fluid(arguments),
        Command::Simulate(arguments) => simulate(arguments),
        Command::Exact(arguments) => exact(arguments),
        Command::FixedPoint(arguments) => fixed_point(arguments),
        Command::Compare(arguments) => compare(arguments),
        Command::Cluster(arguments) => cluster(arguments),
        Command::Sweep(arguments) => sweeps::sweep(arguments),
        Command::Merge(arguments) => sweeps::merge(arguments),
        Command::Plot(arguments) => plots::plot(arguments),
        Command::Converge(arguments) => converge(arguments),
        Command::New(arguments) => traces::new(arguments),
        Command::Trace(arguments) => traces::trace(arguments),
        Command::Partition(arguments) => partition(arguments),
        Command::Figures(arguments) => figures(arguments),
    }
}

fn fluid(arguments: &Fluid) -> Result<(), Failure> {
    let common = &arguments.common;
    let scenario = common.load_for(&arguments.scenario, &[Reader::Fluid])?;
    if arguments.events {
        return common.print(&alba_compare::fluid_switches(&scenario)?);
    }
    let view = view(arguments.levels, arguments.unit);
    let (answer, judgement) = alba_compare::fluid_judged(&scenario, view)?;
    report::warnings(&answer.warnings);
    judgement.iter().for_each(|judgement| report::judgement(judgement, common.quiet));
    common.print_table(&answer.table, &[])
}

fn simulate(arguments: &Simulate) -> Result<(), Failure> {
    let common = &arguments.common;
    let reader = if arguments.steady_state { Reader::SteadyState } else { Reader::Chain };
    let scenario = common.load_for(&arguments.scenario, &[reader])?;
    common.start_threads()?;
    let bar = Bar::new(common.quiet);
    let view = view(arguments.levels, arguments.unit);
    if arguments.paths {
        let mut warnings = vec![];
        common.output().write(|writer| {
            warnings = alba_compare::simulate_paths(&scenario, view, common.format(), writer, &bar)?;
            Ok::<_, Failure>(())
        })?;
        report::warnings(&warnings);
        return Ok(());
    }
    common.print(&if arguments.steady_state {
        alba_compare::simulate_steady_state(&scenario, view, &bar)?
    } else if arguments.summary {
        alba_compare::simulate_summary(&scenario, view, &bar)?
    } else {
        alba_compare::simulate(&scenario, view, &bar)?
    })
}

fn exact(arguments: &Exact) -> Result<(), Failure> {
    let common = &arguments.common;
    let reader = if arguments.stationary { Reader::Equilibrium } else { Reader::Exact };
    let scenario = common.load_for(&arguments.scenario, &[reader])?;
    common.start_threads()?;
    let view = view(arguments.levels, arguments.unit);
    common.print(&if arguments.stationary {
        alba_compare::exact_stationary(&scenario, view)?
    } else {
        alba_compare::exact(&scenario, view)?
    })
}

fn fixed_point(arguments: &FixedPoint) -> Result<(), Failure> {
    let common = &arguments.common;
    let Some(along) = &arguments.along else {
        let scenario = common.load_for(&arguments.scenario, &[Reader::FixedPoint])?;
        let report = alba_compare::fixed_points(&scenario, &arguments.refine)?;
        report::warnings(&Warning::about_keys(&scenario));
        return Ok(common.output().write(|writer| report.write(writer))?);
    };
    let continuation = Continuation::parse(along, arguments.steps as usize)?;
    let overrides = common.overrides()?;
    let load = |set: &Override| {
        let all = [&overrides[..], std::slice::from_ref(set)].concat();
        Ok(Scenario::load(&arguments.scenario, &all)?)
    };
    let bar = Bar::new(common.quiet);
    let continued = alba_compare::continue_fixed_points(&load, &continuation, Path::new(RESULTS), &bar)?;
    common.note_folder(&continued.folder);
    common.print(&continued.answer)
}

fn view(levels: Option<u64>, unit: Unit) -> View {
    let unit = match unit {
        Unit::Fractions => alba_compare::Unit::Fractions,
        Unit::Servers => alba_compare::Unit::Servers,
    };
    View { levels: levels.map(|levels| levels as usize), unit }
}

fn compare(arguments: &Compare) -> Result<(), Failure> {
    let common = &arguments.common;
    let readers = [Reader::Fluid, Reader::Chain];
    let scenarios = arguments.scenarios.iter().map(|path| common.load_for(path, &readers));
    let scenarios = scenarios.collect::<Result<Vec<_>, _>>()?;
    common.start_threads()?;
    if arguments.arbitrators {
        return compare_arbitrators(common, &scenarios);
    }
    common.print_comparison(&alba_compare::compare(&scenarios, Path::new(RESULTS), &Bar::new(common.quiet))?)
}

fn compare_arbitrators(common: &Common, scenarios: &[Scenario]) -> Result<(), Failure> {
    let found = alba_papers::compare_arbitrators(scenarios, Path::new(RESULTS), &Bar::new(common.quiet))?;
    found.folders.iter().for_each(|folder| common.note_folder(folder));
    if !common.quiet {
        report::agreement(&found.agreement);
    }
    common.print(&found.answer)
}

fn cluster(arguments: &Cluster) -> Result<(), Failure> {
    let common = &arguments.common;
    let scenario = common.load_for(&arguments.scenario, &[Reader::NumberedServers])?;
    common.start_threads()?;
    let found = alba_compare::cluster(&scenario, Path::new(RESULTS), &Bar::new(common.quiet))?;
    common.note_folder(&found.folder);
    common.print(&found.answer)
}

fn converge(arguments: &Converge) -> Result<(), Failure> {
    let common = &arguments.common;
    let readers = [Reader::Fluid, Reader::Convergence];
    let scenarios = arguments.scenarios.iter().map(|path| common.load_for(path, &readers));
    let scenarios = scenarios.collect::<Result<Vec<_>, _>>()?;
    common.start_threads()?;
    let Converge { servers, path_servers, measures, .. } = arguments;
    let convergence = Convergence::new(servers.clone(), path_servers.clone(), measures.clone())?;
    let bar = Bar::new(common.quiet);
    let converged = alba_compare::converge(&scenarios, &convergence, Path::new(RESULTS), &bar)?;
    common.note_folder(&converged.folder);
    common.print(&converged.answer)
}

fn figures(arguments: &Figures) -> Result<(), Failure> {
    let common = &arguments.common;
    let overrides = common.overrides()?;
    common.start_threads()?;
    let bar = Bar::new(common.quiet);
    let comparison = alba_papers::figures(&arguments.names, &overrides, Path::new(RESULTS), &bar)?;
    common.print_comparison(&comparison)
}

fn partition(arguments: &Partition) -> Result<(), Failure> {
    let table = alba_papers::partition(&arguments.capacity, &arguments.ratios)?;
    let output = arguments.output.clone().map_or(Output::Standard, Output::File);
    Ok(output.write(|writer| {
        let written = match arguments.format {
            PartitionFormat::Csv => table.write(alba_table::Format::Csv, writer),
            PartitionFormat::Markdown => table.write_markdown(writer),
            PartitionFormat::Json => table.write(alba_table::Format::Json, writer),
        };
        written.map_err(WriteError::Standard)
    })?)
}

use super::*;
use crate::Error;
use alba_ctmc::Estimate;
use alba_model::Measure;
use alba_scenario::Override;
use alba_scenario::ScenarioError;
use alba_table::Table;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const BASE: &str = r#"
measures = ["busy", "mean_response_time"]
[scenario]
name = "small"
[scenario.system]
servers = 20
buffer = 10
arrival_rate = 0.5
scaling_rate = 0.05
initialization_rate = 0.1
expiration_rate = 0.025
[scenario.scheme]
dispatch = { rule = "power-of-d", d = 2 }
scaling = { rule = "blind", theta = 0.06 }
[scenario.initial]
warm = [0.7]
[scenario.run]
horizon = 20
samples = 4
replications = 3
"#;

fn text(engines: &str, axes: &str) -> String {
    format!("name = \"test\"\nengines = {engines}\n{BASE}\n{axes}")
}

fn sweep<'e>(engines: &str, axes: &str, known: &[&'e dyn Engine]) -> Result<Sweep<'e>, ScenarioError> {
    Sweep::parse("s.toml", &text(engines, axes), &[], known)
}

fn file(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The files of the results, but for times.
fn results(folder: &Path) -> Vec<Vec<u8>> {
    ["table.csv", "table.parquet", "manifest.toml"]
        .map(|name| std::fs::read(folder.join(name)).unwrap())
        .into()
}

/// What engines must not do: panic, fail, give too few estimates; where the buffer says so.
fn moody(scenario: &alba_scenario::Scenario, wanted: &[Quantity]) -> Result<Vec<Estimate>, CellError> {
    match scenario.model().buffer().limit() {
        Some(3) => panic!("buffer\nof three"),
        Some(4) => Err(CellError::Own("not today".into())),
        Some(5) => Ok(vec![]),
        _ => Ok(wanted.iter().map(|_| Estimate { value: Some(0.5), half_width: Some(0.1) }).collect()),
    }
}

#[test]
fn a_cell_that_fails_is_a_row_and_the_others_go_on() {
    let custom = Custom::new("moody", moody);
    let axes = "[axes]\nsystem.buffer = [0, 1, 2, 3, 4, 5, 6]";
    let sweep = sweep("[\"moody\"]", axes, &[&custom]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let ran = run(&sweep, folder.path(), &Conduct::default()).unwrap();
    assert_eq!((ran.cells, ran.failed), (7, 4));
    let table = file(folder.path(), "table.csv");
    let rows: Vec<&str> = table.lines().collect();
    let columns = "busy,mean_response_time,busy_half_width,mean_response_time_half_width,status,error";
    assert_eq!(rows[0], format!("cell,system.buffer,engine,seed,{columns}"));
    let allowed = "s.toml:25:18: system.buffer = 0 is not allowed: a whole number from 1 to 4294967295, or \"\"infinite\"\"";
    assert_eq!(rows[1], format!("0,0,moody,,,,,,failed,\"{allowed}\""));
    assert_eq!(rows[2], "1,1,moody,1,0.5,0.5,0.1,0.1,ok,");
    assert_eq!(rows[4], "3,3,moody,1,,,,,failed,panicked: buffer; of three");
    assert_eq!(rows[5], "4,4,moody,1,,,,,failed,not today");
    assert_eq!(rows[6], "5,5,moody,1,,,,,failed,0 estimates for 2 measures");
    assert_eq!(rows[7], "6,6,moody,1,0.5,0.5,0.1,0.1,ok,");
}

/// Numbered servers against the exact chain: two servers that start and go cold, seed 1, 40 replications; a half-width is about
/// two standard errors.
#[test]
fn numbered_servers_agree_with_the_exact_chain() {
    let axes = "[axes]\nsystem.servers = [2]\nsystem.buffer = [3]\nrun.horizon = [4000]\nrun.warm_up = [200]\nrun.replications = [40]";
    let text = text("[\"exact\", \"cluster\"]", axes).replace(
        "\"mean_response_time\"]",
        "\"mean_response_time\", \"cold\", \"energy\", \"rejected_fraction\", \"lost_fraction\", \"idle_at_end\", \"p99\"]",
    );
    let sweep = Sweep::parse("s.toml", &text, &[], &ENGINES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&sweep, folder.path(), &Conduct::default()).unwrap().failed, 0);
    let table = Table::read(&folder.path().join("table.csv")).unwrap();
    let numbers = |name: &str| table.numbers(name).unwrap();
    for measure in
        ["busy", "mean_response_time", "cold", "energy", "rejected_fraction", "lost_fraction", "idle_at_end"]
    {
        let (values, half_widths) = (numbers(measure), numbers(&format!("{measure}_half_width")));
        let difference = (values[0].unwrap() - values[1].unwrap()).abs();
        assert!(difference < 2.0 * half_widths[1].unwrap(), "{measure}: {values:?}, {half_widths:?}");
    }
    let p99 = numbers("p99");
    assert!((p99[0].unwrap() - p99[1].unwrap()).abs() < 0.1, "{p99:?}");
}

/// Numbered servers have no central queue, also where they are given policies and a scaling of their own.
#[test]
fn a_central_queue_is_refused_for_numbered_servers() {
    let axes = "[axes]\nscheme = [{ kind = \"central-queue\" }]\ncluster.policies = [[\"random\"]]\ncluster.scaling = [\"tabs\"]";
    let sweep = Sweep::parse("s.toml", &text("[\"cluster\"]", axes), &[], &ENGINES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&sweep, folder.path(), &Conduct::default()).unwrap().failed, 1);
    let table = file(folder.path(), "table.csv");
    assert!(table.contains("alba cluster gives every request to a server at once"), "{table}");
}

#[test]
fn every_engine_agrees_where_they_must() {
    // Two servers that are always warm: the fluid model differs, the chain's engines do not.
    let axes = "[axes]\nsystem.servers = [2]\nsystem.buffer = [3]\nsystem.expiration_rate = [0.0]\ninitial.warm = [[1.0]]\n\
                run.horizon = [2000]\nrun.warm_up = [100]\nrun.replications = [40]";
    let text = text("[\"simulate\", \"exact\", \"fluid\", \"fixed-point\"]", axes);
    let text = text.replace(
        "\"mean_response_time\"]",
        "\"mean_response_time\", \"busy_at_end\", \"p99\", \"fixed_points\"]",
    );
    let sweep = Sweep::parse("s.toml", &text, &[], &ENGINES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&sweep, folder.path(), &Conduct::default()).unwrap().failed, 0);
    let table = Table::read(&folder.path().join("table.csv")).unwrap();
    let numbers = |name: &str| table.numbers(name).unwrap();
    for measure in ["busy", "mean_response_time", "busy_at_end"] {
        let (values, half_widths) = (numbers(measure), numbers(&format!("{measure}_half_width")));
        let value = |engine: usize| values[engine].unwrap();
        // A half-width is about two standard errors; seed 1, 40 replications.
        assert!((value(0) - value(1)).abs() < 2.0 * half_widths[0].unwrap(), "{measure}: {values:?}");
        assert_eq!(half_widths[1..], [None, None, None]);
    }
    // At rest, and long after the start, the fluid model is its fixed point.
    let (busy, response) = (numbers("busy"), numbers("mean_response_time"));
    assert!((busy[2].unwrap() - busy[3].unwrap()).abs() < 1e-6);
    assert!((response[2].unwrap() - response[3].unwrap()).abs() < 1e-6);
    assert_eq!(numbers("busy_at_end")[3], None);
    assert_eq!(numbers("fixed_points"), [None, None, None, Some(1.0)]);
    assert!((numbers("p99")[0].unwrap() - numbers("p99")[1].unwrap()).abs() < 0.05);
}

#[test]
fn averages_of_the_fluid_model_are_integrals() {
    // Every server warm for ever, no job can wait (B = 1), arrivals stop at 5: y' = lambda (1 - y) - y, then y' = -y.
    let axes = "[axes]\nsystem.buffer = [1]\nsystem.expiration_rate = [0.0]\ninitial.warm = [[1.0]]\nrun.warm_up = [0, 3.7]\n\
                scheme.dispatch.d = [1]\nsystem.arrival_rate = [{ steps = [[0, 1.0], [5, 0.0]] }]";
    let sweep = sweep("[\"fluid\"]", axes, &ENGINES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&sweep, folder.path(), &Conduct::default()).unwrap().failed, 0);
    let busy = Table::read(&folder.path().join("table.csv")).unwrap().numbers("busy").unwrap();
    let up = |t: f64| 0.5 * t + 0.25 * (-2.0 * t).exp(); // antiderivative of (1 - e^-2t)/2
    let peak = 0.5 * (1.0 - (-10f64).exp());
    let down = peak * (1.0 - (-15f64).exp());
    for (found, from) in busy.into_iter().zip([0.0, 3.7]) {
        let expected = (up(5.0) - up(from) + down) / (20.0 - from);
        assert!((found.unwrap() - expected).abs() < 1e-6 * expected, "{found:?} {expected}");
    }
}

const MANY: &str = "[axes]\nsystem.arrival_rate = \"0.1..1.5 linear 8\"\nscheme.scaling.theta = [0.01, 0.1]\n[[zip]]\n\
                    system.servers = [5, 50]\nrun.replications = [4, 2]\n[latin_hypercube]\nsamples = 3\nseed = 4\n\
                    [latin_hypercube.axes]\nsystem.buffer = \"1..20 whole\"\nsystem.scaling_rate = \"1e-3..1 log\"";

#[test]
fn the_same_bytes_on_any_number_of_threads_and_shards_and_stops() {
    let sweep = sweep("[\"simulate\", \"fixed-point\"]", MANY, &ENGINES).unwrap();
    assert_eq!(sweep.cells(), 8 * 2 * 2 * 3 * 2);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let on = |threads: usize, name: &str, conduct: &Conduct<'_>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&sweep, &at(name), conduct))
    };
    on(1, "one", &Conduct::default()).unwrap();
    let whole = results(&at("one"));
    for threads in [2, 4] {
        on(threads, "threads", &Conduct { fresh: true, ..Conduct::default() }).unwrap();
        assert!(results(&at("threads")) == whole, "{threads} threads");
    }

    // Stopped after every 20 cells.
    let mut stops = 0;
    loop {
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let watch = |_: &Standing| stop.store(done.fetch_add(1, Ordering::Relaxed) >= 20, Ordering::Relaxed);
        match on(2, "stopped", &Conduct { stop: &stop, watch: &watch, ..Conduct::default() }) {
            Ok(_) => break,
            Err(Error::Stopped { done, cells: 192 }) => assert!(done > 20 * stops),
            Err(error) => panic!("{error}"),
        }
        assert!(!at("stopped").join("table.csv").exists());
        stops += 1;
    }
    assert!(stops > 5);
    assert!(results(&at("stopped")) == whole);

    let shards = [2, 0, 1].map(|index| {
        let shard = Shard::new(index, 3).unwrap();
        on(2, &format!("shard-{index}"), &Conduct { shard, ..Conduct::default() }).unwrap().folder
    });
    let merged = merge(&shards, Some(&at("merged")), folder.path()).unwrap();
    assert_eq!(merged.cells, 192);
    assert!(results(&at("merged")) == whole);
    // A merged sweep is a finished one.
    let again = run(&sweep, &at("merged"), &Conduct::default()).unwrap();
    assert_eq!(again.before, 192);
    let error = merge(&shards[1..], Some(&at("merged")), folder.path()).unwrap_err();
    assert!(error.to_string().starts_with("64 of 192 cells are missing"), "{error}");
}

#[test]
fn torn_and_damaged_lines_are_done_again() {
    let sweep = sweep("[\"simulate\"]", "[axes]\nsystem.servers = \"1..12 step 1\"", &ENGINES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    run(&sweep, folder.path(), &Conduct::default()).unwrap();
    let (whole, journal) = (results(folder.path()), std::fs::read(folder.path().join("journal")).unwrap());
    let header = journal.iter().position(|byte| *byte == b'\n').unwrap();
    let cuts = (0..journal.len()).step_by(397).chain([0, 5, header, header + 1, journal.len() - 1]);
    for cut in cuts {
        std::fs::write(folder.path().join("journal"), &journal[..cut]).unwrap();
        run(&sweep, folder.path(), &Conduct::default()).unwrap();
        assert!(results(folder.path()) == whole, "cut at {cut}");
    }
    for damaged in (header + 2..journal.len()).step_by(611) {
        let mut journal = journal.clone();
        journal[damaged] ^= 1;
        std::fs::write(folder.path().join("journal"), &journal).unwrap();
        run(&sweep, folder.path(), &Conduct::default()).unwrap();
        assert!(results(folder.path()) == whole, "damaged at {damaged}");
    }
    let timings = file(folder.path(), "timings.csv");
    assert_eq!(timings.lines().count(), 13);
    assert!(timings.starts_with("cell,seconds,host,attempts\n0,"));
}

#[test]
fn a_changed_sweep_is_refused_and_says_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let axes = "[axes]\nsystem.servers = [1, 2]";
    let first = sweep("[\"fixed-point\"]", axes, &ENGINES).unwrap();
    run(&first, folder.path(), &Conduct::default()).unwrap();
    let changes = |text: &str, overrides: &[Override]| {
        let sweep = Sweep::parse("s.toml", text, overrides, &ENGINES).unwrap();
        match run(&sweep, folder.path(), &Conduct::default()).unwrap_err() {
            Error::SweepChanged { changes, .. } => changes,
            other => panic!("{other}"),
        }
    };
    let same = text("[\"fixed-point\"]", axes);
    let override_ = Override::parse("system.scaling_rate=0.1").unwrap();
    assert_eq!(changes(&same, &[override_]), ["scenario: system.scaling_rate was 0.05, is 0.1"]);
    let longer = same.replace("[1, 2]", "[1, 2, 3]");
    assert_eq!(changes(&longer, &[]), ["sweep: axes.system.servers was [1, 2], is [1, 2, 3]"]);
    // Spelled differently, it is the same.
    let respelled = same.replace("system.servers = [1, 2]", "\"system.servers\" = [ 1,2 ] # servers");
    let again = Sweep::parse("s.toml", &respelled, &[], &ENGINES).unwrap();
    assert_eq!(run(&again, folder.path(), &Conduct::default()).unwrap().before, 2);
    let other = Sweep::parse("s.toml", &longer, &[], &ENGINES).unwrap();
    let fresh = Conduct { fresh: true, ..Conduct::default() };
    let stopped = Conduct { stop: &AtomicBool::new(true), ..fresh };
    assert!(matches!(run(&other, folder.path(), &stopped), Err(Error::Stopped { done: 0, cells: 3 })));
    assert!(!folder.path().join("table.csv").exists(), "a table of something else");
    assert_eq!(run(&other, folder.path(), &Conduct::default()).unwrap().cells, 3);
}

#[test]
fn another_program_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep("[\"fixed-point\"]", "[axes]\nsystem.servers = [1, 2]", &ENGINES).unwrap();
    run(&sweep, folder.path(), &Conduct::default()).unwrap();
    let journal = file(folder.path(), "journal");
    let header = journal.lines().next().unwrap()[9..].replace(env!("CARGO_PKG_VERSION"), "0.0.1");
    let mut crc = flate2::Crc::new();
    crc.update(header.as_bytes());
    let rest: Vec<&str> = journal.lines().skip(1).collect();
    let old = format!("{:08x} {header}\n{}\n", crc.sum(), rest.join("\n"));
    std::fs::write(folder.path().join("journal"), old).unwrap();
    let error = run(&sweep, folder.path(), &Conduct::default()).unwrap_err();
    assert!(error.to_string().contains("the program's version was 0.0.1, is "), "{error}");
}

#[test]
fn one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let inner = Custom::new("inner", |_: &alba_scenario::Scenario, wanted: &[Quantity]| {
        let sweep = sweep("[\"fixed-point\"]", "", &ENGINES).unwrap();
        let error = run(&sweep, folder.path(), &Conduct::default()).unwrap_err();
        assert!(matches!(error, Error::SweepBusy { .. }), "{error}");
        Ok(vec![Estimate::default(); wanted.len()])
    });
    let outer = sweep("[\"inner\"]", "", &[&inner]).unwrap();
    assert_eq!(run(&outer, folder.path(), &Conduct::default()).unwrap().failed, 0);
}

#[test]
fn what_is_not_a_sweep_is_left_alone() {
    let sweep = sweep("[\"fixed-point\"]", "", &ENGINES).unwrap();
    for manifest in [None, Some("program = \"alba\"\nstudy = \"compare\"")] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("precious"), "mine").unwrap();
        if let Some(manifest) = manifest {
            std::fs::write(folder.path().join("manifest.toml"), manifest).unwrap();
        }
        let fresh = Conduct { fresh: true, ..Conduct::default() };
        assert!(matches!(
            run(&sweep, folder.path(), &fresh),
            Err(Error::Results(alba_compare::Error::NotOurs { .. }))
        ));
        assert!(!folder.path().join("journal").exists());
    }
}

#[test]
fn faults_are_found_before_anything_runs() {
    let fault = |engines: &str, axes: &str| match sweep(engines, axes, &ENGINES) {
        Err(error) => error.to_string(),
        Ok(sweep) => {
            run(&sweep, Path::new("/nonexistent/never"), &Conduct::default()).unwrap_err().to_string()
        }
    };
    let one = "[\"fluid\"]";
    for (engines, axes, expected) in [
        (
            "[]",
            "",
            "s.toml:2:11: engines = [] is not allowed: a list of fluid, fixed-point, simulate, exact, cluster",
        ),
        (
            "[\"fluit\"]",
            "",
            "engines[0] = \"fluit\" is not allowed: one of fluid, fixed-point, simulate, exact, cluster (did you mean fluid?)",
        ),
        ("[\"fluid\", \"fluid\"]", "", "engines[1] = \"fluid\" is not allowed: each once"),
        (
            one,
            "[axes]\nsystem.buffer = 3",
            "s.toml:25:17: system.buffer = 3 is not allowed: a list of values, or a range",
        ),
        (one, "[axes]\nsystem.bufer = [3]", "s.toml:25:8: unknown key system.bufer (did you mean buffer?)"),
        (one, "[axes]\nsystem.buffer = \"1..3 setp 1\"", "\"1..3 setp 1\" is not allowed"),
        (one, "[axis]\nsystem.buffer = [3]", "unknown key axis (did you mean axes?)"),
        (
            one,
            "[axes]\nrun.seed = [1]\n[[zip]]\nrun.seed = [2]",
            "s.toml:27:5: run.seed has two axes: one is enough",
        ),
        (
            one,
            "[[zip]]\nrun.seed = [2]\nrun.samples = [2, 3]",
            "1 values, as the first key of this zip has; here are 2",
        ),
        (
            one,
            "[axes]\nrun.seed = \"1..10000 step 1\"\nrun.samples = \"1..10000 step 1\"",
            "at most 10000000 cells in all",
        ),
        (
            one,
            "[axes]\nsystem.buffer = [0, -1]",
            "no cell of 2 can be computed\ns.toml:25:18: system.buffer = ",
        ),
        (
            one,
            "[latin_hypercube]\nsamples = 0\naxes = { run.seed = \"1..3\" }",
            "latin_hypercube.samples = 0 is not allowed",
        ),
        (one, "[axes]", "axes = [axes] is not allowed: a table of axes"),
    ] {
        let found = fault(engines, axes);
        assert!(found.contains(expected), "{axes}\n{found}");
    }
    let measures = text(one, "").replace("\"busy\"", "\"bussy\"");
    let error = Sweep::parse("s.toml", &measures, &[], &ENGINES).err().unwrap().to_string();
    assert!(
        error.contains(
            "measures[0] = \"bussy\" is not allowed: a measure of these engines (did you mean busy?)"
        ),
        "{error}"
    );
    let measures = text(one, "").replace("\"busy\"", "\"events\"");
    assert!(Sweep::parse("s.toml", &measures, &[], &ENGINES).is_err());
}

#[test]
fn cells_do_not_depend_on_seeds_of_others() {
    let sweep =
        sweep("[\"simulate\"]", "[axes]\nsystem.buffer = [10, 10]\nrun.seed = [1, 2]", &ENGINES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    run(&sweep, folder.path(), &Conduct::default()).unwrap();
    let table = Table::read(&folder.path().join("table.csv")).unwrap();
    let busy = table.numbers("busy").unwrap();
    assert!(busy[0] == busy[2] && busy[1] == busy[3] && busy[0] != busy[1]);
    assert_eq!(table.numbers("seed").unwrap(), [1.0, 2.0, 1.0, 2.0].map(Some));
}

#[test]
fn both_tables_say_the_same() {
    let sweep = sweep(
        "[\"simulate\", \"exact\"]",
        "[axes]\nsystem.servers = [1, 2]\nsystem.buffer = [3, \"infinite\"]",
        &ENGINES,
    )
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    run(&sweep, folder.path(), &Conduct::default()).unwrap();
    let [csv, parquet] =
        ["table.csv", "table.parquet"].map(|name| Table::read(&folder.path().join(name)).unwrap());
    assert_eq!(csv.columns(), parquet.columns());
    assert_eq!(csv.numbers("busy"), parquet.numbers("busy"));
    assert_eq!(csv.numbers("busy_half_width"), parquet.numbers("busy_half_width"));
    let index = csv.columns().iter().position(|name| name == "system.buffer").unwrap();
    assert_eq!(parquet.rows()[2][index], alba_table::Cell::Text("infinite".into()));
}

#[test]
fn a_rehearsal_shows_every_cell() {
    let axes = "[axes]\nsystem.arrival_rate = [0.5, 1.5]\nsystem.buffer = [0, 1, \"infinite\"]";
    let sweep = sweep("[\"fixed-point\"]", axes, &ENGINES).unwrap();
    let mut rows = vec![];
    let rehearsal = rehearse::<Error>(&sweep, Shard::ALL, &mut |row| {
        rows.push(row.clone());
        Ok(())
    })
    .unwrap();
    assert_eq!((rehearsal.cells, rehearsal.bad, rows.len()), (6, 2, 6));
    assert!(rehearsal.timed > 0 && rehearsal.seconds > 0.0);
    assert_eq!(rows[0].len(), rehearsal_columns(&sweep).len());
    let lints: Vec<String> = rehearsal.lints.iter().map(ToString::to_string).collect();
    assert_eq!(lints.len(), 3, "{lints:?}");
    assert!(
        lints[0]
            .starts_with("1 of 6 cells (the first: 5): arrival rate of at least 1 with an infinite buffer")
    );
    assert!(lints[1].starts_with("1 of 6 cells (the first: 4): arrival rate of at least 1: however many"));
    assert!(lints[2].starts_with("2 of 6 cells (the first: 1): buffer = 1 holds"));
}

#[test]
fn usual_measures_are_those_of_every_table() {
    let text = text("[\"fluid\"]", "").replace("measures = [\"busy\", \"mean_response_time\"]\n", "");
    let sweep = Sweep::parse("s.toml", &text, &[], &ENGINES).unwrap();
    let names: Vec<String> = Measure::ALL.iter().map(|measure| measure.name()).collect();
    assert_eq!(sweep.columns()[3..13], names);
}

/// 400 points on "1..3 whole": a third of them each, but for the parts that a boundary cuts.
#[test]
fn whole_numbers_of_a_latin_hypercube_come_equally_often() {
    let axes = "[latin_hypercube]\nsamples = 400\nseed = 1\n[latin_hypercube.axes]\nsystem.servers = \"1..3 whole\"\n\
                system.buffer = \"9..8 whole\"";
    let sweep = sweep("[\"fixed-point\"]", axes, &ENGINES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    run(&sweep, folder.path(), &Conduct::default()).unwrap();
    let table = Table::read(&folder.path().join("table.csv")).unwrap();
    let count = |name: &str, value: f64| {
        table.numbers(name).unwrap().into_iter().filter(|number| *number == Some(value)).count()
    };
    assert!([1.0, 2.0, 3.0].iter().all(|&n| (133..=134).contains(&count("system.servers", n))));
    assert_eq!([8.0, 9.0].map(|n| count("system.buffer", n)), [200, 200]);
}

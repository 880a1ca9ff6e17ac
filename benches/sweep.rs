//! What a cell of `alba sweep` costs beyond its computation: 2000 fixed points through a sweep into a temporary folder (reading
//! keys, journal, tables), and in a bare loop over the same values, by turns, on one thread. Medians. Once with queues without bound,
//! whose fixed points take next to no time, and once with Figure 1's buffer.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench has nobody to report an error to")]

use std::path::Path;
use std::time::Instant;

use alba_fluid::fixed_points;
use alba_model::{
    ArrivalProfile, Buffer, Dispatch, Measure, Model, PowerDraw, Rates, ScalingRule, Scheme, Snapshot,
};
use alba_sweep::{Conduct, ENGINES, Sweep, run};
use alba_table::Table;

const TURNS: usize = 5;
const LOADS: usize = 50;
const THETAS: usize = 40;
const MEASURES: [Measure; 2] = [Measure::Busy, Measure::MeanResponseTime];

fn text(buffer: &str) -> String {
    format!(
        r#"
name = "overhead"
scenario = "figure1.toml"
engines = ["fixed-point"]
measures = ["busy", "mean_response_time"]
[axes]
system.buffer = [{buffer}]
system.arrival_rate = "0.1..0.8 linear {LOADS}"
scheme.scaling.theta = "1e-2..1 log {THETAS}"
"#
    )
}

/// `count` values from `low` to `high`.
fn values(low: f64, high: f64, count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |index| low + (high - low) * index as f64 / (count - 1) as f64)
}

/// The measures of every cell.
fn bare(buffer: Buffer) -> Vec<[Option<f64>; 2]> {
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let power = PowerDraw::default();
    let mut found = vec![];
    for arrival_rate in values(0.1, 0.8, LOADS) {
        for exponent in values(-2.0, 0.0, THETAS) {
            let scaling = ScalingRule::blind(10f64.powf(exponent).min(1.0)).unwrap();
            let scheme = Scheme::asynchronous(Dispatch::power_of_d(2).unwrap(), scaling);
            let arrivals = ArrivalProfile::constant(arrival_rate).unwrap();
            let model = Model::new(arrivals, rates, buffer, scheme).unwrap();
            let point = fixed_points(&model, arrival_rate, 0.7).unwrap().points.swap_remove(0);
            let at = Snapshot { time: 0.0, arrival_rate, state: point.state, inflow: point.inflow };
            found.push(MEASURES.map(|measure| measure.value(&at.with(&power))));
        }
    }
    found
}

/// Cells of the table are those of the bare loop.
fn check(folder: &Path, bare: &[[Option<f64>; 2]]) {
    let table = Table::read(&folder.join("table.csv")).unwrap();
    for (index, measure) in MEASURES.iter().enumerate() {
        let found = table.numbers(&measure.name()).unwrap();
        assert_eq!(found.len(), bare.len());
        for (found, bare) in found.iter().zip(bare) {
            assert!((found.unwrap() - bare[index].unwrap()).abs() < 1e-9, "{found:?} {bare:?}");
        }
    }
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios/overhead.toml");
    for (name, key, buffer) in
        [("infinite", "\"infinite\"", Buffer::Infinite), ("100", "100", Buffer::finite(100).unwrap())]
    {
        let (mut bare_seconds, mut sweep_seconds) = (vec![], vec![]);
        for _ in 0..TURNS {
            let start = Instant::now();
            let found = bare(buffer);
            bare_seconds.push(start.elapsed().as_secs_f64());
            let folder = tempfile::tempdir().unwrap();
            let start = Instant::now();
            let sweep = Sweep::parse(scenarios.to_str().unwrap(), &text(key), &[], &ENGINES).unwrap();
            let ran = pool.install(|| run(&sweep, folder.path(), &Conduct::default())).unwrap();
            sweep_seconds.push(start.elapsed().as_secs_f64());
            assert_eq!((ran.cells, ran.failed), (found.len() as u64, 0));
            check(folder.path(), &found);
        }
        let a_cell = |seconds| median(seconds) / (LOADS * THETAS) as f64 * 1e6;
        let (bare, sweep) = (a_cell(bare_seconds), a_cell(sweep_seconds));
        let (overhead, ratio) = (sweep - bare, sweep / bare);
        println!(
            "buffer {name}: bare {bare:.1} us a cell, sweep {sweep:.1} us, overhead {overhead:.1} us, ratio {ratio:.3}"
        );
    }
}

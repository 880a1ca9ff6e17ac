//! The whole process `alba simulate` on Figure 1's ten runs against the plain loop's ten runs, by turns, in time on the
//! processor: `cargo build --release && cargo bench -p alba-benches --bench process`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench has nobody to report an error to")]

use std::path::Path;
use std::process::{Command, Stdio};

use alba_benches::plain::Plain;

const RUNS: u64 = 10;
const EVENTS: u64 = 1_000_000;
const TURNS: usize = 12;

/// Seconds of processor time of this process, or of the children that it has waited for.
fn processor_time(children: bool) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let first = if children { 13 } else { 11 };
    let ticks: f64 = fields[first..first + 2].iter().map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / 100.0 // Linux counts hundredths for everybody
}

fn main() {
    let folder = std::env::current_exe().unwrap();
    let alba = folder.ancestors().nth(2).unwrap().join("alba");
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios/figure1.toml");
    for (name, join_idle_queue) in [("power-of-2", false), ("jiq", true)] {
        let dispatch = if join_idle_queue {
            "scheme.dispatch={ rule = \"join-idle-queue\" }"
        } else {
            "scheme.dispatch={ rule = \"power-of-d\", d = 2 }"
        };
        let (mut plain, mut process) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..TURNS {
            let start = processor_time(false);
            for seed in 0..RUNS {
                let mut loop_over_counts = Plain::new(join_idle_queue, 1000, seed);
                while loop_over_counts.events < EVENTS {
                    loop_over_counts.step();
                }
                std::hint::black_box(&loop_over_counts);
            }
            plain = plain.min(processor_time(false) - start);
            let start = processor_time(true);
            // Several, because processor time is counted in hundredths of a second.
            for _ in 0..5 {
                let status = Command::new(&alba)
                    .args(["simulate", "--threads", "1", "--set", dispatch])
                    .arg(&scenario)
                    .stdout(Stdio::null())
                    .status();
                assert!(status.unwrap().success(), "{} is needed: cargo build --release", alba.display());
            }
            process = process.min((processor_time(true) - start) / 5.0);
        }
        println!("{name}: plain {plain:.3} s, process {process:.3} s, ratio {:.3}", process / plain);
    }
}

//! The whole process `alba simulate` on Figure 1's ten runs against the plain loop's ten runs, by turns, the fastest
//! of each: `cargo build --release && cargo bench -p alba-benches --bench process`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench has nobody to report an error to")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use alba_benches::plain::Plain;

const RUNS: u64 = 10;
const EVENTS: u64 = 1_000_000;
const TURNS: usize = 20;

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
            let start = Instant::now();
            for seed in 0..RUNS {
                let mut loop_over_counts = Plain::new(join_idle_queue, 1000, seed);
                while loop_over_counts.events < EVENTS {
                    loop_over_counts.step();
                }
                std::hint::black_box(&loop_over_counts);
            }
            plain = plain.min(start.elapsed().as_secs_f64());
            // The first after a pause pays for pages of the program that the system has put aside.
            for _ in 0..3 {
                let start = Instant::now();
                let status = Command::new(&alba)
                    .args(["simulate", "--threads", "1", "--set", dispatch])
                    .arg(&scenario)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                process = process.min(start.elapsed().as_secs_f64());
                assert!(status.unwrap().success(), "{} is needed: cargo build --release", alba.display());
            }
        }
        println!("{name}: plain {plain:.3} s, process {process:.3} s, ratio {:.3}", process / plain);
    }
}

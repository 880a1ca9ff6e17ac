//! Intervals of what is seldom seen: coverage with few expected events, in every engine and kind of table.
//!
//! "Events" are the jobs turned away (or the replications that see a state) that are expected in all replications of an
//! experiment together. Experiments have the seeds from 0 on; a coverage of 93 % has a standard error of 0.6 % with 2000 of
//! them, and 1.8 % with the 200 of the quick versions.

mod chain;
mod numbered;
mod steady;
mod tables;

use alba_ctmc::Estimate;
use alba_model::{Counts, Dispatch, Model, ScalingRule};

use crate::systems::model;

/// Expected events.
const EVENTS: [f64; 5] = [0.3, 1.0, 3.0, 10.0, 100.0];
const EXPERIMENTS: u64 = 2000;
const QUICK: u64 = 200;
/// The coverage asked for; quick versions ask for three standard errors less.
const ASKED: f64 = 0.93;

/// What experiments said of one measure.
#[derive(Clone, Copy, Default)]
struct Covered {
    given: u64,
    covered: u64,
    /// Value 0 with half-width 0.
    nothing: u64,
    widths: f64,
}

impl Covered {
    fn of(estimates: impl IntoIterator<Item = Estimate>, truth: f64) -> Self {
        let mut sum = Self::default();
        for estimate in estimates {
            let Some((value, half_width)) = estimate.value.zip(estimate.half_width) else { continue };
            sum.given += 1;
            sum.covered += u64::from((value - truth).abs() <= half_width);
            sum.nothing += u64::from(half_width == 0.0);
            sum.widths += half_width / truth;
        }
        sum
    }

    fn share(&self) -> f64 {
        self.covered as f64 / self.given as f64
    }

    /// At least what is asked for, up to three standard errors of this many experiments.
    fn check(&self, name: &str, experiments: u64) {
        let share = self.share();
        let width = self.widths / self.given as f64;
        println!("{name}: {:.4} of {} covered, mean half-width {width:.2} of the truth", share, self.given);
        let error = (ASKED * (1.0 - ASKED) / experiments as f64).sqrt();
        let least = if experiments < EXPERIMENTS { ASKED - 3.0 * error } else { ASKED };
        assert!(self.given * 2 >= experiments, "{name}: only {} intervals", self.given);
        assert!(share >= least, "{name}: {share}");
        assert_eq!(self.nothing, 0, "{name}: intervals without width");
    }
}

fn warm(servers: u64) -> Counts {
    Counts { warm: vec![servers], ..Counts::default() }
}

/// M/M/1/B.
fn one_server(load: f64, buffer: u32) -> Model {
    model(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::None, Some(buffer), load, [0.0, 1.0, 0.0])
}

/// The share of time, and of jobs, that M/M/1/B is full.
fn full(load: f64, buffer: u32) -> f64 {
    let weights: Vec<f64> = (0..=buffer).map(|jobs| load.powi(jobs as i32)).collect();
    weights[buffer as usize] / weights.iter().sum::<f64>()
}

/// One server that seldom goes cold, and then loses some forty jobs until it is warm again.
fn slow_cold_start(expiration: f64) -> Model {
    let scaling = ScalingRule::blind(1.0).unwrap();
    model(Dispatch::JOIN_IDLE_QUEUE, scaling, Some(5), 0.7, [0.5, 0.02, expiration])
}

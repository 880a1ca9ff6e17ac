//! Stationary laws of large chains, by sweeps and aggregation.

use crate::ExactError;
use crate::Generator;
use crate::elimination::Rates;

/// The largest relative residual: imbalance of flows, summed, over all flows. Rounding leaves a tenth of it.
const RESIDUAL: f64 = 1e-14;

/// Sweeps go beyond balance by these factors, the second where the first leads nowhere (1.8 does not for two servers with
/// up to 300 jobs; 1.6 takes half to a third of the sweeps of 1).
const RELAXATIONS: [f64; 2] = [1.6, 1.0];

/// Sweeps forth and back between aggregations, which cost half as much. One is too few: an aggregation stirs up what only
/// a few sweeps calm down, and with over-relaxation after every single one the law need not converge.
const SWEEPS: usize = 8;

/// Cycles without a new smallest residual before giving up; ordinary systems take tens in all.
const PATIENCE: usize = 50;

/// States in groups, numbered from 0.
pub(crate) struct Groups {
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

/// A law and how good it is.
pub(crate) struct Law {
    pub(crate) probabilities: Vec<f64>,
    pub(crate) residual: f64,
    pub(crate) cycles: usize,
}

/// The stationary law of an irreducible chain: over-relaxed Gauss-Seidel sweeps, forth and back, even out flows between neighbours;
/// between them, the total probability of every group is set right by solving the chain of groups: of states that differ in
/// what changes fast.
///
/// # Source
/// W. J. Stewart, *Introduction to the Numerical Solution of Markov Chains*, Princeton University Press, 1994, section
/// 6.3 (iterative aggregation and disaggregation, after Koury, McAllister, Stewart and Takahashi).
pub(crate) fn stationary(generator: &Generator, groups: &Groups) -> Result<Law, ExactError> {
    let mut best = f64::INFINITY;
    for relaxation in RELAXATIONS {
        match cycles(generator, groups, relaxation) {
            Ok(law) => return Ok(law),
            Err(residual) => best = best.min(residual),
        }
    }
    Err(ExactError::NotConverged { residual: best, allowed: RESIDUAL })
}

/// The law, or the smallest residual reached.
fn cycles(generator: &Generator, groups: &Groups, relaxation: f64) -> Result<Law, f64> {
    let states = generator.states();
    let mut law = vec![1.0 / states as f64; states];
    let (mut best, mut found) = (f64::INFINITY, 0);
    for cycle in 0.. {
        let residual = aggregate(generator, groups, &mut law);
        if residual <= RESIDUAL {
            return Ok(Law { probabilities: law, residual, cycles: cycle });
        }
        if residual < best {
            (best, found) = (residual, cycle);
        }
        if !residual.is_finite() || cycle - found > PATIENCE {
            break;
        }
        for _ in 0..SWEEPS {
            (0..states).for_each(|state| relax(generator, state, relaxation, &mut law));
            (0..states).rev().for_each(|state| relax(generator, state, relaxation, &mut law));
        }
    }
    Err(best)
}

fn relax(generator: &Generator, state: usize, relaxation: f64, law: &mut [f64]) {
    let exit = generator.exit_rate(state);
    if exit > 0.0 {
        let balance = generator.inflow(state, law) / exit;
        law[state] = (law[state] + relaxation * (balance - law[state])).max(0.0);
    }
}

/// The relative residual of `law`; then, unless that is small enough, sets the probability of every group right.
fn aggregate(generator: &Generator, groups: &Groups, law: &mut [f64]) -> f64 {
    let mut weights = vec![0.0; groups.count];
    for (&group, probability) in groups.of.iter().zip(&*law) {
        weights[group as usize] += probability;
    }
    let mut between = Rates::zero(groups.count);
    let (mut imbalance, mut flows) = (0.0, 0.0);
    for state in 0..generator.states() {
        let to = groups.of[state] as usize;
        let mut inflow = 0.0;
        for (source, rate) in generator.inflows(state) {
            let flow = law[source] * rate;
            inflow += flow;
            let from = groups.of[source] as usize;
            if from != to && weights[from] > 0.0 {
                between.add(from, to, flow / weights[from]);
            }
        }
        let outflow = law[state] * generator.exit_rate(state);
        imbalance += (inflow - outflow).abs();
        flows += outflow;
    }
    let residual = imbalance / flows;
    let total: f64 = weights.iter().sum();
    let corrected = if residual > RESIDUAL { between.stationary() } else { None };
    for (&group, probability) in groups.of.iter().zip(law) {
        let weight = weights[group as usize];
        *probability *= match &corrected {
            Some(corrected) if weight > 0.0 => corrected[group as usize] / weight,
            _ => total.recip(),
        };
    }
    residual
}

/// The residual of any law.
pub(crate) fn residual(generator: &Generator, law: &[f64]) -> f64 {
    let (mut imbalance, mut flows) = (0.0, 0.0);
    for (state, probability) in law.iter().enumerate() {
        let outflow = probability * generator.exit_rate(state);
        imbalance += (generator.inflow(state, law) - outflow).abs();
        flows += outflow;
    }
    if flows > 0.0 { imbalance / flows } else { 0.0 }
}

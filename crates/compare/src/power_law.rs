//! Power laws fitted to estimates.

use alba_ctmc::{Estimate, student_quantile};

/// A power law through estimates, weighted by their relative intervals.
#[derive(Debug)]
pub struct PowerLaw {
    /// The logarithm of the value at 1.
    pub intercept: f64,
    /// The power.
    pub slope: f64,
    /// 95 %, Student t: widened where the points lie further from the law than their intervals explain.
    pub half_width: f64,
    /// Per degree of freedom: about 1 if the law holds.
    pub chi_squared: f64,
    /// Between the last two points alone, and half its 95 % interval: where the law only sets in, nearer to it than `slope`.
    pub last: (f64, f64),
}

impl PowerLaw {
    /// None for fewer than three estimates above zero with an interval.
    pub fn fit(estimates: impl Iterator<Item = (f64, Estimate)>) -> Option<Self> {
        let points: Vec<(f64, f64, f64)> = estimates
            .filter_map(|(n, estimate)| {
                let (value, half_width) = estimate.value.zip(estimate.half_width)?;
                // Half-widths are about two standard errors.
                (value > 0.0 && half_width > 0.0)
                    .then(|| (n.ln(), value.ln(), (2.0 * value / half_width).powi(2)))
            })
            .collect();
        let freedom = points.len().checked_sub(2).filter(|&freedom| freedom > 0)?;
        let total = |of: &dyn Fn(&(f64, f64, f64)) -> f64| points.iter().map(|p| p.2 * of(p)).sum::<f64>();
        let weight = total(&|_| 1.0);
        let (x, y) = (total(&|p| p.0) / weight, total(&|p| p.1) / weight);
        let spread = total(&|p| (p.0 - x).powi(2));
        let slope = total(&|p| (p.0 - x) * (p.1 - y)) / spread;
        let chi_squared = total(&|p| (p.1 - y - slope * (p.0 - x)).powi(2)) / freedom as f64;
        let half_width = student_quantile(freedom as u64 + 1) * (chi_squared.max(1.0) / spread).sqrt();
        let last = points.last_chunk().map(between)?;
        Some(Self { intercept: y - slope * x, slope, half_width, chi_squared, last })
    }

    /// The fitted value at `n`.
    pub fn at(&self, n: f64) -> f64 {
        (self.intercept + self.slope * n.ln()).exp()
    }
}

/// Slope between two points `(x, y, weight)`, where a weight is that of a standard error, and half its 95 % interval.
fn between([a, b]: &[(f64, f64, f64); 2]) -> (f64, f64) {
    let distance = b.0 - a.0;
    ((b.1 - a.1) / distance, 2.0 * (1.0 / a.2 + 1.0 / b.2).sqrt() / distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_again() {
        let law = |n: f64| (n, Estimate { value: Some(3.0 * n.powf(-0.5)), half_width: Some(0.01) });
        let fit = PowerLaw::fit([1e2, 1e3, 1e4, 1e5].map(law).into_iter()).unwrap();
        assert!((fit.slope + 0.5).abs() < 1e-12 && (fit.intercept.exp() - 3.0).abs() < 1e-9);
        assert!(fit.chi_squared < 1e-20 && fit.half_width > 0.0);
        // Relative half-widths of the last two, over the logarithm of 10.
        let relative = |n: f64| 0.01 / (3.0 * n.powf(-0.5));
        let half_width = relative(1e4).hypot(relative(1e5)) / 10f64.ln();
        assert!((fit.last.0 + 0.5).abs() < 1e-12 && (fit.last.1 - half_width).abs() < 1e-12);
        assert!((fit.at(400.0) - 0.15).abs() < 1e-12);
        assert!(PowerLaw::fit([1e2, 1e3].map(law).into_iter()).is_none());
    }
}

//! The ratios that a capacity is divided by, and what share of it they give out.

use crate::{ClusterError, Decimal};
use num_bigint::BigUint;

/// Ratios `r_1, r_2, ...`, each above 1; the last one repeats for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ratios {
    list: Vec<Decimal>,
}

impl Ratios {
    /// The most phases that are looked at: portions halve or shrink faster where ratios are as they should be, and are gone
    /// after 33 phases.
    pub(crate) const MOST_PHASES: usize = 1_000;

    /// From numbers.
    ///
    /// # Errors
    /// [`ClusterError::NoRatios`], [`ClusterError::Ratio`].
    pub fn new(list: Vec<Decimal>) -> Result<Self, ClusterError> {
        if list.is_empty() {
            return Err(ClusterError::NoRatios);
        }
        match list.iter().position(|ratio| !ratio.is_above_one()) {
            Some(index) => Err(ClusterError::Ratio { index: index + 1, ratio: list[index].clone() }),
            None => Ok(Self { list }),
        }
    }

    /// From texts such as "2.5".
    ///
    /// # Errors
    /// [`ClusterError::NotDecimal`]; those of [`Ratios::new`].
    pub fn parse(texts: &[impl AsRef<str>]) -> Result<Self, ClusterError> {
        Self::new(texts.iter().map(|text| text.as_ref().parse()).collect::<Result<_, _>>()?)
    }

    /// All ratios that were given; the last one repeats.
    pub fn list(&self) -> &[Decimal] {
        &self.list
    }

    /// The ratio of `phase`, from 1.
    pub fn ratio(&self, phase: usize) -> &Decimal {
        // Never empty: the constructor sees to it.
        &self.list[phase.saturating_sub(1).min(self.list.len() - 1)]
    }

    /// The share of a capacity that is given out in phases 1 to `phase`: `sum_j prod_{i <= j} 1/r_i`, to rounding.
    ///
    /// # Source
    /// Equation (9).
    pub fn share(&self, phase: usize) -> f64 {
        let portion = |share: &mut f64, phase| {
            *share /= self.ratio(phase).value();
            Some(*share)
        };
        (1..=phase).scan(1.0, portion).sum()
    }

    /// The first phase in which that share is at least `eta`, exactly.
    ///
    /// The paper says to solve (9) for the phase; where no phase solves it exactly, the first one that reaches `eta` is this
    /// project's reading: a server is filled to the desired ratio, or just above, before the next one is started.
    ///
    /// # Errors
    /// [`ClusterError::EtaOutOfReach`] if no phase in which even the largest capacity has a portion reaches it.
    ///
    /// # Source
    /// Equation (9).
    pub fn phase_reaching(&self, eta: &Decimal) -> Result<usize, ClusterError> {
        let (over, under) = (eta.numerator(), eta.denominator());
        let mut share = BigUint::ZERO;
        let mut phases = 0;
        for quotient in self.quotients().take(Self::MOST_PHASES) {
            if quotient.portion(u32::MAX) == 0 {
                break;
            }
            phases += 1;
            // On the common denominator r_1 ... r_j.
            share = share * self.ratio(phases).numerator() + &quotient.over;
            if &share * &under >= &over * &quotient.under {
                return Ok(phases);
            }
        }
        Err(ClusterError::EtaOutOfReach { eta: eta.clone(), phases, reached: self.share(phases) })
    }

    /// `1 / (r_1 ... r_j)` for j = 1, 2, ..., exactly.
    pub(crate) fn quotients(&self) -> impl Iterator<Item = Quotient> + '_ {
        let one = Quotient { over: 1u32.into(), under: 1u32.into() };
        (1..).scan(one, |last, phase| {
            let ratio = self.ratio(phase);
            last.over *= ratio.denominator();
            last.under *= ratio.numerator();
            Some(last.clone())
        })
    }
}

/// An exact positive fraction, not reduced: reducing long ones takes longer than using them.
#[derive(Debug, Clone)]
pub(crate) struct Quotient {
    over: BigUint,
    under: BigUint,
}

impl Quotient {
    /// `floor(capacity * over / under + 1/2)`: one half is rounded up. Below `capacity + 1`, as quotients are below 1.
    pub(crate) fn portion(&self, capacity: u32) -> u32 {
        let twice = &self.over * (2 * u64::from(capacity)) + &self.under;
        let portion = twice / (&self.under * 2u32);
        portion.iter_u32_digits().next().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reaching(ratios: &[&str], eta: &str) -> Result<usize, ClusterError> {
        Ratios::parse(ratios).unwrap().phase_reaching(&eta.parse().unwrap())
    }

    #[test]
    fn equation_9_is_solved_exactly() {
        assert_eq!(reaching(&["2", "2.5", "2"], "0.7"), Ok(2));
        assert_eq!(reaching(&["2", "2.5", "2"], "0.70000000000000000001"), Ok(3));
        assert_eq!(reaching(&["2"], "0.5"), Ok(1));
        assert_eq!(reaching(&["2"], "0.9375"), Ok(4));
        assert_eq!(reaching(&["10", "2"], "0.19"), Ok(5));
        // 1/3 + 1/9 + ...: one half is never reached.
        let error = reaching(&["3"], "0.5").unwrap_err();
        assert!(matches!(error, ClusterError::EtaOutOfReach { phases: 20, .. }), "{error}");
        let ratios = Ratios::parse(&["2", "2.5", "2"]).unwrap();
        assert!((ratios.share(2) - 0.7).abs() < 1e-15 && (ratios.share(60) - 0.9).abs() < 1e-15);
    }

    #[test]
    fn ratios_that_do_not_shrink_are_refused() {
        assert_eq!(Ratios::new(vec![]), Err(ClusterError::NoRatios));
        for ratio in ["1", "0.5", "1.000"] {
            let error = Ratios::parse(&["2", ratio]).unwrap_err();
            assert!(matches!(error, ClusterError::Ratio { index: 2, .. }), "{error}");
        }
    }

    #[test]
    fn halves_are_rounded_up_from_the_exact_quotient() {
        let portions = |ratios: &[&str], capacity| {
            let ratios = Ratios::parse(ratios).unwrap();
            ratios.quotients().take(4).map(|quotient| quotient.portion(capacity)).collect::<Vec<_>>()
        };
        assert_eq!(portions(&["2"], 5), [3, 1, 1, 0]); // 2.5, 1.25, 0.625, 0.3125
        assert_eq!(portions(&["2"], u32::MAX), [1 << 31, 1 << 30, 1 << 29, 1 << 28]);
        // 2 / 4.0000000000000000001 is just below one half, which a double does not see.
        assert_eq!(portions(&["4.0000000000000000001"], 2)[0], 0);
        assert_eq!(portions(&["4"], 2)[0], 1);
    }

    proptest! {
        /// The portion is the whole number nearest to the quotient, checked by multiplication.
        #[test]
        fn a_portion_is_within_one_half(capacity in 1u32.., digits in 1_000_000_001u64..9_000_000_000, phase in 1usize..30) {
            let text = format!("{}.{:09}", digits / 1_000_000_000, digits % 1_000_000_000);
            let ratios = Ratios::parse(&[text]).unwrap();
            let portion = ratios.quotients().nth(phase - 1).unwrap().portion(capacity);
            let (over, under) = (BigUint::from(10u32).pow(9 * phase as u32), BigUint::from(digits).pow(phase as u32));
            let twice = over * (2 * u64::from(capacity));
            prop_assert!(twice < &under * (2 * u64::from(portion) + 1));
            prop_assert!(portion == 0 || &under * (2 * u64::from(portion) - 1) <= twice);
        }
    }
}

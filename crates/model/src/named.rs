//! What rules are called, and their parameters: what scenario files say of them, for those who read and those who write.

use crate::ModelError;

/// Which values a parameter may have.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// Whole numbers.
    Whole {
        /// The least.
        least: u32,
        /// The most.
        most: u32,
    },
    /// Real numbers.
    Real {
        /// Which, in words.
        allowed: &'static str,
        /// Which.
        fits: fn(f64) -> bool,
    },
}

/// A parameter of a rule.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// Its values.
    pub values: Values,
    /// Its value where nothing is said; none: something must be said.
    pub default: Option<f64>,
}

impl Parameter {
    /// A number >= 0.
    pub const fn nonnegative(name: &'static str, default: Option<f64>) -> Self {
        let values = Values::Real { allowed: "a finite number >= 0", fits: |value| value >= 0.0 };
        Self { name, values, default }
    }

    /// The value, if it may be one.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`].
    pub fn check(&self, value: f64) -> Result<f64, ModelError> {
        let (fits, allowed) = match self.values {
            Values::Whole { least, most } => {
                let within = (f64::from(least)..=f64::from(most)).contains(&value);
                (within && value.fract() == 0.0, "a whole number")
            }
            Values::Real { allowed, fits } => (value.is_finite() && fits(value), allowed),
        };
        if fits { Ok(value) } else { Err(ModelError::OutOfRange { name: self.name, value, allowed }) }
    }
}

/// A kind of rule: its name, its parameters, and how it is made of their values.
#[derive(Debug)]
pub struct Kind<R: 'static> {
    /// In scenario files.
    pub name: &'static str,
    /// In the order in which values are given.
    pub parameters: &'static [Parameter],
    /// The rule with such values, one for each parameter.
    pub build: fn(&[f64]) -> Result<R, ModelError>,
}

/// The names of kinds.
pub const fn names<R, const N: usize>(kinds: &[&'static Kind<R>; N]) -> [&'static str; N] {
    let (mut names, mut index) = ([""; N], 0);
    while index < N {
        names[index] = kinds[index].name;
        index += 1;
    }
    names
}

impl<R> Kind<R> {
    /// One without parameters.
    pub const fn bare(name: &'static str, build: fn(&[f64]) -> Result<R, ModelError>) -> Self {
        Self { name, parameters: &[], build }
    }
}

/// What is missing or wrong in what is said of rules: whether `rules` has one of every kind, each is made again of its own values,
/// and every parameter matters. What catalogues are tested by.
///
/// # Errors
/// What is wrong, in words.
pub fn check_catalogue<R: PartialEq + std::fmt::Debug, T: PartialEq>(
    kinds: &[&'static Kind<T>],
    rules: &[R],
    said: impl Fn(&R) -> (&'static Kind<T>, Vec<f64>),
    made: impl Fn(&R) -> T,
) -> Result<(), String> {
    for kind in kinds {
        if !rules.iter().any(|rule| said(rule).0.name == kind.name) {
            return Err(format!("no {} in the catalogue", kind.name));
        }
    }
    for rule in rules {
        let (kind, values) = said(rule);
        if !kinds.iter().any(|known| known.name == kind.name) {
            return Err(format!("{} is in no list", kind.name));
        }
        if values.len() != kind.parameters.len() || (kind.build)(&values).ok() != Some(made(rule)) {
            return Err(format!("{rule:?} is not made of {values:?}"));
        }
        for (index, parameter) in kind.parameters.iter().enumerate() {
            let mut others = [1.0, 2.0, 0.5, 3.0, 0.25, 4.0].into_iter();
            let other = others.find(|&other| other != values[index] && parameter.check(other).is_ok());
            let changed: Vec<f64> = (0..values.len())
                .map(|at| if at == index { other.unwrap_or(f64::NAN) } else { values[at] })
                .collect();
            if (kind.build)(&changed).ok() == Some(made(rule)) {
                return Err(format!("{} of {} makes no difference", parameter.name, kind.name));
            }
        }
    }
    Ok(())
}

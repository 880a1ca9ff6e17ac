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
    pub(crate) const fn nonnegative(name: &'static str, default: Option<f64>) -> Self {
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
pub(crate) const fn names<R, const N: usize>(kinds: &[&'static Kind<R>; N]) -> [&'static str; N] {
    let (mut names, mut index) = ([""; N], 0);
    while index < N {
        names[index] = kinds[index].name;
        index += 1;
    }
    names
}

/// Whether `rules` has one of every kind, each of them made again of its own values, and every parameter matters: for tests.
#[cfg(test)]
pub(crate) fn check_catalogue<R: Clone + PartialEq + std::fmt::Debug>(
    kinds: &[&'static Kind<R>],
    rules: &[R],
    kind: fn(&R) -> &'static Kind<R>,
    values: fn(&R) -> Vec<f64>,
) {
    for one in kinds {
        assert!(rules.iter().any(|rule| kind(rule).name == one.name), "no {} in the catalogue", one.name);
    }
    for rule in rules {
        let (kind, values) = (kind(rule), values(rule));
        assert!(kinds.iter().any(|known| known.name == kind.name), "{} is in no list", kind.name);
        assert_eq!(kind.parameters.len(), values.len(), "{rule:?}");
        assert_eq!(&(kind.build)(&values).unwrap(), rule);
        for (index, parameter) in kind.parameters.iter().enumerate() {
            assert_eq!(parameter.check(values[index]).unwrap(), values[index], "{rule:?}");
            let other =
                [1.0, 2.0, 0.5, 3.0].into_iter().find(|&v| v != values[index] && parameter.check(v).is_ok());
            let mut changed = values.clone();
            changed[index] = other.unwrap();
            assert_ne!(&(kind.build)(&changed).unwrap(), rule, "{} is not used", parameter.name);
        }
    }
}

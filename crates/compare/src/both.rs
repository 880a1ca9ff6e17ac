//! Fluid model and chain side by side.

use crate::answer::time_columns;
use crate::view::{HALF, in_milliseconds, place_of, response_time_columns, unit_of};
use crate::{Error, fluid, percentiles};
use alba_ctmc::{Estimate, Outcome};
use alba_model::{ErlangMixture, Measure};
use alba_scenario::Scenario;
use alba_table::{Column, Schema};

/// What both say at a report time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Both {
    /// In mean service times.
    pub(crate) time: f64,
    pub(crate) arrival_rate: f64,
    /// Of [`Measure::ALL`].
    fluid: Vec<Option<f64>>,
    simulated: Vec<Estimate>,
    replications: u64,
    /// Response times of jobs that arrive then.
    pub(crate) fluid_response: Option<ErlangMixture>,
    simulated_response: Option<ErlangMixture>,
}

impl Both {
    /// At every report time that both have.
    pub(crate) fn all(scenario: &Scenario, simulated: &Outcome) -> Result<Vec<Self>, Error> {
        let trajectory = fluid::solve(scenario)?;
        let pairs = trajectory.snapshots.iter().zip(&simulated.points);
        Ok(pairs
            .map(|(at, point)| Self {
                time: at.time,
                arrival_rate: at.arrival_rate,
                fluid: Measure::ALL.map(|measure| measure.value(&at.with(scenario.power()))).into(),
                simulated: point.estimates.clone(),
                replications: point.replications,
                fluid_response: ErlangMixture::new(&at.inflow.levels),
                simulated_response: point.response_time.clone(),
            })
            .collect())
    }

    pub(crate) fn fluid(&self, measure: Measure) -> Option<f64> {
        *self.fluid.get(place_of(measure)?)?
    }

    pub(crate) fn simulated(&self, measure: Measure) -> Estimate {
        place_of(measure).and_then(|place| self.simulated.get(place)).copied().unwrap_or_default()
    }

    /// With these values and no others.
    #[cfg(test)]
    pub(crate) fn of_values(time: f64, values: &[(Measure, Option<f64>, Estimate)]) -> Self {
        let of = |measure: &Measure| values.iter().find(|value| value.0 == *measure);
        Self {
            time,
            arrival_rate: 0.0,
            fluid: Measure::ALL.iter().map(|measure| of(measure)?.1).collect(),
            simulated: Measure::ALL
                .iter()
                .map(|measure| of(measure).map_or_else(Estimate::default, |of| of.2))
                .collect(),
            replications: 1,
            fluid_response: None,
            simulated_response: None,
        }
    }
}

pub(crate) fn columns(scenario: &Scenario) -> Schema<'_, Both> {
    let measures = Measure::ALL.into_iter().flat_map(|measure| {
        let (name, unit) = (measure.name(), unit_of(measure));
        [
            Column::new(format!("fluid_{name}"), unit, "of the fluid model", move |row: &Both| {
                row.fluid(measure)
            }),
            Column::new(format!("simulated_{name}"), unit, "mean over replications", move |row: &Both| {
                row.simulated(measure).value
            }),
            Column::new(format!("simulated_{name}_half_width"), unit, HALF, move |row: &Both| {
                row.simulated(measure).half_width
            }),
        ]
    });
    let response_time = |row: &Both| row.fluid(Measure::MeanResponseTime);
    Schema::new()
        .columns(time_columns(scenario, |row: &Both| row.time))
        .column("arrival_rate", "per server and service time", "then", |row| row.arrival_rate)
        .columns(measures)
        .column("replications", "", "that reached that time", |row| row.replications)
        .columns(in_milliseconds(scenario, "fluid_mean_response_time", response_time))
        .columns(response_time_columns(scenario, "simulated_", |row: &Both, index: usize| {
            row.simulated.get(index).copied()
        }))
        .columns(percentiles::columns("fluid_", |row: &Both| row.fluid_response.as_ref()))
        .columns(percentiles::columns("simulated_", |row: &Both| row.simulated_response.as_ref()))
}

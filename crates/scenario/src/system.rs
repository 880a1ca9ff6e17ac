//! Reads `[system]`.

use super::arrivals::{self, Surroundings, TraceSource};
use super::files::Files;
use super::section::{Item, Noted, Section};
use super::units::{Clock, seconds};
use alba_model::{ArrivalProfile, Buffer, ModelError, Rates};

/// Servers and what reaches them.
pub(super) struct System {
    pub(super) servers: u64,
    pub(super) mean_service_time_s: Option<f64>,
    pub(super) arrivals: ArrivalProfile,
    pub(super) trace: Option<TraceSource>,
    pub(super) rates: Rates,
    pub(super) buffer: Buffer,
}

const KEYS: &[&str] = &[
    "servers",
    "buffer",
    "arrival_rate",
    "scaling_rate",
    "scaling_interval",
    "initialization_rate",
    "initialization_time",
    "expiration_rate",
    "expiration_time",
    "mean_service_time",
];

/// What other sections are read with, also where the rest of this one is wrong.
pub(super) struct Basis {
    pub(super) clock: Clock,
    pub(super) servers: Result<u64, Noted>,
    pub(super) buffer: Result<Buffer, Noted>,
}

impl Basis {
    /// Where the whole section is wrong.
    const FAULTY: Self = Self { clock: Clock::Faulty, servers: Err(Noted), buffer: Err(Noted) };

    fn read(section: &Section<'_>) -> Self {
        let servers =
            section.find("servers").map_or(Ok(1000), |item| item.count(1..=alba_ctmc::Problem::MOST_SERVERS));
        let buffer = section.find("buffer").map_or(Ok(Buffer::Infinite), |item| buffer(&item));
        let clock = match section.find("mean_service_time").map(|item| service_time(&item)) {
            None => Clock::Unknown,
            Some(Ok(seconds)) => Clock::ServiceTime(seconds),
            Some(Err(Noted)) => Clock::Faulty,
        };
        Self { clock, servers, buffer }
    }
}

/// The section, and its part that others depend on. Only asynchronous schemes need rates of scaling and of expiration.
pub(super) fn read(
    root: &Section<'_>,
    files: Files<'_>,
    asynchronous: bool,
) -> (Basis, Result<System, Noted>) {
    let section = root.need("system", "a table: arrivals and servers").and_then(|item| {
        let section = item.section(KEYS)?;
        Ok((item, section))
    });
    let Ok((item, section)) = section else { return (Basis::FAULTY, Err(Noted)) };
    let basis = Basis::read(&section);
    let system = rest(&item, &section, &basis, files, asynchronous);
    (basis, system)
}

fn rest(
    item: &Item<'_>,
    section: &Section<'_>,
    basis: &Basis,
    files: Files<'_>,
    asynchronous: bool,
) -> Result<System, Noted> {
    let Basis { clock, servers, buffer } = *basis;
    // With a faulty number of servers the other keys are still worth reading: any number serves.
    let total = servers.unwrap_or(1);
    let arrivals = section
        .need("arrival_rate", "jobs per server and service time")
        .and_then(|item| arrivals::read(&item, Surroundings { clock, servers: total, files }));
    let reader = RateReader { section, clock };
    let never = (!asynchronous).then_some(0.0);
    let scaling = reader
        .read("scaling_rate", "scaling_interval", total as f64, never, |rate| Rates::new(rate, 1.0, 0.0));
    let initialization = reader
        .read("initialization_rate", "initialization_time", 1.0, None, |rate| Rates::new(0.0, rate, 0.0));
    let expiration =
        reader.read("expiration_rate", "expiration_time", 1.0, never, |rate| Rates::new(0.0, 1.0, rate));
    let (scaling, initialization, expiration) = (scaling?, initialization?, expiration?);
    let rates =
        Rates::new(scaling, initialization, expiration).map_err(|error| item.reject(error.to_string()))?;
    let (arrivals, trace) = arrivals?;
    let mean_service_time_s = match clock {
        Clock::ServiceTime(seconds) => Some(seconds),
        Clock::Unknown => None,
        Clock::Faulty => return Err(Noted),
    };
    Ok(System { servers: servers?, mean_service_time_s, arrivals, trace, rates, buffer: buffer? })
}

fn buffer(item: &Item<'_>) -> Result<Buffer, Noted> {
    if item.text() == Some("infinite") {
        return Ok(Buffer::Infinite);
    }
    let jobs = item.integer().filter(|jobs| *jobs > 0).and_then(|jobs| u32::try_from(jobs).ok());
    let allowed = format!("a whole number from 1 to {}, or \"infinite\"", u32::MAX);
    jobs.and_then(|jobs| Buffer::finite(jobs).ok()).ok_or_else(|| item.reject(allowed))
}

fn service_time(item: &Item<'_>) -> Result<f64, Noted> {
    let positive = |seconds: &f64| *seconds > 0.0 && seconds.is_finite();
    let allowed = "a time > 0 with a unit (ns, us, ms, s, min, h, d), as in \"250 ms\"";
    item.text().and_then(seconds).filter(positive).ok_or_else(|| item.reject(allowed))
}

/// Reads rates that may be given as a mean time instead.
struct RateReader<'s, 't> {
    section: &'s Section<'t>,
    clock: Clock,
}

impl RateReader<'_, '_> {
    /// The rate at key `rate`, or one over the time at key `time` and over `sharing`, or `otherwise`.
    fn read(
        &self,
        rate: &str,
        time: &str,
        sharing: f64,
        otherwise: Option<f64>,
        check: impl Fn(f64) -> Result<Rates, ModelError>,
    ) -> Result<f64, Noted> {
        let check = |rate| check(rate).map(drop);
        match (self.section.find(rate), self.section.find(time)) {
            (Some(item), None) => item.real(check),
            (None, Some(item)) => {
                let rate_of = |time: f64| 1.0 / (time * sharing);
                let check = |time| above_zero(time).and_then(|()| check(rate_of(time)));
                Ok(rate_of(self.clock.duration(&item, check)?))
            }
            (Some(_), Some(item)) => Err(item.reject(format!("either {rate} or {time}, not both"))),
            (None, None) if otherwise.is_some() => otherwise.ok_or(Noted),
            (None, None) => {
                self.section.need(rate, &format!("per service time; or {time}, a mean time"))?;
                Err(Noted)
            }
        }
    }
}

fn above_zero(value: f64) -> Result<(), ModelError> {
    let error = ModelError::OutOfRange { name: "time", value, allowed: "a finite number > 0" };
    (value > 0.0 && value.is_finite()).then_some(()).ok_or(error)
}

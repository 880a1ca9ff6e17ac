//! Groups of equal servers.

use super::{Around, problem};
use crate::section::{Item, Noted};
use alba_cluster::{ClusterError, Draw, Group, PowerModel};
use alba_model::Buffer;

const ALLOWED: &str =
    "an array of tables: servers singly or in groups, each with count, capacity, speed and others";
const KEYS: &[&str] = &["count", "capacity", "workers", "speed", "weight", "power"];
const POWER: &[&str] = &["off", "initializing", "idle", "busy", "exponent"];
const MOST: u64 = u32::MAX as u64 - 1;

/// All groups; as many servers together as the system has. Their capacity is the buffer's and their power that of `[energy]` where
/// they say nothing else.
pub(super) fn read(item: &Item<'_>, around: Around<'_>) -> Result<Vec<Group>, Noted> {
    let servers = around.servers;
    let groups: Vec<_> = item.elements(ALLOWED)?.iter().map(|item| group(item, around)).collect();
    let groups = groups.into_iter().collect::<Result<Vec<_>, _>>()?;
    let count: u64 = groups.iter().map(|group| u64::from(group.count())).sum();
    match servers {
        Ok(servers) if count != servers => {
            Err(item.reject(format!("as many servers as system.servers says, {servers}; these are {count}")))
        }
        Ok(_) | Err(Noted) => Ok(groups),
    }
}

fn group(item: &Item<'_>, around: Around<'_>) -> Result<Group, Noted> {
    let section = item.section(KEYS)?;
    let count = |key: &str| section.find(key).map_or(Ok(1), |item| item.count(1..=MOST).map(|n| n as u32));
    let real = |key: &str| {
        let check = |value: f64| positive(key, value);
        section.find(key).map_or(Ok(1.0), |item| item.real(check))
    };
    let capacity = match section.find("capacity") {
        None => around.buffer.map(Buffer::limit),
        Some(item) if item.text() == Some("infinite") => Ok(None),
        Some(item) => item.count(1..=MOST).map(|n| Some(n as u32)),
    };
    let of_all = || problem::draw(&around.power).map_err(|error| item.reject(error.to_string()));
    let draw = section.find("power").map_or_else(of_all, |item| draw(&item));
    let (number, workers) = (count("count"), count("workers"));
    let (speed, weight) = (real("speed"), real("weight"));
    let build =
        |number, workers, speed, weight, capacity: Option<u32>, draw| -> Result<Group, ClusterError> {
            let group = Group::new(number)?.with_workers(workers)?.with_speed(speed)?.with_weight(weight)?;
            let group = group.with_draw(draw);
            capacity.map_or(Ok(group.clone()), |capacity| group.with_capacity(capacity))
        };
    build(number?, workers?, speed?, weight?, capacity?, draw?)
        .map_err(|error| item.reject(error.to_string()))
}

fn positive(name: &str, value: f64) -> Result<(), alba_model::ModelError> {
    let name = if name == "speed" { "speed" } else { "weight" };
    let outside = alba_model::ModelError::OutOfRange { name, value, allowed: "a finite number > 0" };
    (value > 0.0 && value.is_finite()).then_some(()).ok_or(outside)
}

/// Power of an idle and of a busy server are needed; one that initializes draws as much as a busy one.
fn draw(item: &Item<'_>) -> Result<Draw, Noted> {
    let section = item.section(POWER)?;
    let number = |key: &str| {
        section.find(key).map(|item| {
            let check = |power| alba_model::PowerDraw::new(power, 0.0, 0.0, 0.0).map(drop);
            item.real(check)
        })
    };
    let need =
        |key: &str| section.need(key, "power, a number >= 0").and_then(|_| number(key).unwrap_or(Err(Noted)));
    let (idle, busy) = (need("idle"), need("busy"));
    let (off, exponent) = (number("off").unwrap_or(Ok(0.0)), number("exponent").unwrap_or(Ok(1.0)));
    let initializing = number("initializing").transpose();
    let (idle, busy, off, exponent) = (idle?, busy?, off?, exponent?);
    let initializing = initializing?.unwrap_or(busy);
    PowerModel::new(idle, busy, exponent)
        .and_then(|warm| Draw::new(off, initializing, warm))
        .map_err(|error| item.reject(error.to_string()))
}

//! Reads `[scheme]`.

use super::section::{Item, Noted, Section};
use alba_model::{Dispatch, ScalingRule, Scheme};

/// Whether the scheme of a scenario has scaling times, as far as it says.
pub(super) fn is_asynchronous(root: &Section<'_>) -> bool {
    let kind = root.at(&["scheme", "kind"]);
    kind.is_none_or(|kind| kind.text().is_none_or(|kind| kind == Scheme::KINDS[0]))
}

pub(super) fn read(item: &Item<'_>) -> Result<Scheme, Noted> {
    let section = item.section(&["kind", "d", "dispatch", "scaling"])?;
    let kind = section.find("kind").map_or(Ok(0), |item| item.name(&Scheme::KINDS))?;
    match Scheme::KINDS[kind] {
        "asynchronous" => {
            let unused = unused(&section, "asynchronous schemes have no such parameter", &["d"]);
            let scheme = asynchronous(&section)?;
            unused.map(|()| scheme)
        }
        "tabs" => {
            unused(&section, "tabs has no such parameter", &["dispatch", "scaling"])?;
            let Some(item) = section.find("d") else {
                return Scheme::tabs(1).map_err(|error| item.reject(error.to_string()));
            };
            let d = item.count(1..=1_000_000)? as u32;
            Scheme::tabs(d).map_err(|error| item.reject(error.to_string()))
        }
        "central-queue" => {
            unused(&section, "a central queue has no such parameter", &["d", "dispatch", "scaling"])?;
            Ok(Scheme::CentralQueue)
        }
        _ => Err(item.reject("a scheme that scenario files can name")),
    }
}

fn asynchronous(section: &Section<'_>) -> Result<Scheme, Noted> {
    let dispatch =
        section.need("dispatch", "a table: rule, and its parameters").and_then(|item| dispatch(&item));
    let scaling =
        section.need("scaling", "a table: rule, and its parameters").and_then(|item| scaling(&item));
    Ok(Scheme::asynchronous(dispatch?, scaling?))
}

fn dispatch(item: &Item<'_>) -> Result<Dispatch, Noted> {
    let section = item.section(&["rule", "d"])?;
    let rule = rule(&section, &Dispatch::NAMES)?;
    let d = || -> Result<(u32, Item<'_>), Noted> {
        let item = section.need("d", &format!("a whole number, as {rule} needs it"))?;
        let d = item.count(u64::from(rule == Dispatch::NAMES[0])..=1_000_000)?;
        Ok((d as u32, item))
    };
    match rule {
        "power-of-d" => {
            let (d, item) = d()?;
            Dispatch::power_of_d(d).map_err(|error| item.reject(error.to_string()))
        }
        "join-below-threshold" => Ok(Dispatch::join_below_threshold(d()?.0)),
        "join-idle-queue" => unused(&section, &without(rule), &["d"]).map(|()| Dispatch::JOIN_IDLE_QUEUE),
        _ => Err(item.reject("a rule that scenario files can name")),
    }
}

fn scaling(item: &Item<'_>) -> Result<ScalingRule, Noted> {
    let section = item.section(&["rule", "theta", "gain", "exponent"])?;
    let rule = rule(&section, &ScalingRule::NAMES)?;
    let gain = || {
        let check = |gain| ScalingRule::rate_idle(gain, 1.0).map(drop);
        section.find("gain").map_or(Ok(1.0), |item| item.real(check))
    };
    let built = match rule {
        "blind" => {
            unused(&section, &without(rule), &["gain", "exponent"])?;
            let theta = section.need("theta", "a number in (0, 1], as blind needs it")?;
            ScalingRule::blind(theta.real(|theta| ScalingRule::blind(theta).map(drop))?)
        }
        "rate-idle" => {
            let check = |exponent| ScalingRule::rate_idle(1.0, exponent).map(drop);
            let exponent = section.find("exponent").map_or(Ok(1.0), |item| item.real(check));
            let unused = unused(&section, &without(rule), &["theta"]);
            let (gain, exponent, ()) = (gain()?, exponent?, unused?);
            ScalingRule::rate_idle(gain, exponent)
        }
        "warm-shortage" => {
            unused(&section, &without(rule), &["theta", "exponent"])?;
            ScalingRule::warm_shortage(gain()?)
        }
        "capacity-shortage" => {
            unused(&section, &without(rule), &["theta", "exponent"])?;
            ScalingRule::capacity_shortage(gain()?)
        }
        "none" => {
            unused(&section, &without(rule), &["theta", "gain", "exponent"])?;
            Ok(ScalingRule::None)
        }
        _ => return Err(item.reject("a rule that scenario files can name")),
    };
    built.map_err(|error| item.reject(error.to_string()))
}

fn rule(section: &Section<'_>, names: &'static [&'static str]) -> Result<&'static str, Noted> {
    let item = section.need("rule", &format!("one of {}", names.join(", ")))?;
    item.name(names).map(|index| names[index])
}

fn without(rule: &str) -> String {
    format!("the rule {rule} has no such parameter")
}

/// Notes `parameters` that are there but have no meaning.
fn unused(section: &Section<'_>, why: &str, parameters: &[&str]) -> Result<(), Noted> {
    let mut result = Ok(());
    for item in parameters.iter().filter_map(|key| section.find(key)) {
        result = Err(item.reject(why));
    }
    result
}

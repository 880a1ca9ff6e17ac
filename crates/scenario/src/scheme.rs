//! Reads `[scheme]`.

use super::rules::{build, read as rule, unused};
use super::section::{Item, Noted, Section};
use alba_model::{Dispatch, Kind, Parameter, PowerOfD, ScalingRule, Scheme};

/// TABS, with what it reads beside the kind.
const TABS: Kind<Scheme> = Kind {
    name: "tabs",
    parameters: &[Parameter { default: Some(1.0), ..PowerOfD::D }],
    build: |values| Scheme::tabs(values[0] as u32),
};

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
            build(item, &section, &TABS, &|_| String::new())
        }
        "central-queue" => {
            unused(&section, "a central queue has no such parameter", &["d", "dispatch", "scaling"])?;
            Ok(Scheme::CentralQueue)
        }
        _ => Err(item.reject("a scheme that scenario files can name")),
    }
}

fn asynchronous(section: &Section<'_>) -> Result<Scheme, Noted> {
    let table = |key| section.need(key, "a table: rule, and its parameters");
    let dispatch = table("dispatch").and_then(|item| rule(&item, &Dispatch::KINDS, &Dispatch::NAMES));
    let scaling = table("scaling").and_then(|item| rule(&item, &ScalingRule::KINDS, &ScalingRule::NAMES));
    Ok(Scheme::asynchronous(dispatch?, scaling?))
}

"""RESULTS.md from what was measured: medians, ratios, whether peers simulate the same thing, what they can express."""

import statistics
import sys
import tomllib
from importlib import metadata
from pathlib import Path

MANIFEST = Path(__file__).resolve().parent.parent.parent / "Cargo.toml"

# Standard errors within which a peer's means have to lie: about one in 4,000 sets of four is outside by chance.
SAME = 4.0


def line(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(header, rows):
    return "\n".join([line(header), line(["---"] * len(header)), *map(line, rows)])


def text(*, chain, fluid, fluid_failure, alba_version, alba_events, machine, rounds, seconds):
    """The whole file."""
    own = [run for result in chain for run in result["alba"]]
    own_clock = [run for result in chain for run in result["alba_clock"]]
    rows = [
        line_of_alba(alba_version, own, own_clock, alba_events),
        *[line_of_peer(result, alba_events) for result in chain],
    ]
    header = ["program", "version", "runs measured", "start-up, s", "ten runs, s", "times alba", "ns an event", "the same system?"]
    parts = [
        "# Results",
        f"Made by `benchmarks/peers/run.sh` in {seconds / 60:.0f} minutes. Processor: {machine}. Python {sys.version.split()[0]}.",
        "## The chain: Figure 1, ten runs",
        "Power-of-2 + Blind, N = 1000, ten runs to t = 690. Seconds are processor seconds (user and system) of whole processes with their "
        f"children on one thread, which other load on the machine hardly changes; medians of {rounds} turns, alba and the peer one after the "
        "other. alba reports all its measures with intervals at 200 times along the way; the peers report the end. Where fewer or shorter "
        "runs were measured, ten are start-up plus the rest in proportion to events. ns an event: without start-up (alba: with it), scaling "
        "times at which no server starts not counted.",
        table(header, rows),
        verdict_chain(chain, alba_events),
        "*The same system?* The largest distance of the peer's mean cold, initializing, idle servers and jobs per server at the end from the "
        f"means of 400 other runs of alba, in standard errors of the difference; within {SAME:g} is yes.",
        "## The fluid model: Figure 1, t to 400",
        "400 outputs, B = 100; absolute and relative tolerance as given. alba, diffsol and ode_solvers: medians of the bench "
        "`solvers`, compiled into one process; BDF with the derivative in closed form. scipy with a drift compiled by numba, in its own process, "
        "imports and compilation not counted. Error: the largest difference from alba's curve at tighter tolerances in cold servers or jobs per "
        "server at the 400 times (jobs weigh errors of levels by their number). JIQ: the peers have an `if` in the drift, as one codes it first; "
        "alba locates the moments at which the idle servers run out and come back. Who does not get through is given up: scipy after some "
        "seconds, the others after some evaluations of the drift.",
        fluid_table(fluid),
        fluid_failure,
        verdict_fluid(fluid),
        "## What each can and cannot express",
        table(["program", "can", "cannot"], [[r["peer"].name, r["peer"].can, r["peer"].cannot] for r in chain] + SOLVERS),
        "alba: the schemes of its scenario files, nothing else; any N and B, intervals, time averages, response time percentiles, traces as arrival "
        "rates, and the fluid model from the same file.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


SOLVERS = [
    ["scipy solve_ivp", "any right-hand side", "a discontinuous one, unless one locates and chooses its regimes oneself with events; mean field has to be derived by hand"],
    ["diffsol", "any right-hand side in Rust or its own language, implicit and explicit methods, roots as stops", "as scipy"],
    ["ode_solvers", "any right-hand side in Rust", "as scipy, and no implicit method; calls the smooth curve stiff at tight tolerances unless that check is off"],
]


def line_of_alba(version, own, clock, events):
    if not own:
        return ["**alba**", version, "", "", "not measured", "", "", ""]
    median = statistics.median(own)
    ten = f"**{median:.3f}** ({statistics.median(clock):.3f} on the clock)"
    return ["**alba**", version, "10 to t = 690", "in the total", ten, "1", f"{median / events * 1e9:.1f}", ""]


def ten_runs(result, alba_events):
    """Seconds, and whether they are scaled."""
    took, whole = statistics.median(result["processor"]), result["events"] / alba_events
    if whole > 0.999:
        return took, False
    return result["start"] + max(took - result["start"], 0.0) / whole, True


def ratio(result, alba_events):
    return ten_runs(result, alba_events)[0] / statistics.median(result["alba"])


def line_of_peer(result, alba_events):
    peer = result["peer"]
    measured = f"{peer.runs} to t = {peer.horizon:g}"
    if not result["processor"]:
        return [peer.name, result["version"], measured, "", result["failure"], "", "", ""]
    seconds, scaled = ten_runs(result, alba_events)
    took = statistics.median(result["processor"])
    an_event = max(took - result["start"], 0.0) / result["events"] * 1e9
    name, worst = max(result["scores"].items(), key=lambda item: abs(item[1]))
    verdict = "yes" if abs(worst) < SAME else "**no**"
    ten = f"{seconds:.3g}" + (" (scaled)" if scaled else f" ({statistics.median(result['clock']):.3g} on the clock)")
    same = f"{verdict}: {name} {worst:+.1f}, of {result['ends']} run{'s' if result['ends'] > 1 else ''}"
    return [peer.name, result["version"], measured, f"{result['start']:.2g}", ten, f"{ratio(result, alba_events):.1f}", f"{an_event:.0f}", same]


def verdict_chain(chain, alba_events):
    """Whether alba is ahead on every line."""
    ratios = {result["peer"].name: ratio(result, alba_events) for result in chain if result["processor"]}
    return verdict(ratios, len(chain) - len(ratios))


def verdict(ratios, missing):
    """Of peers' times over alba's."""
    if not ratios:
        return "No peer could be measured."
    without = f" ({missing} not measured)" if missing else ""
    behind = {name: value for name, value in ratios.items() if value <= 1.0}
    if behind:
        lines = "; ".join(f"{name} takes {value:.2f} times alba's time" for name, value in behind.items())
        return f"**alba is behind on {len(behind)} of {len(ratios)} lines**{without}: {lines}."
    nearest = min(ratios, key=ratios.get)
    return f"**alba is ahead on all {len(ratios)} lines**{without}; the nearest, {nearest}, takes {ratios[nearest]:.1f} times as long."


TOLERANCES = [1e-6, 1e-10]
SYSTEMS = ["power_of_2", "jiq"]
# Off by more than this the curve is not the curve.
WRONG = 0.01


def fluid_cells(fluid):
    """By solver: cells of both systems at both tolerances, by (system, tolerance): seconds or None, and words."""
    found = {}
    for one in fluid:
        system, name = one["solver"].split("/", 1)
        seconds, words = None, one["outcome"]
        if words == "done" and one["error"] > WRONG:
            words = f"wrong by {one['error']:.2g}"
        elif words == "done":
            seconds = one["seconds"]
            words = f"{1e3 * seconds:.3g} (error {one['error']:.0e})"
        found.setdefault(name, {})[system, one["tolerance"]] = (seconds, words)
    return found


def fluid_table(fluid):
    columns = [(system, tolerance) for system in SYSTEMS for tolerance in TOLERANCES]
    names = {"power_of_2": "Power-of-2", "jiq": "JIQ"}
    header = ["solver", "version"] + [f"{names[system]}, {tolerance:.0e}, ms" for system, tolerance in columns]
    rows = []
    for name, cells in fluid_cells(fluid).items():
        words = [cells.get(column, (None, "not tried"))[1] for column in columns]
        rows.append([f"**{name}**" if name == "alba" else name, solver_version(name), *words])
    return table(header, rows)


def solver_version(name):
    """Of Python's packages as installed; of Rust's as pinned in the workspace."""
    if name.startswith("scipy"):
        return metadata.version("scipy")
    manifest = tomllib.loads(MANIFEST.read_text())["workspace"]
    dependency = manifest["dependencies"].get(name.split()[0])
    if dependency is None:
        return manifest["package"]["version"]
    return dependency if isinstance(dependency, str) else dependency["version"]


def verdict_fluid(fluid):
    """Whether alba is ahead of everyone who finishes, at every tolerance."""
    found = fluid_cells(fluid)
    own = found.pop("alba", None)
    if own is None:
        return "alba itself was not measured: the bench `solvers` was left out."
    ratios, unfinished = {}, 0
    for name, cells in found.items():
        for (system, tolerance), (seconds, _) in cells.items():
            if seconds is None:
                unfinished += 1
            else:
                ratios[f"{name} on {system} at {tolerance:.0e}"] = seconds / own[system, tolerance][0]
    ends = f" {unfinished} attempts end with no curve or a wrong one." if unfinished else ""
    return verdict(ratios, 0) + ends

#!/usr/bin/env python3
"""Whether two programs print the same: over a hundred commands on every subcommand, format, engine, scenario and kind of error.

    tests/same_bytes.py store FOLDER [ALBA]    what ALBA (default: target/release/alba) prints and writes, a folder a command
    tests/same_bytes.py compare FOLDER FOLDER  the commands whose output differs, and where; exit code 1 if there are any

Times, checksums of the program and temporary paths are left out: the rest is kept to the byte, or, of large files, as their hash.
"""

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURE = "scenarios/figure1.toml"
SHORT = "--set run.horizon=20 --set run.samples=4 --set run.replications=5"
SMALL = f"{SHORT} --set system.servers=40 --set system.buffer=8"
FEW = "--set system.servers=3 --set system.buffer=3 --set run.horizon=10 --set run.samples=4"
MARK = 20_000

SCENARIOS = [
    "figure1", "jiq-rate-idle", "tabs", "azure-functions", "azure-functions-scaled", "nasa-day", "optimality",
    "converge-smooth", "converge-sliding", "converge-saturated", "async-vs-sync", "web-cluster", "aws-lambda", "arbitrators",
]
RULES = {
    "jiq-blind": "scheme.dispatch={rule='join-idle-queue'}",
    "jbt-1": "scheme.dispatch={rule='join-below-threshold',d=1}",
    "power-of-3": "scheme.dispatch={rule='power-of-d',d=3}",
    "rate-idle": "scheme.scaling={rule='rate-idle',gain=1.0,exponent=2.0}",
    "none": "scheme.scaling={rule='none'}",
    "warm-shortage": "scheme.scaling={rule='warm-shortage',gain=0.4}",
    "capacity-shortage": "scheme.scaling={rule='capacity-shortage',gain=1}",
}
FAULTS = {
    "unknown-key": "system.sevrers=3", "negative": "system.arrival_rate=-1", "theta": "scheme.scaling.theta=2",
    "mass": "initial.warm=[0.9,0.2]", "horizon": "run.horizon=0", "rule": "scheme.dispatch.rule=nearest", "text": "system.buffer=many",
    "unit": "system.initialization_time=400ms", "precision": "run.precision=-1%", "servers": "system.servers=0",
}


def commands():
    """Name and words of each."""
    for name in SCENARIOS:
        yield f"fluid-{name}", f"fluid scenarios/{name}.toml --set run.samples=4 --levels 2"
        yield f"fixed-point-{name}", f"fixed-point scenarios/{name}.toml"
        cluster = "[cluster]" in (ROOT / "scenarios" / f"{name}.toml").read_text()
        if cluster:
            yield f"cluster-{name}", f"cluster scenarios/{name}.toml --set run.replications=2"
        else:
            yield f"summary-{name}", f"simulate scenarios/{name}.toml --summary --set run.replications=2 --set system.servers=30"
    for name, rule in RULES.items():
        change = f'--set "{rule}"'
        yield f"fluid-rule-{name}", f"fluid {FIGURE} {change} --set run.samples=5"
        yield f"switches-{name}", f"fluid {FIGURE} {change} --events"
        yield f"simulate-rule-{name}", f"simulate {FIGURE} {change} {SMALL}"
        yield f"exact-rule-{name}", f"exact {FIGURE} {change} {FEW}"
        yield f"stationary-rule-{name}", f"exact {FIGURE} {change} {FEW} --stationary"
        yield f"fixed-point-rule-{name}", f"fixed-point {FIGURE} {change} --refine 100,1000"
    for shape in ["json", "parquet", "csv"]:
        yield f"fluid-{shape}", f"fluid {FIGURE} {SHORT} --format {shape} --output out.{shape}"
        yield f"simulate-{shape}", f"simulate {FIGURE} {SMALL} --format {shape} --output out.{shape}"
    yield "simulate-paths", f"simulate {FIGURE} {SMALL} --paths --levels 2"
    yield "simulate-summary-json", f"simulate {FIGURE} {SMALL} --summary --format json"
    yield "simulate-threads", f"simulate {FIGURE} {SMALL} --threads 1 --seed 9"
    yield "simulate-precision", f"simulate {FIGURE} {SMALL} --summary --set run.precision=5%"
    yield "simulate-precision-table", f"simulate {FIGURE} {SMALL} --set 'run.precision={{mean_response_time=\"5 %\"}}'"
    yield "simulate-steady", f"simulate {FIGURE} --steady-state --set run.horizon=3000 --set system.servers=20"
    yield "simulate-steady-short", f"simulate {FIGURE} --steady-state --set run.horizon=30 --set system.servers=20"
    yield "simulate-max-events", f"simulate {FIGURE} {SMALL} --set run.max_events=500"
    yield "simulate-units", "simulate scenarios/azure-functions.toml --unit servers --set run.samples=3 --set run.replications=2"
    yield "central-queue", f"simulate {FIGURE} {SMALL} --set scheme={{kind='central-queue'}}"
    yield "central-queue-exact", f"exact {FIGURE} {FEW} --set scheme={{kind='central-queue'}}"
    yield "tabs-2", f"simulate scenarios/tabs.toml {SHORT} --set scheme.d=2 --set system.servers=50"
    yield "continue", f"fixed-point {FIGURE} --continue system.arrival_rate=0.1..0.9 --steps 8"
    yield "compare", f"compare {FIGURE} {SHORT}"
    yield "compare-two", f"compare {FIGURE} scenarios/jiq-rate-idle.toml {SHORT} --format json"
    yield "compare-arbitrators", f"compare --arbitrators scenarios/arbitrators.toml {SHORT} --set run.horizon=60"
    yield "converge", "converge scenarios/converge-smooth.toml --servers 10,20 --path-servers 10,100 --set run.replications=40"
    yield "sweep", "sweep scenarios/sweeps/small.toml"
    yield "sweep-engines", "sweep engines.toml"
    yield "sweep-shards", "sweep scenarios/sweeps/small.toml --shard 0/2"
    yield "plot", "plot results-of/table.csv --x system.servers --y busy --by engine"
    yield "plot-missing", "plot results-of/table.csv --x nothing --y busy"
    yield "partition", "partition --capacity 2000,1500,1000 --ratios 2,2.5,2 --format markdown"
    yield "partition-csv", "partition --capacity 1500,1500 --ratios 2,5,2"
    yield "partition-bad", "partition --capacity 10 --ratios 0.5"
    yield "figures-phase-partition", "figures phase-partition"
    yield "figures-figure1", f"figures figure1 {SHORT}"
    yield "figures-unknown", "figures figure2"
    yield "new", "new"
    yield "new-trace", "new --trace scenarios/traces/nasa-day.csv --mean-service-time 250ms"
    yield "trace", "trace scenarios/traces/nasa-day.csv --interval 1h --format json"
    yield "trace-azure", "trace scenarios/traces/azure-functions.csv"
    for name, fault in FAULTS.items():
        yield f"fault-{name}", f'simulate {FIGURE} --set "{fault}"'
    yield "missing-file", "fluid nowhere.toml"
    yield "not-toml", "fluid README.md"
    yield "unknown-option", "fluid --frobnicate"
    for name in ["", "fluid", "simulate", "exact", "fixed-point", "compare", "cluster", "sweep", "plot", "converge", "new", "trace", "figures"]:
        yield f"help-{name or 'alba'}", f"{name} --help"


SWEEP = """name = "engines"
engines = ["fluid", "fixed-point", "simulate", "exact", "cluster"]
measures = ["busy", "mean_response_time", "rejected_fraction", "busy_at_end", "p99", "waiting_probability", "states", "events", "stable"]
[scenario]
name = "small"
system = { buffer = 3, arrival_rate = 0.7, scaling_rate = 0.05, initialization_rate = 0.1, expiration_rate = 0.025 }
scheme = { dispatch = { rule = "power-of-d", d = 2 }, scaling = { rule = "blind", theta = 0.06 } }
initial = { warm = [0.7] }
run = { horizon = 10, samples = 2, replications = 4 }
[axes]
system.servers = [2, 3]
scheme.scaling.theta = [0.1, 0.5, 2.0]
"""
TABLE = "engine,system.servers,busy,busy_half_width\na,10,0.5,0.1\na,20,0.6,0.1\nb,10,0.4,0.05\nb,20,0.5,0.02\n"


def cleaned(text, folder):
    """Without what differs between two runs of one program."""
    text = text.replace(str(folder), "FOLDER")
    text = re.sub(r"\b\d+(\.\d+)? ?(ns|us|ms|s|min|h)\b(?= (left|of|for|on|in all|a cell))", "TIME", text)
    text = re.sub(r"(?m)^(seconds|took|wall).*$", "TIME", text)
    return text


def store(target, program):
    """Runs all commands, each in a folder of its own."""
    shutil.rmtree(target, ignore_errors=True)
    for name, line in commands():
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            shutil.copytree(ROOT / "scenarios", folder / "scenarios")
            (folder / "README.md").write_text("no scenario\n")
            (folder / "engines.toml").write_text(SWEEP)
            (folder / "results-of").mkdir()
            (folder / "results-of/table.csv").write_text(TABLE)
            before = {path for path in folder.rglob("*") if path.is_file()}
            ran = subprocess.run(f"{program} {line}", shell=True, cwd=folder, capture_output=True, check=False)
            found = target / name
            found.mkdir(parents=True)
            (found / "stdout").write_bytes(ran.stdout)
            (found / "stderr").write_text(cleaned(ran.stderr.decode(), folder))
            (found / "code").write_text(f"{ran.returncode}\n")
            for path in sorted(set(path for path in folder.rglob("*") if path.is_file()) - before):
                keep(path, found / "files" / path.relative_to(folder), folder)
        print(f"{name}: {ran.returncode}", flush=True)


def keep(path, target, folder):
    """A small text as it is without times, anything else as its hash."""
    target.parent.mkdir(parents=True, exist_ok=True)
    data = path.read_bytes()
    if path.name in ("timings.csv", "journal"):  # times, and the order in which threads were done
        target.write_text("varies\n")
    elif len(data) > MARK or b"\0" in data:
        target.write_text(hashlib.sha256(data).hexdigest() + "\n")
    else:
        target.write_text(cleaned(data.decode(), folder))


def compare(one, other):
    """Prints what differs."""
    files = lambda top: {path.relative_to(top) for path in top.rglob("*") if path.is_file()}
    left, right = files(one), files(other)
    differing = sorted(left ^ right) + sorted(path for path in left & right if (one / path).read_bytes() != (other / path).read_bytes())
    for path in differing:
        print(path)
    print(f"{len(list(one.iterdir()))} commands, {len(left | right)} files, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["store", folder, *program]:
            store(pathlib.Path(folder), pathlib.Path(*program).resolve() if program else ROOT / "target/release/alba")
        case ["compare", one, other]:
            sys.exit(compare(pathlib.Path(one), pathlib.Path(other)))
        case _:
            sys.exit(__doc__)

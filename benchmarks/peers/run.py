"""Figure 1 in other programs, side by side with alba; writes ../RESULTS.md.   ./run.sh [--help]"""

import argparse
import csv
import io
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import report
from peers import peers

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIGURE_1 = str(ROOT / "scenarios" / "figure1.toml")
RUNS, HORIZON = 10, 690.0
# By the bench `solvers`.
LEFT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "criterion" / "solvers.jsonl"
# Runs of alba that a peer's ends are compared with.
REFERENCE_RUNS = 400
COLUMNS = ["cold", "initializing", "idle", "jobs_per_server"]


@dataclass
class Run:
    """Of a whole process: its output, processor seconds with all its children, seconds on the clock; or why there is none."""

    output: str = ""
    processor: float = 0.0
    clock: float = 0.0
    failure: str | None = None


def run(command, limit):
    """Runs a program to its end, `limit` seconds on the clock at most."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    one_thread = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, cwd=HERE, env=one_thread, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return Run(failure=f"took longer than {limit:g} s")
    except OSError as error:
        return Run(failure=str(error))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Run(failure=f"failed: {last}")
    return Run(done.stdout, used, time.perf_counter() - began)


class Alba:
    """The program whose peers these are."""

    def __init__(self, program):
        self.program = program
        self.events = {}
        self.references = {}

    def table(self, subcommand, *arguments):
        """Rows of a table that alba prints, as dictionaries."""
        done = run([self.program, subcommand, FIGURE_1, "--quiet", *arguments], 600.0)
        if done.failure:
            sys.exit(f"alba {subcommand}: {done.failure}")
        return list(csv.DictReader(io.StringIO(done.output))), done

    def timed(self, seed):
        """Figure 1's ten runs on one thread."""
        return self.table("simulate", "--threads", "1", "--seed", str(seed))[1]

    def events_a_run(self, horizon):
        """Without scaling times at which nothing is started: the peers leave these out."""
        if horizon not in self.events:
            rows, _ = self.table("simulate", "--summary", *self.until(horizon, 100))
            row = rows[0]
            self.events[horizon] = (int(row["events"]) - int(row["idle_scalings"])) / int(row["replications"])
        return self.events[horizon]

    def reference(self, horizon):
        """Mean, standard deviation and count of every column at the horizon."""
        if horizon not in self.references:
            rows, _ = self.table("simulate", "--paths", "--seed", "99", *self.until(horizon, REFERENCE_RUNS))
            ends = [[float(row[column]) for column in COLUMNS] for row in rows if float(row["time"]) == horizon]
            columns = list(zip(*ends))
            self.references[horizon] = [(statistics.mean(c), statistics.stdev(c), len(c)) for c in columns]
        return self.references[horizon]

    @staticmethod
    def until(horizon, replications):
        return ["--set", f"run.horizon={horizon}", "--set", "run.samples=1", "--set", f"run.replications={replications}"]


def scores(ends, reference):
    """How many standard errors a peer's mean ends are from alba's, by column; alba's spread serves for both."""
    found = {}
    for name, values, (mean, spread, count) in zip(COLUMNS, zip(*ends), reference):
        error = spread * (1.0 / len(values) + 1.0 / count) ** 0.5
        found[name] = (statistics.mean(values) - mean) / error
    return found


def version(package):
    if package is None:
        return run(["g++", "-dumpfullversion"], 10.0).output.strip() or "no g++"
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def measure_chain(alba, limit, rounds, built):
    """A result a peer: alba and the peer take turns."""
    results = []
    for peer in peers(sys.executable, built):
        result = {"peer": peer, "version": version(peer.package), "processor": [], "clock": [], "alba": [], "alba_clock": []}
        start = run([*peer.command, "1", "0.001", "1"], limit)
        result["start"], result["failure"] = start.processor, start.failure
        ends = []
        for turn in range(rounds if start.failure is None else 0):
            own = alba.timed(turn + 1)
            done = run([*peer.command, str(peer.runs), str(peer.horizon), str(turn + 1)], limit)
            result["failure"] = result["failure"] or done.failure
            if done.failure:
                break
            result["alba"].append(own.processor)
            result["alba_clock"].append(own.clock)
            result["processor"].append(done.processor)
            result["clock"].append(done.clock)
            ends += [[float(word) for word in line.split()] for line in done.output.splitlines()]
        if ends:
            result["scores"] = scores(ends, alba.reference(peer.horizon))
            result["ends"] = len(ends)
            result["events"] = peer.runs * alba.events_a_run(peer.horizon)
        results.append(result)
        print(f"{peer.name}: {result['failure'] or [round(t, 2) for t in result['processor']]}", file=sys.stderr)
    return results


def measure_fluid(alba, limit, folder):
    """JSON lines of fluid_scipy.py."""
    references = []
    for rule in ["{ rule = 'power-of-d', d = 2 }", "{ rule = 'join-idle-queue' }"]:
        file = Path(folder) / f"fluid{len(references)}.csv"
        horizon = ["--set", "run.horizon=400", "--set", "run.samples=400", "--set", f"scheme.dispatch={rule}"]
        alba.table("fluid", *horizon, "--output", str(file))
        references.append(str(file))
    done = run([sys.executable, "fluid_scipy.py", *references, str(limit)], 120.0 * limit)
    if done.failure:
        return [], f"scipy: {done.failure}"
    return [json.loads(line) for line in done.output.splitlines()], None


def measure_compiled():
    """Runs the bench `solvers`, which has alba, diffsol and ode_solvers in one process."""
    bench = ["cargo", "bench", "-p", "alba-benches", "--bench", "solvers"]
    subprocess.run(bench, cwd=ROOT, check=True, stdout=sys.stderr)
    return compiled_results()


def compiled_results():
    """What it left: attempts as fluid_scipy.py has them."""
    return [json.loads(line) for line in LEFT.read_text().splitlines()]


def processor():
    """Its name, where the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"


def details():
    """What /proc/cpuinfo says beside a name, which virtual machines may hide."""
    try:
        text = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    fields = dict(line.split(":", 1) for line in text if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    return ", ".join(f"{key} {fields[key]}" for key in ["cpu family", "model", "cpu MHz", "cache size"] if key in fields)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--alba", default=str(ROOT / "target" / "release" / "alba"), help="program to measure")
    options.add_argument("--rounds", type=int, default=3, help="times that alba and a peer take turns")
    options.add_argument("--limit", type=float, default=120.0, help="seconds that a peer may take for its runs")
    options.add_argument("--fluid-limit", type=float, default=10.0, help="processor seconds for a solver of scipy; the bench `solvers` has a limit of its own")
    options.add_argument("--bench", choices=["run", "read", "skip"], default="run", help="the Rust bench `solvers`: run it, read what it left, or leave it out")
    options.add_argument("--output", default=str(HERE.parent / "RESULTS.md"))
    chosen = options.parse_args()
    if chosen.bench == "read" and not LEFT.exists():
        options.error(f"--bench read: there is no {LEFT}")
    alba = Alba(str(Path(chosen.alba).resolve()))
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as built:
        source, program = str(HERE / "servers.cpp"), f"{built}/servers"
        compiled = run(["g++", "-O3", "-march=native", "-o", program, source], 120.0)
        if compiled.failure:
            print(f"C++: {compiled.failure}", file=sys.stderr)
        chain = measure_chain(alba, chosen.limit, chosen.rounds, built)
        fluid, fluid_failure = measure_fluid(alba, chosen.fluid_limit, built)
    compiled = {"run": measure_compiled, "read": compiled_results, "skip": list}[chosen.bench]()
    text = report.text(
        chain=chain,
        fluid=compiled + fluid,
        fluid_failure=fluid_failure,
        alba_version=run([alba.program, "--version"], 10.0).output.strip(),
        alba_events=RUNS * alba.events_a_run(HORIZON),
        machine=f"{processor()} ({details()}), {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        rounds=chosen.rounds,
        seconds=time.perf_counter() - began,
    )
    temporary = Path(chosen.output + ".tmp")
    temporary.write_text(text)
    temporary.replace(chosen.output)
    print(text)


if __name__ == "__main__":
    main()

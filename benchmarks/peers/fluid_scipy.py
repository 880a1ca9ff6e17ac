"""scipy's solvers on the fluid model, a component a level.   fluid_scipy.py REFERENCE.csv JIQ_REFERENCE.csv SECONDS

Figure 1 to t = 400, 400 outputs, B = 100: Power-of-2, and JIQ the naive way, with an if for the idle pool. Prints a JSON
line an attempt: median seconds, evaluations, and the largest difference from the reference in cold and in jobs per server.
An attempt that takes longer than SECONDS of processor time is given up.
"""

import csv
import json
import sys
import time

import numba
import numpy
from figure1 import ALPHA, BETA, BUFFER, COLD, GAMMA, IDLE, LAMBDA, SERVERS, THETA
from scipy.integrate import solve_ivp

HORIZON, SAMPLES, REPEATS = 400.0, 400, 5


def finish(warm, joining, x):
    """The drift, given the rate at which jobs join servers with i jobs."""
    dx = numpy.zeros(BUFFER + 3)
    dx[0] = GAMMA * warm[0] - ALPHA * THETA
    dx[1] = ALPHA * THETA - BETA * x[1]
    dx[2:-1] += warm[1:] - joining[:-1]
    dx[3:] += joining[:-1] - warm[1:]
    dx[2] += BETA * x[1] - GAMMA * warm[0]
    return dx


def power_of_2(t, x):
    warm = x[2:]
    above = numpy.zeros(BUFFER + 2)
    above[:-1] = numpy.cumsum(warm[::-1])[::-1]
    return finish(warm, LAMBDA * (above[:-1] ** 2 - above[1:] ** 2) / above[0] ** 2, x)


def join_idle_queue(t, x):
    warm = x[2:]
    if warm[0] > 0.0:
        joining = numpy.zeros(BUFFER + 1)
        joining[0] = LAMBDA
    else:
        joining = LAMBDA * warm / numpy.sum(warm)
    return finish(warm, joining, x)


finish = numba.njit(finish)


class TooSlow(Exception):
    """Given up."""


def attempt(drift, method, tolerance, seconds):
    """The solution; or how far it came."""
    began, reached, calls = time.process_time(), 0.0, 0

    def watched(t, x):
        nonlocal reached, calls
        reached, calls = max(reached, t), calls + 1
        if calls % 1000 == 0 and time.process_time() - began > seconds:
            raise TooSlow
        return drift(t, x)

    start = numpy.zeros(BUFFER + 3)
    start[0], start[2] = COLD / SERVERS, IDLE / SERVERS
    times = numpy.linspace(0.0, HORIZON, SAMPLES + 1)
    try:
        found = solve_ivp(watched, (0.0, HORIZON), start, method, times, rtol=tolerance, atol=tolerance)
    except TooSlow:
        return {"outcome": f"given up after {seconds:g} s at t = {reached:.3g}", "evaluations": calls}
    if not found.success:
        return {"outcome": f"stopped at t = {reached:.3g}: {found.message}", "evaluations": calls}
    return {"outcome": "done", "seconds": time.process_time() - began, "evaluations": calls, "states": found.y}


def error(states, reference):
    with open(reference, newline="") as file:
        rows = list(csv.DictReader(file))
    cold = numpy.array([float(row["cold"]) for row in rows])
    jobs = numpy.array([float(row["jobs_per_server"]) for row in rows])
    levels = numpy.arange(BUFFER + 1)
    return max(numpy.abs(states[0] - cold).max(), numpy.abs(levels @ states[2:] - jobs).max())


def measure(name, drift, method, tolerance, seconds, reference):
    tries = [attempt(drift, method, tolerance, seconds)]
    while tries[-1]["outcome"] == "done" and len(tries) < REPEATS and tries[0]["seconds"] < seconds / 10:
        tries.append(attempt(drift, method, tolerance, seconds))
    result = tries[-1]
    states = result.pop("states", None)
    if states is not None:
        result["seconds"] = float(numpy.median([one["seconds"] for one in tries]))
        result["error"] = float(error(states, reference))
    print(json.dumps({"solver": name, "tolerance": tolerance, **result}), flush=True)


def main():
    references, seconds = dict(power_of_2=sys.argv[1], jiq=sys.argv[2]), float(sys.argv[3])
    compiled = {"power_of_2": numba.njit(power_of_2), "jiq": numba.njit(join_idle_queue)}
    for drift in compiled.values():
        drift(0.0, numpy.full(BUFFER + 3, 0.01))
    for system, drift in compiled.items():
        for method in ["LSODA", "RK45", "DOP853", "BDF", "Radau"]:
            for tolerance in [1e-6, 1e-10]:
                measure(f"{system}/scipy {method}, numba", drift, method, tolerance, seconds, references[system])


main()

"""Fixed point, bias V and covariance W of ALBA with Power-of-2 and Blind, by the Python package rmftool.

An oracle for alba_fluid::Refinement that shares no code with it: the model is a list of transitions and rates, derivatives
are symbolic (sympy). Figure 1's parameters, but a buffer of ten jobs. To make refined.csv again, ten seconds:

    python3 -m venv /tmp/rmftool && /tmp/rmftool/bin/pip install rmftool numpy scipy sympy matplotlib
    /tmp/rmftool/bin/python tests/oracle/rmftool/refined.py > tests/oracle/rmftool/refined.csv

rmftool 0.5 does not ask for the packages that it needs. Rows: coordinate, fixed point, V, W of the coordinate with itself;
the last row is jobs per server.
"""

import numpy as np
import rmftool

ARRIVAL, SCALING, INITIALIZATION, EXPIRATION = 0.7, 0.05, 0.1, 0.025
THETA, BUFFER = 0.06, 10
COLD, INITIALIZING, WARM = 0, 1, 2
SIZE = WARM + BUFFER + 1


def move(source, target):
    change = np.zeros(SIZE)
    change[source] -= 1
    change[target] += 1
    return change


def arrival(level):
    """Both of two warm servers hold at least `level` jobs, but not both more."""

    def rate(x):
        tail = [sum(x[WARM + j] for j in range(i, BUFFER + 1)) for i in (0, level, level + 1)]
        return ARRIVAL * ((tail[1] / tail[0]) ** 2 - (tail[2] / tail[0]) ** 2)

    return rate


def model():
    system = rmftool.DDPP()
    for level in range(BUFFER):
        system.add_transition(move(WARM + level, WARM + level + 1), arrival(level))
        system.add_transition(
            move(WARM + level + 1, WARM + level), lambda x, level=level: x[WARM + level + 1]
        )
    system.add_transition(move(COLD, INITIALIZING), lambda x: SCALING * THETA)
    system.add_transition(move(INITIALIZING, WARM), lambda x: INITIALIZATION * x[INITIALIZING])
    system.add_transition(move(WARM, COLD), lambda x: EXPIRATION * x[WARM])
    start = np.zeros(SIZE)
    start[COLD], start[WARM] = 0.3, 0.7
    system.set_initial_state(start)
    return system


def main():
    point, bias, (_, covariance) = model().meanFieldExpansionSteadyState(order=1)
    jobs = np.array([0, 0] + list(range(BUFFER + 1)), dtype=float)
    names = ["cold", "initializing"] + [f"warm_{level}" for level in range(BUFFER + 1)]
    rows = [(name, point[row], bias[row], covariance[row, row]) for row, name in enumerate(names)]
    rows.append(("jobs_per_server", jobs @ point, jobs @ bias, jobs @ covariance @ jobs))
    print("coordinate,fixed_point,bias,variance")
    for name, *values in rows:
        print(",".join([name] + [repr(float(value)) for value in values]))


main()

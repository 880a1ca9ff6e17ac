"""rmftool: density-dependent population processes.   chain_rmftool.py RUNS HORIZON SEED"""

import random
import sys

import numpy
import rmftool
from figure1 import ALPHA, BETA, COLD, GAMMA, IDLE, LAMBDA, LEVELS, SERVERS, THETA

runs, horizon, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
SIZE = LEVELS + 3
process = rmftool.DDPP()


def add(changes, rate):
    move = numpy.zeros(SIZE)
    for coordinate, change in changes.items():
        move[coordinate] = change
    process.add_transition(move, rate)


# Coordinates: cold, initializing, tails y_0 to y_LEVELS, in fractions of servers.
add({0: -1, 1: 1}, lambda x: ALPHA * THETA * (x[0] > 0.5 / SERVERS))
add({1: -1, 2: 1}, lambda x: BETA * x[1])
add({2: -1, 0: 1}, lambda x: GAMMA * (x[2] - x[3]))
for i in range(LEVELS):
    add({3 + i: 1}, lambda x, y=2 + i: LAMBDA * (x[y] ** 2 - x[y + 1] ** 2) / x[2] ** 2)
for i in range(1, LEVELS + 1):
    add({2 + i: -1}, lambda x, y=2 + i: x[y] - (x[y + 1] if y + 1 < SIZE else 0.0))
start = numpy.zeros(SIZE)
start[0], start[2] = COLD / SERVERS, IDLE / SERVERS
process.set_initial_state(start)
random.seed(seed)
for run in range(runs):
    times, states = process.simulate(SERVERS, time=horizon)
    # The last state may lie beyond the horizon.
    end = states[numpy.searchsorted(times, horizon, side="right") - 1]
    print(end[0], end[1], end[2] - end[3], end[3:].sum())

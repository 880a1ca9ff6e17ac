"""The chain over counts in plain Python with numpy, as one writes it first; numba compiles the same function."""

import numpy
from figure1 import ALPHA, BETA, BUFFER, COLD, GAMMA, IDLE, LAMBDA, SERVERS, THETA


def simulate(horizon, seed):
    """Cold, initializing, and warm servers by jobs at the horizon."""
    numpy.random.seed(seed)
    cold, starting = COLD, 0
    warm = numpy.zeros(BUFFER + 1, dtype=numpy.int64)
    warm[0] = IDLE
    time = 0.0
    while True:
        servers = SERVERS - cold - starting
        busy = servers - warm[0]
        starts = ALPHA * THETA * SERVERS if cold > 0 else 0.0
        rates = LAMBDA * SERVERS, float(busy), starts, BETA * starting, GAMMA * warm[0]
        rate = rates[0] + rates[1] + rates[2] + rates[3] + rates[4]
        time += numpy.random.exponential() / rate
        if time > horizon:
            return cold, starting, warm
        event = numpy.random.random() * rate
        if event < rates[0]:
            if servers > 0:
                # The shorter of two queues: the smaller of two ranks, emptiest servers first.
                rank = servers * min(numpy.random.random(), numpy.random.random())
                level = 0
                while rank >= warm[level]:
                    rank -= warm[level]
                    level += 1
                if level < BUFFER:
                    warm[level] -= 1
                    warm[level + 1] += 1
        elif event < rates[0] + rates[1]:
            rank = event - rates[0]
            level = 1
            while rank >= warm[level] and level < BUFFER:
                rank -= warm[level]
                level += 1
            warm[level] -= 1
            warm[level - 1] += 1
        elif event < rates[0] + rates[1] + rates[2]:
            cold -= 1
            starting += 1
        elif event < rates[0] + rates[1] + rates[2] + rates[3]:
            starting -= 1
            warm[0] += 1
        else:
            warm[0] -= 1
            cold += 1


def run_all(simulate, runs, horizon, seed):
    """A line a run."""
    for run in range(runs):
        cold, starting, warm = simulate(horizon, 1000 * seed + run)
        jobs = warm @ numpy.arange(BUFFER + 1)
        print(cold / SERVERS, starting / SERVERS, warm[0] / SERVERS, jobs / SERVERS)

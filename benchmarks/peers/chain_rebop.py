"""rebop: chemical reactions, Gillespie's method in Rust.   chain_rebop.py RUNS HORIZON SEED"""

import sys

import rebop
from figure1 import LEVELS, reactions, report, species

runs, horizon, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
system = rebop.Gillespie()
for rate, reactants, products in reactions():
    system.add_reaction(rate, reactants, products)
for run in range(runs):
    end = system.run(species(), horizon, 1, rng=1000 * seed + run).isel(time=-1)
    report(float(end["cold"]), float(end["starting"]), [float(end[f"y{i}"]) for i in range(LEVELS + 1)])

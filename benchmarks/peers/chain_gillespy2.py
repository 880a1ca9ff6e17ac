"""GillesPy2: chemical reactions, compiled to C++ for this model.   chain_gillespy2.py RUNS HORIZON SEED"""

import sys
from collections import Counter

import numpy
from figure1 import LEVELS, reactions, report, species
from gillespy2 import Model, Reaction, SSACSolver, Species, TimeSpan

runs, horizon, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
model = Model(name="figure1")
model.add_species([Species(name=name, initial_value=count) for name, count in species().items()])
for index, (rate, reactants, products) in enumerate(reactions()):
    # A number is a rate for each of the reactants.
    law = rate if isinstance(rate, str) else f"{rate} * {reactants[0]}"
    model.add_reaction(
        Reaction(name=f"r{index}", propensity_function=law, reactants=Counter(reactants), products=Counter(products))
    )
model.timespan(TimeSpan(numpy.array([0.0, horizon])))
for run in model.run(solver=SSACSolver(model), number_of_trajectories=runs, seed=1000 * seed + 1):
    report(run["cold"][-1], run["starting"][-1], [run[f"y{i}"][-1] for i in range(LEVELS + 1)])

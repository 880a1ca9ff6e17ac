"""Who is measured on the chain, how much of the work each gets, and what each can express."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """A program that prints a line a run: fractions cold, initializing, idle, and jobs per server at the horizon."""

    name: str
    # RUNS HORIZON SEED are appended.
    command: tuple
    # Of Figure 1's ten runs to t = 690, where all would take minutes.
    runs: int
    horizon: float
    # Package whose version is printed; None: the C++ compiler's.
    package: str | None
    can: str
    cannot: str


def peers(python, built):
    """With the environment's interpreter and the folder of the C++ program."""
    reactions = "any network of reactions with expressions as rates; levels listed one by one (20 of them here, alba has 100)"
    return [
        Peer(
            "C++, a server at a time (g++ -O3)", (f"{built}/servers",), 10, 690.0, None,
            "whatever one writes: other service laws, policies that know servers",
            "nothing is there: intervals, time averages, response times, more cores, other rules, fluid model",
        ),
        Peer(
            "numba, counts", (python, "chain_numba.py"), 10, 690.0, "numba",
            "whatever one writes",
            "as C++; compiled anew at every start unless cached",
        ),
        Peer(
            "numpy, counts, plain Python", (python, "chain_numpy.py"), 1, 345.0, "numpy",
            "whatever one writes",
            "as C++; a thousand servers at most in practice",
        ),
        Peer(
            "GillesPy2 (C++ solver)", (python, "chain_gillespy2.py"), 4, 690.0, "gillespy2",
            reactions + "; also tau-leaping, hybrid and ODE solvers",
            "a rule with an if, such as JIQ, but by tricks (y / (y + 1e-9)); infinite buffers; response times; averages along paths; it compiles for every model",
        ),
        Peer(
            "rebop", (python, "chain_rebop.py"), 4, 690.0, "rebop",
            reactions,
            "as GillesPy2, and no ODE",
        ),
        Peer(
            "rmftool", (python, "chain_rmftool.py"), 1, 60.0, "rmftool",
            "any rates as Python functions, levels one by one; mean field and its refinement from the same model",
            "discontinuous rates in the mean field; infinite buffers; response times; replications and intervals; it keeps every state of a path",
        ),
    ]

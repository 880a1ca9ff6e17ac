"""numba: the plain loop, compiled when it is first called.   chain_numba.py RUNS HORIZON SEED"""

import sys

import numba
from counts import run_all, simulate

run_all(numba.njit(simulate), int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))

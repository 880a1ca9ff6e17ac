"""Plain Python with numpy.   chain_numpy.py RUNS HORIZON SEED"""

import sys

from counts import run_all, simulate

run_all(simulate, int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))

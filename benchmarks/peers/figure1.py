"""Figure 1's system, for all peers: Power-of-2 and Blind."""

LAMBDA, ALPHA, BETA, GAMMA, THETA = 0.7, 0.05, 0.1, 0.025, 0.06
SERVERS = 1000
COLD, IDLE = 300, 700
BUFFER = 100
# Peers that list every reaction get fewer levels, which costs them less; nobody queues that long here.
LEVELS = 20


def reactions():
    """(rate, species that go, species that come) in cold, initializing, and tails: y_i servers have i jobs or more.

    Tails keep rates short: Power-of-2 sends y_i^2 - y_(i+1)^2 over y_0^2 of all jobs to servers with i.
    """
    tails = [f"y{i}" for i in range(LEVELS + 1)]
    yield f"{ALPHA * THETA * SERVERS} * cold / (cold + 1e-9)", ["cold"], ["starting"]
    yield BETA, ["starting"], ["y0"]
    yield f"{GAMMA} * (y0 - y1)", ["y0"], ["cold"]
    for i in range(LEVELS):
        here, above = tails[i], tails[i + 1]
        yield f"{LAMBDA * SERVERS} * ({here} * {here} - {above} * {above}) / (y0 * y0)", [], [above]
    for i in range(1, LEVELS + 1):
        above = f" - {tails[i + 1]}" if i < LEVELS else ""
        yield f"{tails[i]}{above}", [tails[i]], []


def species():
    """Their numbers at the start."""
    return {"cold": COLD, "starting": 0, "y0": IDLE} | {f"y{i}": 0 for i in range(1, LEVELS + 1)}


def report(cold, starting, tails):
    """A line a run, in fractions of servers: cold, initializing, idle, and jobs per server."""
    print(cold / SERVERS, starting / SERVERS, (tails[0] - tails[1]) / SERVERS, sum(tails[1:]) / SERVERS)

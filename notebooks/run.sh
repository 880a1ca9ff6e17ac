#!/usr/bin/env bash
# Executes the notebooks.
#
#   notebooks/run.sh           on results/, and keeps their outputs
#   notebooks/run.sh --quick   on results that it makes itself with few replications, and keeps nothing
#
# ALBA is the program that makes them (target/debug/alba unless set). Needs Python 3.11 or later.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(dirname "$here")"
target="${CARGO_TARGET_DIR:-$root/target}"
alba="${ALBA:-$target/debug/alba}"
environment="$target/notebooks-venv"

[ -x "$environment/bin/python" ] || python3 -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"

if [ "${1:-}" != "--quick" ]; then
    exec "$environment/bin/python" "$here/run.py" "$here"
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
scenarios="$root/scenarios"
"$alba" converge "$scenarios"/converge-{smooth,saturated,sliding}.toml --servers 30,100,300 --path-servers 100,1000,10000 \
    --measures cold,busy,jobs_per_server,mean_response_time --set run.replications=500 --set run.max_replications=5000 --quiet --output slopes.csv
# Twelve cells instead of 78.
sed -e "s|\"\.\./|\"$scenarios/|" -e 's/1e-3\.\.1 log 13/1e-3..1 log 4/' -e 's/\["30 s".*\]/["30 s", "2 min", "10 min"]/' \
    "$scenarios/sweeps/azure-theta-expiry.toml" >sweep.toml
"$alba" sweep sweep.toml --quiet
# Without scenarios/traces here, the days of real traffic are left out.
"$alba" figures arbitrators --set run.replications=1 --set run.horizon=300 --set run.warm_up=100 --quiet
"$alba" compare --arbitrators "$scenarios/arbitrators.toml" --set run.replications=4 --set run.horizon=400 --quiet --output arbitrators.csv
"$alba" compare "$scenarios"/azure-functions{,-scaled}.toml --set run.replications=2 --quiet --output day.csv
ALBA_RESULTS="$work/results" "$environment/bin/python" "$here/run.py" "$work/executed"

#!/usr/bin/env bash
# Figure 1 in other programs, side by side with alba: ./run.sh writes ../RESULTS.md. Needs Python 3.11 or later, g++ and the network.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
target="${CARGO_TARGET_DIR:-$here/../../target}"
environment="$target/peers-venv"

# Help needs nothing installed.
case " $* " in
*" --help "* | *" -h "*) exec python3 "$here/run.py" --help ;;
esac

# Copies, not links: GillesPy2 calls the interpreter by its real path and would miss the environment's packages.
[ -x "$environment/bin/python" ] || python3 -m venv --copies "$environment"
# One by one: a peer that cannot be installed is a row that says so.
grep -v '^#' "$here/requirements.txt" | while read -r package; do
    "$environment/bin/pip" install --quiet --disable-pip-version-check "$package" || echo "not installed: $package" >&2
done

case " $* " in
*" --alba "*) ;;
*)
    cargo build --release --locked --manifest-path "$here/../../Cargo.toml"
    set -- --alba "$target/release/alba" "$@"
    ;;
esac
cd "$here"
exec "$environment/bin/python" run.py "$@"

#!/usr/bin/env bash
# usage: run-oracle.sh BUNDLE... : the NumPy oracle on bundles, in an environment of its own with the pinned packages.
# Where Python or its packages are not to be had it says so and ends with 0; FUZZQE_PYTHON names one that has them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { echo "skipped: the NumPy oracle: $*"; exit 0; }

python=${FUZZQE_PYTHON:-}
if [[ -z $python ]]; then
  command -v python3 >/dev/null || skip "there is no python3"
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  python3 -m venv "$folder/venv" >"$folder/log" 2>&1 || skip "python3 makes no environments: $(tail -n 1 "$folder/log")"
  python=$folder/venv/bin/python
  "$python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt" >"$folder/log" 2>&1 ||
    skip "pip gave no numpy and onnxruntime: $(tail -n 1 "$folder/log")"
fi
"$python" "$here/oracle.py" "$@"

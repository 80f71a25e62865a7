#!/usr/bin/env bash
# usage: run-oracle.sh BUNDLE... : the NumPy oracle on bundles, in an environment of its own with the pinned packages.
# Where pip gives none, with those of python3; where that has none, it says so and ends with 0. FUZZQE_PYTHON names a Python.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { echo "skipped: the NumPy oracle: $*"; exit 0; }

python=${FUZZQE_PYTHON:-}
if [[ -z $python ]]; then
  command -v python3 >/dev/null || skip "there is no python3"
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  if python3 -m venv "$folder/venv" >"$folder/log" 2>&1 && "$folder/venv/bin/python" -m pip install --quiet \
    --disable-pip-version-check -r "$here/requirements.txt" >>"$folder/log" 2>&1; then
    python=$folder/venv/bin/python
  elif python3 -c 'import numpy, onnxruntime' 2>/dev/null; then
    echo "with the numpy and onnxruntime of python3: $(tail -n 1 "$folder/log")"
    python=python3
  else
    skip "there is neither an environment with requirements.txt nor a python3 with numpy and onnxruntime: $(tail -n 1 "$folder/log")"
  fi
fi
"$python" "$here/oracle.py" "$@"

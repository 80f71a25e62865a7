#!/usr/bin/env bash
# usage: check.sh DEMO BUNDLE... : lints, types, builds and tests the Python package, on the bundle of the demo and on others,
# in environments of its own. The packages of Node are built before. Where pip gives nothing it says so and ends with 0, but
# with 1 where FUZZQE_REQUIRE_RUNTIMES is set.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $# -ge 2 ]] || { sed -n 2,4p "${BASH_SOURCE[0]}" >&2; exit 2; }
what="the Python package"
source "$here/../scripts/skip.sh"

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || skip "there is no python3 of 3.11 or newer"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export RUFF_NO_CACHE=true
python_environment "$folder/tools" "$folder/log" -r "$here/requirements-check.txt"
python=$folder/tools/bin/python

# What is built and typed leaves folders behind.
cp -r "$here" "$folder/source"
cd "$folder/source"
"$python" -m ruff format --check --quiet .
"$python" -m ruff check --quiet .
"$python" -m mypy --no-incremental
# The wheel is made from the archive of sources.
"$python" -m build --no-isolation --outdir "$folder/dist" . >"$folder/log" 2>&1 || { tail -n 20 "$folder/log"; exit 1; }
"$python" -m twine check --strict "$folder"/dist/*

# Installed with nothing but what it asks for.
python3 -m venv "$folder/clean"
"$folder/clean/bin/pip" install --quiet "$folder"/dist/*.whl
mkdir "$folder/bundles"
name=demo
for bundle in "$@"; do
  bundle=$(cd "$OLDPWD" && cd "$bundle" && pwd)
  ln -s "$bundle" "$folder/bundles/$name"
  "$folder/clean/bin/python" -m fuzzqe check "$folder/bundles/$name"
  node "$here/tests/node-answers.mjs" "$bundle" "$folder/bundles/$name.json"
  shift
  name=${1:+$(basename "$1")}
done

# Tests run on the wheel, not on the folder of sources.
"$python" -m pip install --quiet --no-deps "$folder"/dist/*.whl
rm -rf "$folder/source/src"
FUZZQE_TEST_BUNDLES=$folder/bundles FUZZQE_TEST_COMMAND=$here/../packages/cli/bin/fuzzqe.js "$python" -m pytest -p no:cacheprovider

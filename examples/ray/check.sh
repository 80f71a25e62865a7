#!/usr/bin/env bash
# usage: check.sh BUNDLE : the example on real Ray Data with two actors, on a bundle whose answers Node's engine gives as well, in
# an environment of its own. The packages of Node are built before. Where pip's packages are missing it says so and ends with 0,
# but with 1 where FUZZQE_REQUIRE_RUNTIMES is set.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $# -eq 1 ]] || { sed -n 2,4p "${BASH_SOURCE[0]}" >&2; exit 2; }
what="the example on Ray Data"
source "$here/../../scripts/skip.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$here/../../python" "$folder/fuzzqe"
python_environment "$folder/venv" "$folder/log" -r "$here/requirements-check.txt" "$folder/fuzzqe"

node "$here/../../python/tests/node-answers.mjs" "$1" "$folder/node.json"
bundle=$(cd "$1" && pwd)
cd "$folder"
FUZZQE_BUNDLE=$bundle FUZZQE_NODE_ANSWERS=$folder/node.json RAY_USAGE_STATS_ENABLED=0 \
  RAY_TMPDIR=$folder "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider "$here"

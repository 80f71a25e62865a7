#!/usr/bin/env bash
# usage: check.sh BUNDLE : the example on real Spark with local[2], on a bundle whose answers Node's engine gives as well, in an
# environment of its own. The packages of Node are built before. Where Java or pip's packages are missing it says so and ends
# with 0, but with 1 where FUZZQE_REQUIRE_RUNTIMES is set.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $# -eq 1 ]] || { sed -n 2,4p "${BASH_SOURCE[0]}" >&2; exit 2; }
what="the example on Spark"
source "$here/../../scripts/skip.sh"

command -v java >/dev/null || skip "there is no java"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$here/../../python" "$folder/fuzzqe"
python_environment "$folder/venv" "$folder/log" -r "$here/requirements-check.txt" "$folder/fuzzqe"

node "$here/../../python/tests/node-answers.mjs" "$1" "$folder/node.json"
cd "$folder"
FUZZQE_BUNDLE=$(cd "$OLDPWD" && cd "$1" && pwd) FUZZQE_NODE_ANSWERS=$folder/node.json \
  PYSPARK_PYTHON=$folder/venv/bin/python SPARK_LOCAL_DIRS=$folder/spark \
  "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider "$here"

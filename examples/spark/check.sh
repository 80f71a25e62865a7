#!/usr/bin/env bash
# usage: check.sh BUNDLE : the example on real Spark with local[2] and on two executors apart, on a bundle whose answers Node's engine gives as well, in an
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
export FUZZQE_BUNDLE FUZZQE_NODE_ANSWERS=$folder/node.json PYSPARK_PYTHON=$folder/venv/bin/python SPARK_LOCAL_DIRS=$folder/spark
FUZZQE_BUNDLE=$(cd "$OLDPWD" && cd "$1" && pwd)
"$PYSPARK_PYTHON" -m pytest -q -p no:cacheprovider "$here"
# Executors that are processes of their own, to which the archive is sent. They are started by scripts that pip's package has.
SPARK_HOME=$("$PYSPARK_PYTHON" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))') \
  FUZZQE_SPARK_MASTER='local-cluster[2,1,1024]' "$PYSPARK_PYTHON" -m pytest -q -p no:cacheprovider "$here" -k 'table and sets'

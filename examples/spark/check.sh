#!/usr/bin/env bash
# usage: check.sh BUNDLE : the examples on real Spark with local[2], and answers on two executors apart too, in an environment of their own.
# Answers, rules and queries are compared with Node's, whose packages are built before. Where Java or pip's packages are missing it says so
# and ends with 0, but with 1 where FUZZQE_REQUIRE_RUNTIMES is set.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $# -eq 1 ]] || { sed -n 2,4p "${BASH_SOURCE[0]}" >&2; exit 2; }
what="the examples on Spark"
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
"$PYSPARK_PYTHON" -m pytest -q -p no:cacheprovider "$here/test_answer_queries.py"
# Two rounds of mining: a calibration's four take twice as long.
export FUZZQE_NODE_RULES=$folder/rules FUZZQE_NODE_ROUNDS=2
mkdir "$FUZZQE_NODE_RULES"
node "$here/node-rules.mjs" "$FUZZQE_NODE_RULES" "$FUZZQE_NODE_ROUNDS"
"$PYSPARK_PYTHON" -m pytest -q -p no:cacheprovider "$here/test_mine_rules.py"
export FUZZQE_NODE_DATASETS=$folder/datasets
mkdir "$FUZZQE_NODE_DATASETS"
node "$here/node-datasets.mjs" "$FUZZQE_NODE_DATASETS"
"$PYSPARK_PYTHON" -m pytest -q -p no:cacheprovider "$here/test_write_dataset.py"
export FUZZQE_NODE_QUERIES=$folder/queries
mkdir "$FUZZQE_NODE_QUERIES"
node "$here/node-queries.mjs" "$FUZZQE_NODE_QUERIES"
"$PYSPARK_PYTHON" -m pytest -q -p no:cacheprovider "$here/test_sample_queries.py"
# Executors that are processes of their own, to which the archive is sent. They are started by scripts that pip's package has.
SPARK_HOME=$("$PYSPARK_PYTHON" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))') \
  FUZZQE_SPARK_MASTER='local-cluster[2,1,1024]' "$PYSPARK_PYTHON" -m pytest -q -p no:cacheprovider "$here/test_answer_queries.py" -k 'table and sets'

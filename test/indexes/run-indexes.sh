#!/usr/bin/env bash
# usage: run-indexes.sh [ARGUMENT OF VITEST...] : the tests of entity indexes on a real PostgreSQL with pgvector, on LanceDB and on
# milvus-lite, and of LanceDB in a bucket of VersityGW; and of facts on that PostgreSQL and on Oxigraph's server (test/facts). All are installed in a folder that is removed at the end. What cannot be had is skipped, and said; with FUZZQE_REQUIRE_RUNTIMES=1 that fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
modules=$root/packages/entity-index/node_modules
drivers=(pg@8.23.1 apache-arrow@18.1.0 @lancedb/lancedb@0.39.0)
folder=$(mktemp -d)
links=()
server=
started=()

finish() {
  for each in "${started[@]}"; do kill "$each" 2>/dev/null && wait "$each" || true; done
  if [[ -n $server ]]; then as_owner "$server/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true; fi
  if ((${#links[@]} > 0)); then rm -f "${links[@]}"; fi
  rm -rf "$folder"
}
trap finish EXIT

missing() {
  echo "skipped: $*"
  if [[ ${FUZZQE_REQUIRE_RUNTIMES:-} == 1 ]]; then exit 1; fi
}

# PostgreSQL does not run as root.
as_owner() { if [[ $(id -u) == 0 ]]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }

# --- drivers: beside the package that loads them, without the models that LanceDB would bring ---
free_port() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }
platform=$(node -p '`@lancedb/lancedb-${process.platform}-${process.arch}${process.platform === "linux" ? "-gnu" : process.platform === "win32" ? "-msvc" : ""}@0.39.0`')
mkdir -p "$folder/drivers" && echo '{ "private": true }' >"$folder/drivers/package.json"
install() { npm install --prefix "$folder/drivers" --omit=optional --ignore-scripts --no-audit --no-fund --silent "$@" >>"$folder/npm.log" 2>&1; }
link() {
  mkdir -p "$modules/$(dirname "$1")"
  ln -sfn "$folder/drivers/node_modules/$1" "$modules/$1" && links+=("$modules/$1")
}
if install "${drivers[0]}"; then link pg; else missing "the driver of PostgreSQL: $(tail -n 1 "$folder/npm.log")"; fi
if install "${drivers[@]}" "$platform"; then
  link apache-arrow && link @lancedb/lancedb
  export FUZZQE_TEST_LANCEDB=yes
else
  missing "LanceDB: $(tail -n 1 "$folder/npm.log")"
fi

# --- an object store for LanceDB, in which a bucket is a folder ---
store=${FUZZQE_S3_SERVER_FOLDER:-${TMPDIR:-/tmp}/fuzzqe-versitygw-1.8.0}
if [[ ${FUZZQE_TEST_LANCEDB:-} == yes ]]; then
  if reason=$("$here/../object-store/versitygw.sh" "$store"); then
    export AWS_ACCESS_KEY_ID=fuzzqe AWS_SECRET_ACCESS_KEY='a secret of the test'
    port=$(free_port)
    mkdir -p "$folder/bucket/indexes"
    ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY \
      "$store/versitygw" --quiet --port "127.0.0.1:$port" posix "$folder/bucket" >/dev/null 2>&1 &
    started+=($!)
    export FUZZQE_TEST_LANCEDB_S3="lancedb+s3://indexes?endpoint=http://127.0.0.1:$port&region=us-east-1&allow_http=true"
  else
    missing "an object store: $reason"
  fi
fi

# --- Milvus: its client, and milvus-lite with a server that checks who calls; FUZZQE_TEST_MILVUS names one that is there ---
if [[ -z ${FUZZQE_TEST_MILVUS:-} ]]; then
  if install @zilliz/milvus2-sdk-node@3.0.6 && python3 -m venv "$folder/milvus" >"$folder/pip.log" 2>&1 &&
    "$folder/milvus/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements-milvus.txt" >>"$folder/pip.log" 2>&1; then
    link @zilliz/milvus2-sdk-node
    # Another one, where tests put something else in the way.
    for each in milvus spare; do
      "$folder/milvus/bin/python" "$here/milvus_server.py" "$folder/$each-data" >"$folder/$each.port" 2>"$folder/$each.log" &
      started+=($!)
    done
    for each in milvus spare; do
      while [[ ! -s $folder/$each.port ]] && kill -0 "${started[@]}" 2>/dev/null; do sleep 0.2; done
    done
    if [[ -s $folder/milvus.port && -s $folder/spare.port ]]; then
      export FUZZQE_TEST_MILVUS=milvus://127.0.0.1:$(<"$folder/milvus.port")
      export FUZZQE_TEST_MILVUS_SPARE=milvus://127.0.0.1:$(<"$folder/spare.port")
    else
      missing "Milvus: $(tail -n 1 "$folder/milvus.log" "$folder/spare.log")"
    fi
  else
    missing "Milvus: $(tail -n 1 "$folder/npm.log") $(tail -n 1 "$folder/pip.log" 2>/dev/null)"
  fi
fi

# --- PostgreSQL: Debian 12 has none of pgvector's packages, so both come as a wheel; FUZZQE_TEST_POSTGRES names a server that is there ---
if [[ -z ${FUZZQE_TEST_POSTGRES:-} ]]; then
  if python3 -m venv "$folder/venv" >"$folder/pip.log" 2>&1 &&
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt" >>"$folder/pip.log" 2>&1; then
    server=$(dirname "$(find "$folder/venv" -path '*/pginstall/bin/pg_ctl')")
    # Facts have a server of their own, which is stopped and killed.
    export FUZZQE_TEST_POSTGRES_PROGRAMS=${FUZZQE_TEST_POSTGRES_PROGRAMS:-$server}
    port=$(free_port)
    chmod 755 "$folder" && mkdir "$folder/data"
    if [[ $(id -u) == 0 ]]; then chown 65534:65534 "$folder/data"; fi
    as_owner "$server/initdb" -D "$folder/data" -U postgres --auth=trust >"$folder/initdb.log" 2>&1
    # Connections without a password, but for one name, by which the tests see what is said of a wrong one.
    printf 'host all nobody 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n' >"$folder/data/pg_hba.conf"
    as_owner "$server/pg_ctl" -D "$folder/data" -l "$folder/data/log" -w \
      -o "-p $port -k $folder/data -c listen_addresses=127.0.0.1 -c fsync=off" start >/dev/null
    export FUZZQE_TEST_POSTGRES=postgres://postgres@127.0.0.1:$port/postgres
  else
    missing "PostgreSQL with pgvector: $(tail -n 1 "$folder/pip.log")"
  fi
fi

# --- Oxigraph's server, for facts in an RDF store ---
if [[ -z ${FUZZQE_TEST_OXIGRAPH:-} ]]; then
  if python3 -m venv "$folder/oxigraph" >"$folder/pip.log" 2>&1 &&
    "$folder/oxigraph/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/../facts/requirements.txt" >>"$folder/pip.log" 2>&1; then
    export FUZZQE_TEST_OXIGRAPH=$folder/oxigraph/bin/oxigraph
  else
    missing "Oxigraph's server: $(tail -n 1 "$folder/pip.log")"
  fi
fi

cd "$root"
node_modules/.bin/vitest run --project indexes "$@"

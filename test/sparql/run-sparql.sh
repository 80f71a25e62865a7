#!/usr/bin/env bash
# usage: run-sparql.sh BUNDLE... : asks the built command, which serves each bundle, in SPARQL by the clients that Python programs have.
# What cannot be had is skipped with its reason, or with FUZZQE_REQUIRE_RUNTIMES=1 fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
server=
finish() {
  local status=$?
  if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT

install_python() {
  python3 -m venv "$folder/venv" >"$folder/log" 2>&1 &&
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt" >>"$folder/log" 2>&1
}

check() {
  # A log for each server: the process behind may read before the shell has emptied a log that another server wrote.
  local url='' log
  log=$(mktemp "$folder/serve-XXXX.log")
  node "$root/packages/cli/bin/fuzzqe.js" serve "$1" --port 0 --workers 1 --facts "$(mktemp -d "$folder/facts-XXXX")" --log-level warn 2>"$log" &
  server=$!
  for ((i = 0; i < 600; i++)); do
    url=$(grep -o 'http://127\.0\.0\.1:[0-9]*' "$log" | head -n 1) && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  if [[ -z $url ]]; then
    cat "$log"
    return 1
  fi
  "$folder/venv/bin/python" "$here/clients.py" "$url"
  kill "$server" && wait "$server"
  server=
}

if install_python; then
  for bundle in "$@"; do check "$bundle"; done
else
  echo "skipped: clients of SPARQL, for want of Python packages: $(tail -n 1 "$folder/log")"
  [[ ${FUZZQE_REQUIRE_RUNTIMES:-} != 1 ]]
fi

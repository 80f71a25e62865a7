#!/usr/bin/env bash
# usage: run-fleet.sh BUNDLE : what docs/fleets.md says, with the real tools: Triton's schema and client, hadolint, kubeconform, actionlint,
# compose-go, promtool, Prometheus, bubblewrap, HAProxy.
# Of the built command. What cannot be had is skipped with its reason, or with FUZZQE_REQUIRE_RUNTIMES=1 fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bundle=$1
kubernetes=1.34.0
folder=$(mktemp -d)
server=
finish() {
  local status=$?
  if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
  chmod -R u+w "$folder" && rm -rf "$folder"
  exit "$status"
}
trap finish EXIT

skip() {
  echo "skipped: $*: $(tail -n 1 "$folder/log" 2>/dev/null)"
  [[ ${FUZZQE_REQUIRE_RUNTIMES:-} != 1 ]]
}

python=
install_python() {
  python3 -m venv "$folder/venv" >"$folder/log" 2>&1 &&
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt" >>"$folder/log" 2>&1 &&
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps kserve==0.15.2 >>"$folder/log" 2>&1 &&
    python=$folder/venv/bin/python
}

# By Go's own client; a tool that is on the path already is taken.
go_tool() { # NAME PACKAGE@VERSION
  if command -v "$1" >/dev/null; then command -v "$1"; return; fi
  command -v go >/dev/null || { echo "there is no go" >>"$folder/log"; return 1; }
  GOBIN="$folder/bin" GOFLAGS=-modcacherw go install "$2" >>"$folder/log" 2>&1 && echo "$folder/bin/$1"
}

# Unpacked and not installed: the package would start a server.
find_promtool() {
  if command -v promtool; then return; fi
  mkdir -p "$folder/deb" && cd "$folder/deb" &&
    { apt-get download prometheus || { apt-get update -qq && apt-get download prometheus; }; } >>"$folder/log" 2>&1 &&
    dpkg -x prometheus_*.deb "$folder/prometheus" && echo "$folder/prometheus/usr/bin/promtool"
}

check_triton() {
  local fuzzqe=$root/packages/cli/bin/fuzzqe.js port
  node "$fuzzqe" export "$bundle" --target triton --name fleet --out "$folder/models" 2>"$folder/export.log" || { cat "$folder/export.log"; return 1; }
  port=$(node -e "const s = require('node:net').createServer().listen(0, () => { console.log(s.address().port); s.close() })")
  node "$fuzzqe" serve "$bundle" --port "$port" --workers 1 --log-level warn 2>"$folder/serve.log" &
  server=$!
  node -e "(async () => { for (let i = 0; i < 600; i++) { try { if ((await fetch('http://127.0.0.1:$port/readyz')).ok) return } catch {} await new Promise((r) => setTimeout(r, 100)) } process.exit(1) })()" ||
    { cat "$folder/serve.log"; return 1; }
  "$python" "$here/triton.py" "$folder/models" "localhost:$port" "$(node -p "require('$(realpath "$bundle")/manifest.json').model.relations")"
  kill "$server" && wait "$server"
  server=
}

check_manifests() {
  local schemas="$folder/schemas/{{.ResourceKind}}{{.KindSuffix}}.json" wrong
  "$python" "$here/schemas.py" "$folder/schemas" "$kubernetes"
  "$1" -strict -summary -kubernetes-version "$kubernetes" -schema-location "$schemas" "$root/deploy/kubernetes" "$root/deploy/kserve"
  # Negative control: a key that there is not, a file each.
  for wrong in kubernetes/deployment.yaml:readinessProbe kserve/inference-service.yaml:storageUri kserve/serving-runtime.yaml:autoSelect; do
    sed "s/${wrong#*:}/wrongName/" "$root/deploy/${wrong%:*}" >"$folder/wrong.yaml"
    if "$1" -strict -kubernetes-version "$kubernetes" -schema-location "$schemas" "$folder/wrong.yaml" >"$folder/wrong.log"; then
      echo "kubeconform takes $wrong under a wrong name"; return 1
    fi
    grep -q wrongName "$folder/wrong.log"
  done
}

check_image() {
  "$1" --no-color "$root/Dockerfile"
  # Negative control: an image without a tag.
  if sed 's/^FROM node:[^ ]*/FROM node/' "$root/Dockerfile" | "$1" --no-color - >"$folder/wrong.log"; then
    echo "hadolint takes an image without a tag"; return 1
  fi
  grep -q DL3006 "$folder/wrong.log"
  echo "hadolint: Dockerfile right"
}

check_workflows() {
  "$1" "$root"/.github/workflows/*.yml
  echo "actionlint: $(ls "$root"/.github/workflows/*.yml | wc -l) workflow right"
}

check_compose() {
  # What it is asked for stands in the environment, which the tool does not read.
  mkdir "$folder/compose"
  sed 's/[$]{BUNDLE:?[^}]*}/\/bundle/g' "$root/deploy/compose.yaml" >"$folder/compose/compose.yaml"
  "$1" "$folder/compose/compose.yaml" >"$folder/compose/read.yaml"
  grep -q 'target: /bundle' "$folder/compose/read.yaml"
  # Negative control: a key that there is not.
  sed -i 's/stop_grace_period/wrongName/' "$folder/compose/compose.yaml"
  if "$1" "$folder/compose/compose.yaml" >"$folder/wrong.log" 2>&1; then echo "compose-go takes a wrong name"; return 1; fi
  grep -q wrongName "$folder/wrong.log"
  echo "compose-go: compose.yaml right"
}

check_prometheus() {
  local rules="$folder/rules.yml"
  "$1" check config "$root/deploy/prometheus.yaml" >"$folder/prometheus.log" || { cat "$folder/prometheus.log"; return 1; }
  "$1" test rules "$here/alerts.yaml" >"$folder/prometheus.log" 2>&1 || { cat "$folder/prometheus.log"; return 1; }
  # What the panels show, as rules, which are JSON as well.
  node -e '
    const { panels } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    const rules = panels.flatMap(({ targets }) => targets).map(({ expr }, i) => ({ record: `panel:${i}`, expr }));
    console.log(JSON.stringify({ groups: [{ name: "panels", rules }] }));
  ' "$root/deploy/grafana/dashboards/fuzzqe.json" >"$rules"
  "$1" check rules "$rules" >"$folder/prometheus.log" || { cat "$folder/prometheus.log"; return 1; }
  echo "promtool: prometheus.yaml and alerts.yaml right,$(grep -o ' [0-9]* rules' "$folder/prometheus.log") of panels"
  # Negative controls: a key that there is not, and a bracket too few.
  sed 's/scrape_interval/wrongName/' "$root/deploy/prometheus.yaml" >"$folder/wrong.yml"
  if "$1" check config "$folder/wrong.yml" >"$folder/wrong.log" 2>&1; then echo "promtool takes a wrong name"; return 1; fi
  grep -q wrongName "$folder/wrong.log"
  sed 's/)"/"/' "$rules" >"$folder/wrong.yml"
  if "$1" check rules "$folder/wrong.yml" >"$folder/wrong.log" 2>&1; then echo "promtool takes a wrong expression"; return 1; fi
  node "$here/prometheus.mjs" "$bundle" "$(dirname "$1")/prometheus"
}

if install_python; then check_triton; else skip "Triton and the schemas of Kubernetes, for want of Python packages"; fi
if [[ -n $python ]]; then check_image "$folder/venv/bin/hadolint"; else skip hadolint; fi
if [[ -n $python ]] && tool=$(go_tool kubeconform github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0); then check_manifests "$tool"; else skip kubeconform; fi
if tool=$(go_tool actionlint github.com/rhysd/actionlint/cmd/actionlint@v1.7.12); then check_workflows "$tool"; else skip actionlint; fi
if tool=$(go_tool cmd github.com/compose-spec/compose-go/v2/cmd@v2.9.0); then check_compose "$tool"; else skip compose-go; fi
if tool=$(find_promtool); then check_prometheus "$tool"; else skip promtool; fi
node "$here/image.mjs" "$bundle"
if command -v haproxy >/dev/null; then
  haproxy -c -q -f "$root/deploy/haproxy/haproxy.cfg"
  node "$here/haproxy.mjs" "$bundle"
  node "$here/followers.mjs" "$bundle"
else
  skip "HAProxy, which is not installed"
fi

# To be sourced, with the name of what is skipped in `what`.

# Says why, and ends with 0, but with 1 where FUZZQE_REQUIRE_RUNTIMES is set.
skip() {
  echo "skipped: ${what:?}: $*"
  [[ -z ${FUZZQE_REQUIRE_RUNTIMES:-} ]] || exit 1
  exit 0
}

# Makes a virtual environment in FOLDER with what is asked for, its log in LOG, or skips: python_environment FOLDER LOG ARGUMENTS OF PIP...
python_environment() {
  local folder=$1 log=$2
  shift 2
  command -v python3 >/dev/null || skip "there is no python3"
  export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
  { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "$@"; } >"$log" 2>&1 ||
    skip "no environment with $*: $(tail -n 1 "$log")"
}

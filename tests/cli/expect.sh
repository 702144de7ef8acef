# What the tests of the command share; sourced by them.
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect STATUS PATTERN COMMAND...: the status, and the pattern in what is printed to either stream.
expect() {
  local status=$1 pattern=$2 output actual
  shift 2
  output=$("$@" 2>&1)
  actual=$?
  if [[ $actual -ne $status ]] || ! grep -qE -- "$pattern" <<<"$output"; then
    fail "$(printf '%s\n  wanted status %s and "%s", got status %s and:\n%s' \
      "$*" "$status" "$pattern" "$actual" "$output")"
  fi
}

# json EXPRESSION COMMAND...: a Python expression over the JSON value `v` that must hold.
json() {
  local expression=$1 output
  shift
  output=$("$@" --json 2>&1)
  python3 -c "import json,sys; v=json.load(sys.stdin); sys.exit(not ($expression))" <<<"$output" ||
    fail "$(printf '%s --json\n  does not fulfil %s:\n%.3000s' "$*" "$expression" "$output")"
}

# Goes to a folder that is gone at the end.
in_scratch_folder() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  cd "$folder" || exit 1
}

# sql STATEMENT...: on the PostgreSQL server of the tests.
sql() {
  local each commands=()
  for each in "$@"; do commands+=(-c "$each"); done
  psql -qAtX -v ON_ERROR_STOP=1 "$TACIT_TEST_POSTGRES" "${commands[@]}"
}

# Makes $schema on that server, which is gone at the end with the scratch folder.
make_scratch_schema() {
  schema=cli_$$
  trap 'sql "DROP SCHEMA IF EXISTS $schema CASCADE" 2>/dev/null; rm -rf "$folder"' EXIT
  sql "CREATE SCHEMA $schema"
}

# Ends a test that has nothing to do without that server.
need_postgres() {
  [[ -n ${TACIT_TEST_POSTGRES:-} ]] && return
  echo "skipped: no server; run under scripts/with-postgres"
  exit 0
}

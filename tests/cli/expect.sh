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

#!/bin/bash
# Every page of the manual: there, with an example, and no wider than a screen of 80 columns.
# Usage: help_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"

# The verbs that a page lists under "Subcommands:".
verbs_of() { sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\).*/\1/p' <<<"$1"; }

# check VERB...: the page, and those of the verbs below it.
check() {
  local page verb
  page=$("$tacit" "$@" --help) || fail "tacit $* --help exits $?"
  while IFS= read -r line; do
    ((${#line} <= 80)) || fail "tacit $* --help is wider than 80 columns: $line"
  done <<<"$page"
  pages=$((pages + 1))
  local verbs
  verbs=$(verbs_of "$page")
  [[ -n $verbs ]] || grep -q '^Examples:' <<<"$page" || fail "tacit $* --help has no example"
  for verb in $verbs; do check "$@" "$verb"; done
}

pages=0
export LC_ALL=C.UTF-8
check
((pages >= 13)) || fail "only $pages pages found"
echo "$pages pages, $failures failures"
exit $((failures > 0))

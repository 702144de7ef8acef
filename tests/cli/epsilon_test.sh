#!/bin/bash
# 'tacit epsilon' and 'tacit noise' as people and programs call them.
set -u
tacit=$1
failures=0
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }

# status STATUS WORDS...: the command ends so.
status() {
  local wanted=$1; shift
  "$tacit" "$@" >"$folder/out" 2>"$folder/err"
  local got=$?
  [ "$got" -eq "$wanted" ] || fail "status $got, not $wanted: tacit $*"
}
# says TEXT: the last command printed it.
says() { grep -qF -- "$1" "$folder/out" "$folder/err" || fail "does not say '$1'"; }
# between LOW KEY HIGH: the number in the JSON of the last command.
between() {
  python3 - "$1" "$2" "$3" "$folder/out" <<'P' || fail "$2 is not between $1 and $3"
import json, sys
low, key, high, path = sys.argv[1:]
sys.exit(0 if float(low) <= json.load(open(path))[key] <= float(high) else 1)
P
}

sgd=(--mechanism gaussian --noise 1.5 --sample-rate 0.04 --steps 2250 --delta 1e-5)

# What is proved.
status 0 epsilon "${sgd[@]}" --accountant rdp --json
between 6.76875 epsilon 7.32912
between 3 order 5
status 0 epsilon "${sgd[@]}" --json
between 6.76875 epsilon 6.7755
between 6.762 lower 6.7689
status 0 epsilon "${sgd[@]}" --accountant all
for accountant in pure basic advanced optimal zcdp rdp probabilistic gdp pld; do says "$accountant"; done
says "Gaussian noise has no pure epsilon"
status 0 epsilon --schedule 1.5:0.04:1125,1.5:0.04:1125 --delta 1e-5 --accountant rdp --json
between 6.76875 epsilon 7.32912
status 0 epsilon --mechanism gaussian --noise 1 --epsilon 1 --accountant gdp --json
between 0.1269367 delta 0.1269368
status 0 epsilon --noise 4 --sample-rate 0.01 --steps 10000 --delta 1e-5 --moments --json
between 1.0354 epsilon 1.2587
status 0 epsilon --noise 4 --sample-rate 0.01 --steps 10000 --epsilon 1.2587 --moments --json
between 1e-6 delta 1.01e-5
status 2 epsilon --noise 4 --delta 0 --moments
says "delta above 0"
status 0 epsilon --mechanism approximate --each-epsilon 800 --each-delta 1e-9 --delta 1e-5 --json
between 799.9 epsilon 800.001
status 0 epsilon --mechanism laplace --noise 10 --steps 20 --accountant pure --json
between 2 epsilon 2
status 0 epsilon --mechanism laplace --noise 10 --group 3 --accountant pure --json
between 0.3 epsilon 0.30000001

# What it means.
status 0 epsilon --mechanism randomized-response --truth 0.75 --accountant pure --explain --prior 0.1
says "10% sure"
says "This holds for"

# Costs as files, and as standard input.
printf '{"type": "repeat", "times": 3, "part": {"type": "pure", "epsilon": "1/3"}}' >"$folder/cost.json"
status 0 epsilon --cost "$folder/cost.json" --accountant pure --json
between 1 epsilon 1
"$tacit" epsilon --cost - --accountant pure --json <"$folder/cost.json" >"$folder/out" || fail "--cost -"
between 1 epsilon 1

# The noise for a target; what is printed meets it.
status 0 noise --epsilon 8 --delta 1e-5 --sample-rate 0.04 --steps 2250 --accountant rdp --json
between 1.41574 noise 1.41576
between 7.99 epsilon 8
status 0 noise --epsilon 1 --delta 1e-5 --accountant gdp --json
between 3.730631 noise 3.730633
status 0 noise --epsilon 1 --mechanism laplace --steps 20 --accountant pure
says "noise multiplier 20"

# Bad input: status 2, nothing on standard output, and words that help.
refuses() {
  local text=$1; shift
  status 2 "$@"
  [ -s "$folder/out" ] && fail "prints in spite of the error: tacit $*"
  says "$text"
}
refuses "--delta is missing" epsilon --noise 1
refuses "--noise" epsilon --noise 0 --delta 1e-5
refuses "--noise" epsilon --noise=-1 --delta 1e-5
refuses "not a number" epsilon --noise nan --delta 1e-5
refuses "not a number" epsilon --noise 1e999999 --delta 1e-5
refuses "--delta" epsilon --noise 1 --delta 1
refuses "--delta" epsilon --noise 1 --delta=-1e-5
refuses "--sample-rate" epsilon --noise 1 --sample-rate 1.5 --delta 1e-5
refuses "not a count" epsilon --noise 1 --steps 0 --delta 1e-5
refuses "not a count" epsilon --noise 1 --steps 1.5 --delta 1e-5
refuses "no mechanism 'magic'" epsilon --mechanism magic --delta 1e-5
refuses "no accountant 'magic'" epsilon --noise 1 --delta 1e-5 --accountant magic
refuses "leave one of them out" epsilon --noise 1 --delta 1e-5 --epsilon 1
refuses "replace neighbours only" epsilon --mechanism randomized-response --truth 0.75 \
  --neighbours add-remove --delta 1e-5
refuses "add/remove neighbours only" epsilon --noise 1 --sample-rate 0.1 --neighbours replace \
  --delta 1e-5
refuses "cannot read the file" epsilon --cost "$folder/absent.json" --delta 1e-5
printf '{"type": "pure", "epsilon": 1, "wat": 2}' >"$folder/cost.json"
refuses "has no field 'wat'" epsilon --cost "$folder/cost.json" --delta 1e-5
printf '{"type": "none_proved", "reason": "k-anonymous"}' >"$folder/cost.json"
refuses "k-anonymous" epsilon --cost "$folder/cost.json" --accountant pure
refuses "noise:rate:steps" epsilon --schedule 1.5:0.04 --delta 1e-5
refuses "no pure epsilon" epsilon --noise 1 --accountant pure
refuses "--prior" epsilon --noise 1 --delta 1e-5 --explain --prior 2
refuses "see 'tacit epsilon --help'" epsilon --nois 1
refuses "epsilon must be above 0" noise --epsilon 0 --delta 1e-5
refuses "not a mechanism that adds noise" noise --epsilon 1 --delta 1e-5 --mechanism exponential
refuses "no pure epsilon" noise --epsilon 1 --accountant pure

# The manual.
status 0 epsilon --help
says "--sample-rate"
says "Examples:"
status 0 noise --help
says "Examples:"

[ "$failures" -eq 0 ] || exit 1
echo "all held"

#!/bin/bash
# 'tacit init' as a steward runs it. Usage: init_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

make_clinic=("$tacit" init clinic --dataset patients --neighbours add_remove --epsilon 3
  --delta 1e-6 --analyst alice=1 --analyst bob=0.5)

# Made once; made again it says so and changes nothing.
expect 0 'a new ledger' "${make_clinic[@]}"
grep -q '^\[datasets.patients\]' clinic/tacit.toml || fail "tacit.toml does not declare the dataset"
before=$(cat clinic/tacit.toml && "$tacit" ledger verify --workspace clinic)
expect 0 'Nothing to do' "${make_clinic[@]}"
expect 0 'Nothing to do' "$tacit" init clinic
expect 2 'never overwritten' "$tacit" init clinic --dataset patients --neighbours add_remove --epsilon 9
[[ $(cat clinic/tacit.toml && "$tacit" ledger verify --workspace clinic) == "$before" ]] ||
  fail "a second init changed something"

# Found from below, and by --workspace.
mkdir -p clinic/a/b
(cd clinic/a/b && expect 0 'patients/bob' "$tacit" ledger show) || exit 1
expect 0 'patients/bob' "$tacit" ledger show --workspace clinic/tacit.toml

# A dataset added by hand gets its account; a changed number changes no cap.
printf '\n[datasets.visits]\nneighbours = "replace"\nepsilon = 1\n' >>clinic/tacit.toml
sed -i 's/^epsilon = 3$/epsilon = 30/' clinic/tacit.toml
expect 0 'opened visits' "$tacit" init clinic
expect 0 'patients: at most epsilon 3,' "$tacit" ledger show --workspace clinic

# A lost ledger is not made anew: that would hand out the budget again.
mv clinic/ledger.sqlite kept.sqlite
expect 3 'restore it from a backup' "$tacit" init clinic
[[ ! -e clinic/ledger.sqlite ]] || fail "a lost ledger was made anew"
mv kept.sqlite clinic/ledger.sqlite
expect 0 'Nothing to do' "$tacit" init clinic

# A tacit.toml written by hand, which never had a ledger.
mkdir hand
printf '[datasets.d]\nneighbours = "replace"\nepsilon = 1\n' >hand/tacit.toml
expect 3 'new-ledger' "$tacit" init hand
expect 0 'opened d' "$tacit" init hand --new-ledger

# An init that was cut off before it wrote the file goes on where it was.
"$tacit" init cut --dataset d --neighbours replace --epsilon 1 >/dev/null
rm cut/tacit.toml
expect 0 'the ledger that was there' "$tacit" init cut --dataset d --neighbours replace --epsilon 1
expect 0 'd: at most epsilon 1,' "$tacit" ledger show --workspace cut

# An empty workspace says what to do next.
expect 0 'declare a dataset' "$tacit" init empty
expect 0 'No accounts yet' "$tacit" ledger show --workspace empty

# Bad input: status 2, and nothing is left behind but the folder.
for bad in "--epsilon 0" "--epsilon -1" "--epsilon nan" "--epsilon 1e999" "--epsilon x" \
  "--epsilon 1 --delta 0" "--epsilon 1 --delta 1" "--epsilon 1 --delta -1" \
  "--epsilon 1 --analyst alice" "--epsilon 1 --analyst alice=2" "--epsilon 1 --analyst a/b=1" \
  "--epsilon 1 --part a" "--epsilon 1 --parts-by x" "--epsilon 1 --parts-by x --part a --part a" \
  "--epsilon 1 --schema s" "--epsilon 1 --store mysql://x/y" "" "--epsilon 1 --unknown"; do
  # shellcheck disable=SC2086
  expect 2 . "$tacit" init bad --dataset d --neighbours replace $bad
  [[ ! -e bad/tacit.toml && ! -e bad/ledger.sqlite ]] || fail "init with $bad left something"
done
expect 2 'neighbours' "$tacit" init bad --dataset d --epsilon 1
expect 2 'neighbours' "$tacit" init bad --dataset d --epsilon 1 --neighbours both
expect 2 'dataset' "$tacit" init bad --epsilon 1
expect 2 'not a name|cannot be the name' "$tacit" init bad --dataset 'a b' --epsilon 1 --neighbours replace
expect 2 'secret' "$tacit" init bad --store 'postgresql://tacit:hunter2@localhost/tacit'
"$tacit" init bad --store 'postgresql://tacit:hunter2@localhost/tacit' 2>&1 | grep -q hunter2 &&
  fail "a password was repeated"
echo 'version = 7' >bad/tacit.toml
expect 2 'newer Tacit' "$tacit" init bad
expect 2 'tacit.toml:1' "$tacit" init bad
touch file
expect 2 . "$tacit" init file/below

# Records over several lines are refused, when a table is declared and when its file has changed.
printf 'person,note,n\n1,fine,1\n' >notes.csv
declare_notes=("$tacit" init notes --dataset d --neighbours add_remove --epsilon 1
  --table notes=notes.csv --unit notes=person)
printf 'eve,"dear doctor\nbob,x,1\nend",1\n' >>notes.csv
expect 2 'notes.csv.*does not close' "${declare_notes[@]}"
[[ ! -e notes/tacit.toml && ! -e notes/ledger.sqlite ]] || fail "a refused table left something"
printf 'person,note,n\n1,fine,1\n' >notes.csv
expect 0 'a new ledger' "${declare_notes[@]}"
expect 0 'Nothing to do' "$tacit" init notes
printf 'eve,"dear doctor\nbob,x,1\nend",1\n' >>notes.csv
expect 2 'convert the file to Parquet' "$tacit" init notes

# JSON for programs.
"$tacit" init json --dataset d --neighbours replace --epsilon 1 --json |
  python3 -c 'import json,sys; v=json.load(sys.stdin); sys.exit(v["opened"] != ["d"])' ||
  fail "init --json"

# On a server, where there is one.
if [[ -n ${TACIT_TEST_POSTGRES:-} ]]; then
  schema=cli_$$
  expect 0 'a new ledger' "$tacit" init server --store "$TACIT_TEST_POSTGRES" --schema "$schema" \
    --dataset d --neighbours replace --epsilon 1
  expect 0 'Nothing to do' "$tacit" init server
  expect 0 'd: at most epsilon 1,' "$tacit" ledger show --workspace server
  expect 0 'balance holds' "$tacit" ledger verify --workspace server
  psql -q "$TACIT_TEST_POSTGRES" -c "SET client_min_messages = error" \
    -c "DROP SCHEMA $schema CASCADE" || fail "the test's schema could not be removed"
fi

[[ $failures -eq 0 ]] && echo "all holds"
exit "$((failures > 0))"

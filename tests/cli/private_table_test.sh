#!/bin/bash
# 'tacit anonymize' with a policy that asks for differential privacy, as a steward runs it.
# Usage: private_table_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

# 6,000 visits of 5,000 people.
python3 - <<'PYTHON'
import random
random.seed(7)
with open("visits.csv", "w") as out:
    print("patient;age;sex;ward", file=out)
    for i in range(6000):
        print("p%d" % (i % 5000), random.randint(18, 95), random.choice("FM"),
              random.choice(["north", "south", "east", ""]), sep=";", file=out)
PYTHON
cat >policy.toml <<'TOML'
[columns]
patient = "identifier"
age = {role = "quasi-identifier", hierarchy = {intervals = [10, 20], from = 0, to = 90}}
sex = "quasi-identifier"
ward = "sensitive"

[privacy]
differential = {epsilon = 1, delta = 1e-6, unit = {column = "patient"}}
TOML
anonymize=("$tacit" anonymize visits.csv --policy policy.toml)

# Without a ledger nothing is charged, and so nothing leaves.
expect 2 'there is no workspace here' "${anonymize[@]}" -o safe.csv
[[ ! -e safe.csv ]] || fail "a refusal left a file"
expect 0 'a new ledger' "$tacit" init clinic --dataset clinic --neighbours add_remove --epsilon 3 --delta 1e-5

# The release is charged, needs nobody's word, and tells nothing of the original.
expect 0 'Differentially private, with epsilon 1 and delta 1e-06: for all rows of' \
  "${anonymize[@]}" -o safe.csv --workspace clinic
python3 - <<'PYTHON' || fail "safe.csv is not as planned: $(head -n 3 safe.csv)"
import collections, csv, sys
rows = list(csv.reader(open("safe.csv"), delimiter=";"))
classes = collections.Counter(map(tuple, rows[1:]))
assert rows[0] == ["age", "sex", "ward"], rows[0]
assert 1000 < len(rows) < 4000 and min(classes.values()) >= 32, (len(rows), min(classes.values()))
PYTHON
expect 0 'epsilon 0.9, delta' "$tacit" ledger history --workspace clinic
expect 0 '1e-06 +4e-06' "$tacit" ledger show --workspace clinic
# A second time is too much: refused by the budget, and the file stays as it was.
cp safe.csv before.csv
expect 1 'the budget does not allow it' "${anonymize[@]}" -o safe.csv --workspace clinic
cmp -s safe.csv before.csv || fail "a refusal changed the file"

# For programs: the parameters and the release, not a number of the table.
expect 0 'a new ledger' "$tacit" init large --dataset clinic --neighbours replace --epsilon 20 --delta 1e-4
output=$("${anonymize[@]}" -o safe.parquet --workspace large --json)
python3 -c '
import json, sys
v = json.load(sys.stdin)
assert set(v) == {"output", "rows", "classes", "levels", "guarantee", "epsilon", "delta", "neighbours", "unit", "search_epsilon", "sampling", "k", "cost", "dataset", "entry", "none_proved"}, set(v)
assert v["guarantee"] == "differential privacy" and v["epsilon"] == 1 and v["k"] == 32
assert v["cost"]["neighbours"] == "replace" and v["unit"] == {"column": "patient"}
assert [l["column"] for l in v["levels"]] == ["age", "sex", "ward"] and v["levels"][2]["levels"] == 1
' <<<"$output" || fail "the JSON is not as it should be: $output"
[[ $(head -c 4 safe.parquet) == PAR1 ]] || fail "safe.parquet is not Parquet"

# What rows would decide is refused before anything is charged.
# refused PATTERN EDIT: the policy after that edit of sed.
refused() {
  sed "$2" policy.toml >bad.toml
  expect 2 "$1" "$tacit" anonymize visits.csv --policy bad.toml -o out.csv --workspace large
  [[ -z $(ls | grep '^out') ]] || fail "left behind: $(ls | grep '^out')"
}
head=$("$tacit" ledger history --workspace large | wc -l)
refused 'learnt from the rows' 's/intervals = .*, from = 0, to = 90/quantiles = [4, 2]/'
refused 'learnt from the rows' 's/intervals = .*, from = 0, to = 90/mask = "right"/'
refused 'pseudonym' 's/^patient = .*/patient = {role = "identifier", pseudonym = true}/'
refused 'criteria' 's/^ward = .*/ward = {role = "sensitive", criteria = {distinct_l = 2}}/'
refused 'whom the promise protects' 's/, unit = .*/}/'
refused 'at a rate of 0.9' 's/delta = 1e-6/delta = 1e-6, sampling = 0.9/'
[[ $("$tacit" ledger history --workspace large | wc -l) == "$head" ]] || fail "a refusal was charged"
# A promise for rows is not charged to an account that protects people.
tr ';' ',' <visits.csv >commas.csv
expect 0 'a new ledger' "$tacit" init people --dataset clinic --neighbours add_remove --epsilon 3 --delta 1e-5 --table visits=commas.csv --unit visits=patient
sed 's/unit = .*/unit = "row"}/' policy.toml >rows.toml
expect 2 'protects what its table' "$tacit" anonymize visits.csv --policy rows.toml -o out.csv --workspace people

# Rows that nothing can read make nothing fail; a table without rows gives a file without rows.
(head -n 2000 visits.csv && echo 'p1;old;?;"no"') >odd.csv
expect 0 'Differentially private' "$tacit" anonymize odd.csv --policy policy.toml -o odd_out.csv --workspace large
head -n 1 visits.csv >none.csv
expect 0 '0 rows in 0 classes' "$tacit" anonymize none.csv --policy policy.toml -o none_out.csv --workspace large
[[ $(cat none_out.csv) == "age;sex;ward" ]] || fail "none_out.csv: $(cat none_out.csv)"

# What it prints keeps to 80 columns.
widest=$("${anonymize[@]}" -o safe.csv --workspace large | LC_ALL=C.UTF-8 awk '{ if (length > n) n = length } END { print n }')
((widest > 20 && widest <= 80)) || fail "it prints $widest columns"

[[ $failures -eq 0 ]] && echo "all holds"
exit "$((failures > 0))"

#!/bin/bash
# 'tacit anonymize', 'tacit risk' and 'tacit inspect' on several files, and on tables of a workspace; those
# of a server under scripts/with-postgres or scripts/with-spark.
# Usage: anonymize_sources_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

# 1,200 people in one file, and the same in three parts.
python3 - <<'PYTHON'
import json, random
random.seed(7)
rows = [(random.randint(20, 79), random.choice("FM"), random.choice(["north", "south", "", "east"]),
         random.choice(["flu", "gout", "none"]), i) for i in range(1200)]
head = "age,sex,ward,illness,visit"
line = lambda row: ",".join(str(value) for value in row)
open("all.csv", "w").write("\n".join([head, *map(line, rows)]) + "\n")
for part in range(3):
    own = rows[400 * part:400 * (part + 1)]
    open(f"part-{part}.csv", "w").write("\n".join([head, *map(line, own)]) + "\n")
    with open(f"part-{part}.json", "w") as out:
        for row in own:
            print(json.dumps(dict(zip(head.split(","), [value if value != "" else None for value in row]))), file=out)
PYTHON
cat >policy.toml <<'TOML'
[columns]
age = {role = "quasi-identifier", hierarchy = {intervals = [5, 10, 20], from = 0, to = 100}}
sex = "quasi-identifier"
ward = "quasi-identifier"
illness = "sensitive"
visit = "other"
[privacy]
k = 8
suppression = 0.05
TOML
same=(--policy policy.toml --accept-no-dp)
# sorted FILE: its rows, whatever their order.
sorted() { sort "$1"; }

expect 0 'Satisfied' "$tacit" anonymize all.csv "${same[@]}" -o safe.csv
expect 0 '1,200 rows' "$tacit" anonymize 'part-?.csv' "${same[@]}" -o safe-parts.csv
diff <(sorted safe.csv) <(sorted safe-parts.csv) >/dev/null || fail "parts give another table than the whole"
expect 0 '1,200 rows' "$tacit" anonymize 'part-*.json' "${same[@]}" -o safe-json.csv
diff <(sorted safe.csv) <(sorted safe-json.csv) >/dev/null || fail "parts of JSON give another table"
# Parquet keeps a number for each row of each part: none is lost, none is there twice.
sed 's/^k = 8/k = 2/' policy.toml >fine.toml
expect 0 'Satisfied' "$tacit" anonymize part-0.csv --policy fine.toml --accept-no-dp -o part-0.parquet
expect 0 'Satisfied' "$tacit" anonymize part-0.csv --policy fine.toml --accept-no-dp -o part-1.parquet
cat >published.toml <<'TOML'
[columns]
age = "quasi-identifier"
sex = "quasi-identifier"
ward = "quasi-identifier"
illness = "other"
visit = "other"
[privacy]
k = 4
suppression = 0.2
[method]
kind = "mondrian"
TOML
expect 0 'Satisfied' "$tacit" anonymize 'part-*.parquet' --policy published.toml --accept-no-dp -o both.csv
python3 -c 'import csv, collections; n = collections.Counter(r["visit"] for r in csv.DictReader(open("both.csv"))); assert n and set(n.values()) == {2}' ||
  fail "rows of two Parquet files are lost or doubled"
json 'v["risk"]["rows"] == 1200 and v["file"] == "part-*.csv"' "$tacit" risk 'part-*.csv' --policy policy.toml
expect 0 '^part-\*.csv: 1,200 rows' "$tacit" inspect 'part-*.csv'

# What a pattern cannot stand for.
expect 2 'no file has a name of this pattern' "$tacit" anonymize 'other-*.csv' "${same[@]}" -o out.csv
expect 2 'read as a part of it' "$tacit" anonymize 'part-*.csv' "${same[@]}" -o part-9.csv
expect 2 'replace the table itself' "$tacit" anonymize 'part-*.csv' "${same[@]}" -o part-1.csv
echo 'age,sex,illness,visit' >part-3.csv
expect 2 "part-3.csv: its column 3 is 'illness'" "$tacit" anonymize 'part-*.csv' "${same[@]}" -o out.csv
rm part-3.csv
[[ ! -e out.csv ]] || fail "a refusal left a file"

# A declared table. Its combinations are counted where it is.
# declare_table ENGINE SOURCE: what the steward writes, and a new ledger.
declare_table() {
  rm -rf space && mkdir space
  cat >space/tacit.toml <<TOML
[datasets.clinic]
neighbours = "add_remove"
epsilon = 1
engine = "$1"
[datasets.clinic.tables.visits]
source = "$2"
unit = "row"
[datasets.clinic.tables.visits.columns]
age = "integer"
sex = "text"
ward = "text"
illness = "text"
visit = "integer"
TOML
  expect 0 'ledger' "$tacit" init --new-ledger space
}
# is_as_the_file NAME: a table of the workspace gives what the file gave.
is_as_the_file() {
  expect 0 'Entered in the ledger of clinic' "$tacit" anonymize --table visits --workspace space "${same[@]}" -o "$1.csv"
  diff <(sorted safe.csv) <(sorted "$1.csv") >/dev/null || fail "$1 gives another table than the file"
  json 'v["risk"]["published"]["smallest_class"] >= 8 and v["dataset"] == "clinic"' \
    "$tacit" anonymize --dataset clinic --table visits --workspace space "${same[@]}" -o "$1.parquet"
  json 'v["risk"]["rows"] == 1200 and v["file"] == "clinic.visits"' \
    "$tacit" risk --dataset clinic --table visits --workspace space --policy policy.toml
  expect 0 '^clinic.visits: 1,200 rows' "$tacit" inspect --dataset clinic --table visits --workspace space
}
declare_table duckdb ../all.csv
is_as_the_file declared
expect 0 'tacit anonymize visits -o declared.csv' "$tacit" ledger history --workspace space --json
expect 2 "declares no table 'patients'" "$tacit" anonymize --table patients --workspace space "${same[@]}" -o out.csv
expect 2 'excludes' "$tacit" anonymize all.csv --table visits --workspace space "${same[@]}" -o out.csv
expect 2 'not said which table' "$tacit" anonymize "${same[@]}" -o out.csv
expect 2 'not said which table' "$tacit" risk --policy policy.toml
expect 2 'not compared with earlier' "$tacit" anonymize --table visits --workspace space "${same[@]}" -o out.csv --against safe.csv
grep -v '^visit' policy.toml >less.toml
expect 2 "no role for the columns of 'clinic.visits': visit" \
  "$tacit" anonymize --table visits --workspace space --policy less.toml --accept-no-dp -o out.csv
[[ ! -e out.csv ]] || fail "a refusal left a file"

if [[ -n ${TACIT_TEST_POSTGRES:-} ]]; then
  make_scratch_schema
  sql "CREATE TABLE $schema.visits (age integer, sex text, ward text, illness text, visit bigint)"
  sql "\\copy $schema.visits FROM all.csv WITH (FORMAT csv, HEADER)"
  declare_table "$TACIT_TEST_POSTGRES" "$schema.visits"
  is_as_the_file postgres
  sql "DROP TABLE $schema.visits"
  expect 2 'no such table' "$tacit" anonymize --table visits --workspace space "${same[@]}" -o out.csv
else
  echo "skipped: no PostgreSQL server; run under scripts/with-postgres"
fi

echo "$failures failures"
exit "$((failures > 0))"

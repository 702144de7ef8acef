#!/bin/bash
# 'tacit learn' on a PostgreSQL server, as an analyst runs it. Usage: learn_postgres_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
need_postgres
in_scratch_folder
make_scratch_schema

# 3000 people in three tight groups, and values that an engine could fail on.
sql "CREATE TABLE $schema.people AS
  SELECT i AS person, (CASE i % 3 WHEN 0 THEN 30 WHEN 1 THEN 50 ELSE 70 END + i % 5 - 2)::float8 AS age,
         (CASE i % 3 WHEN 0 THEN 20 WHEN 1 THEN 60 ELSE 40 END + i % 7 - 3)::float8 AS income
  FROM generate_series(1, 3000) AS i
  UNION ALL VALUES (4000, 'NaN'::float8, 1e308::float8), (4001, 'Infinity', -1e308), (4002, NULL, 5)"
cat >tacit.toml <<TOML
[datasets.town]
neighbours = "add_remove"
epsilon = 100
engine = "$TACIT_TEST_POSTGRES"
max_groups = 1
max_rows = 1
analysts = {ana = {epsilon = 100}}

[datasets.town.tables.people]
source = "$schema.people"
unit = "person"
[datasets.town.tables.people.columns]
person = "integer"
age = {type = "real", min = 0, max = 100}
income = {type = "real", min = 0, max = 100}
TOML
expect 0 'ledger' "$tacit" init --new-ledger .

json 'all(abs(c[0] - t[0]) < 5 and abs(c[1] - t[1]) < 5 for c, t in zip(sorted(c["centre"] for c in v["clusters"]), [(30, 20), (50, 60), (70, 40)]))' \
  "$tacit" learn kmeans --as ana --epsilon 4 --from people --columns age,income --clusters 3
json 'len(v["clusters"]) == 12' \
  "$tacit" learn kmeans --as ana --epsilon 4 --from people --columns age,income --clusters 12 --method lloyd
json 'abs(v["slopes"][0]["value"] - 0.5) < 0.2' \
  "$tacit" learn linear --as ana --epsilon 4 --from people --columns age --target income
json 'len(v["components"]) == 2' "$tacit" learn pca --as ana --epsilon 4 --from people --columns age,income
json '[c["label"] for c in v["classes"]] == [False, True] and abs(v["classes"][1]["numbers"][0]["mean"] - 50) < 5' \
  "$tacit" learn bayes --as ana --epsilon 4 --from "SELECT income, age > 40 AS old FROM people" --columns income --label old

json 'v["slopes"][0]["value"] > 0 and abs(v["rows"] - 3000) < 200 and {e["of"] for e in v["categories"][0]["effects"]} == {False, True}' \
  "$tacit" learn logistic --as ana --epsilon 8 --columns age --categories poor --label old \
  --from "SELECT age, income < 30 AS poor, age > 60 AS old FROM people"

echo "$failures failures"
exit $((failures > 0))

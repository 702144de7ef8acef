#!/bin/bash
# 'tacit query' on a PostgreSQL server, as an analyst runs it. Usage: query_postgres_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
need_postgres
in_scratch_folder
make_scratch_schema

# 400 visits: 100 people, each in the four hours 9 to 12.
sql "CREATE TABLE $schema.visits AS SELECT i % 100 AS person, 9 + i / 100 AS hour, 10 + i % 31 AS minutes FROM generate_series(0, 399) AS i"

# declare TYPE_OF_MINUTES: what the steward writes.
declare_tables() {
  cat >tacit.toml <<TOML
[datasets.clinic]
neighbours = "add_remove"
epsilon = 2000
engine = "$TACIT_TEST_POSTGRES"
max_groups = 4
max_rows = 1
analysts = {ana = {epsilon = 2000}}

[datasets.clinic.tables.visits]
source = "$schema.visits"
unit = "person"
[datasets.clinic.tables.visits.columns]
person = "integer"
hour = {type = "integer", min = 9, max = 12, nulls = false}
minutes = $1
TOML
}
declare_tables '{type = "integer", min = 0, max = 60}'
expect 0 'ledger' "$tacit" init --new-ledger .

# Four hours of a hundred people each, and at this epsilon no noise to speak of.
ask=("$tacit" query --as ana --epsilon 400)
expect 0 '^12,100,' "${ask[@]}" --format csv 'SELECT hour, count(*) AS n FROM visits GROUP BY hour ORDER BY hour'
expect 0 'nothing was charged' "$tacit" plan --epsilon 1 'SELECT sum(minutes) FROM visits'
# People below 50 and the others share no unit: each count has all of epsilon.
printf 'SELECT count(*) AS n FROM visits WHERE person < 50;\nSELECT hour, count(*) AS n FROM visits WHERE person >= 50 GROUP BY hour;' >batch.sql
expect 0 'disjoint parts' "$tacit" plan --epsilon 400 --batch batch.sql
expect 0 '^  12  50 ' "${ask[@]}" --batch batch.sql
expect 2 'not on the list' "${ask[@]}" 'SELECT count(pg_sleep(1)) FROM visits'

# A wrong password is no secret in any message, and costs nothing.
PGPASSWORD=wrong-one expect 3 'postgresql' "${ask[@]}" 'SELECT sum(hour) AS h FROM visits'
PGPASSWORD=wrong-one "${ask[@]}" 'SELECT sum(hour) AS h FROM visits' 2>&1 | grep -q wrong-one && {
  echo "FAILED: the password is shown"
  failures=$((failures + 1))
}

# A type that a value might not have is refused before anything is charged.
declare_tables '"date"'
expect 2 'stored as integer' "${ask[@]}" 'SELECT count(minutes) AS m FROM visits'

[[ $failures -eq 0 ]] && echo "all hold"
exit "$((failures > 0))"

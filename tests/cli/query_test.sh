#!/bin/bash
# 'tacit query' and 'tacit plan' as an analyst runs them. Usage: query_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

entries() { "$tacit" ledger verify --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["head"]["sequence"])'; }

# 400 visits: 100 people, each in the four hours 9 to 12, of 10 to 40 minutes.
python3 - <<'PYTHON'
with open("visits.csv", "w") as out:
    print("person,hour,minutes,city,day", file=out)
    for i in range(400):
        print(i % 100, 9 + i // 100, 10 + i % 31, ["Oslo", "Bergen"][i % 2], "2026-01-%02d" % (1 + i % 28), sep=",", file=out)
PYTHON

# A look at the file declares it; the steward adds ranges.
expect 0 'a new ledger' "$tacit" init . --dataset clinic --neighbours add_remove --epsilon 60 \
  --delta 1e-6 --analyst ana=50 --table visits=visits.csv --unit visits=person
grep -q '^minutes = "integer"  # {type = "integer", min = 0, max = 100}' tacit.toml ||
  fail "init does not show where a range goes: $(cat tacit.toml)"
grep -q '^day = "date"' tacit.toml || fail "init did not see a date"
sed -i 's/^minutes = .*/minutes = {type = "integer", min = 0, max = 60}/;
        s/^hour = .*/hour = {type = "integer", min = 9, max = 12, nulls = false}/' tacit.toml
expect 2 'whose are the rows' "$tacit" init other --dataset d --neighbours replace --epsilon 1 --table t=visits.csv
expect 2 "no column 'who'" "$tacit" init other --dataset d --neighbours replace --epsilon 1 --table t=visits.csv --unit t=who
expect 2 'cannot be read' "$tacit" init other --dataset d --neighbours replace --epsilon 1 --table t=absent.csv --unit t=row
expect 2 'no table' "$tacit" init other --dataset d --neighbours replace --epsilon 1 --unit t=row
[[ ! -e other/tacit.toml ]] || fail "a refused init left a file"

ask=("$tacit" query --as ana --epsilon 1 --max-rows 4)

# A plan touches nothing.
before=$(entries)
expect 0 'nothing was charged' "$tacit" plan --as ana --epsilon 1 --max-rows 4 'SELECT count(*) FROM visits'
expect 0 'visits.person' "$tacit" plan --epsilon 1 --max-rows 4 'SELECT hour, count(*) FROM visits GROUP BY hour'
expect 0 'SECRET' "$tacit" plan --epsilon 1 --max-groups 2 --max-rows 4 'SELECT hour, count(*) FROM visits GROUP BY hour'
json 'v["fits"] and v["releases"][0]["columns"][0]["half_width"] > 0 and v["releases"][0]["unit"] == "visits.person"' \
  "$tacit" plan --as ana --epsilon 1 --max-rows 4 'SELECT count(*) FROM visits'
json 'not v["fits"]' "$tacit" plan --as ana --epsilon 500 --max-rows 4 'SELECT count(*) FROM visits'
[[ $(entries) == "$before" ]] || fail "a plan was charged"

# An answer: near the truth, with its half-width, paid for.
expect 0 '± ' "${ask[@]}" 'SELECT count(*) AS n FROM visits'
json 'abs(v["rows"][0][0] - 400) < 200 and v["half_widths"][0][0] > 0 and v["columns"][0]["interval"] == "exact"' \
  "${ask[@]}" 'SELECT count(*) AS n FROM visits'
# The same again: on record, the same number, no new entry; whatever is done with it afterwards.
after=$(entries)
json 'v["on_record"] and v["charged"]["delta"] == 0' "${ask[@]}" 'SELECT count(*) AS n FROM visits'
json 'v["on_record"] and v["columns"][0]["name"] == "double"' "${ask[@]}" 'SELECT 2 * count(*) AS double FROM visits'
# Years are longer than those of std::chrono.
json 'v["on_record"] and v["rows"][0][1] == "64758-02-20"' "${ask[@]}" \
  "SELECT count(*) AS n, DATE '9999-12-31' + 20000000 AS far FROM visits"
expect 0 'free of charge' "${ask[@]}" 'SELECT count(*) AS n FROM visits ORDER BY n'
[[ $(entries) == "$after" ]] || fail "a release on record was charged"
json 'not v["on_record"]' "${ask[@]}" --fresh 'SELECT count(*) AS n FROM visits'
[[ $(entries) == $((after + 1)) ]] || fail "--fresh was not charged"

# Groups: public ones are all there, private ones those of many people.
json '[r[0] for r in v["rows"]] == [9, 10, 11, 12]' "${ask[@]}" 'SELECT hour, count(*) FROM visits GROUP BY hour ORDER BY hour'
json 'sorted(r[0] for r in v["rows"]) == ["Bergen", "Oslo"]' "$tacit" query --as ana --epsilon 3 --max-rows 4 --max-groups 1 'SELECT city, avg(minutes) FROM visits GROUP BY city'

# The least epsilon that is exact enough.
json 'v["half_widths"][0][0] <= 30' "$tacit" query --as ana --within 30 --max-rows 4 'SELECT count(*) FROM visits'
expect 2 'depends on data' "$tacit" plan --within 30 --max-rows 4 'SELECT avg(minutes) FROM visits'
expect 2 'not both' "$tacit" plan --within 30 --epsilon 1 --max-rows 4 'SELECT count(*) FROM visits'

# Bounds that are learnt: shown with the answer, in the certificate, and again from the record.
learn=("$tacit" query --as ana --epsilon 8 --learn rows,groups,ranges)
expect 2 'nothing says how many rows' "$tacit" plan --epsilon 1 'SELECT count(*) FROM visits'
expect 2 "nothing that can be learnt" "$tacit" plan --epsilon 1 --learn columns 'SELECT count(*) FROM visits'
expect 0 'if learnt +count' "$tacit" plan --epsilon 1 --learn rows 'SELECT count(*) FROM visits'
expect 0 '^10 rows ' "$tacit" plan --epsilon 1 --learn-rows 'SELECT count(*) FROM visits'
json '[e["bounds"] for e in v["releases"][0]["examples"]][:2] == ["1 row", "10 rows"] and v["releases"][0]["columns"][0]["half_width"] is None' \
  "$tacit" plan --epsilon 1 --learn rows 'SELECT count(*) FROM visits'
expect 0 'Learnt first: rows of a unit in a group: 4' "${learn[@]}" 'SELECT count(*) AS n, sum(person) AS s FROM visits'
json '[e["what"] for e in v["learned"]] == ["rows of a unit in a group", "range of sum(person)"] and v["learned"][0]["found"] == 4 and v["learned"][1]["found"][1] in (64, 128) and v["on_record"]' \
  "${learn[@]}" 'SELECT count(*) AS n, sum(person) AS s FROM visits'
expect 0 'n' "${learn[@]}" --certificate learned.json 'SELECT count(*) AS n, sum(person) AS s FROM visits'
python3 - <<'PYTHON' || fail "the certificate does not say what was learnt"
import json
release = json.load(open("learned.json"))["releases"][0]
assert release["max_rows"] == 4 and release["learned"][0]["found"] == 4 and release["examples"] == []
assert release["noise"][0]["unit_adds"] == [0.0, 4.0]
PYTHON
expect 0 'none found, too few units' "$tacit" query --as ana --epsilon 0.01 --learn ranges --max-rows 4 'SELECT count(*) AS n, sum(person) AS s FROM visits'
json 'v["rows"][0][1] is None and v["rows"][0][0] is not None and v["learned"][0]["settled"] and v["learned"][0]["found"] is None' \
  "$tacit" query --as ana --epsilon 0.01 --learn ranges --max-rows 4 'SELECT count(*) AS n, sum(person) AS s FROM visits'
expect 2 'depend on data' "$tacit" plan --within 30 --learn rows 'SELECT count(*) FROM visits'
printf 'SELECT count(*) AS n FROM visits; SELECT sum(person) AS s FROM visits;' >learned.sql
expect 0 'Learnt first: range of sum' "${learn[@]}" --batch learned.sql

# Epsilon divided by shares: three times the share, a third of the width.
json '2.5 < v["releases"][0]["noise"][1]["half_width"] / v["releases"][0]["noise"][0]["half_width"] / 60 < 3.5' \
  "$tacit" plan --epsilon 1 --max-rows 4 --share n=3,total=1 'SELECT count(*) AS n, sum(minutes) AS total FROM visits'
expect 2 'total has no share' "$tacit" plan --epsilon 1 --max-rows 4 --share n=3 'SELECT count(*) AS n, sum(minutes) AS total FROM visits'
expect 2 'is called k' "$tacit" plan --epsilon 1 --max-rows 4 --share 'count(*)=3,k=1' 'SELECT count(*) AS n FROM visits'
expect 2 'COLUMN=NUMBER' "$tacit" plan --epsilon 1 --max-rows 4 --share 3 'SELECT count(*) AS n FROM visits'

# Formats and files.
"${ask[@]}" --format csv 'SELECT hour, count(*) AS n FROM visits GROUP BY hour ORDER BY hour' 2>words >answer.csv || fail "csv"
[[ $(head -n 1 answer.csv) == hour,n,n_half_width && $(wc -l <answer.csv) == 5 ]] || fail "csv: $(cat answer.csv)"
grep -q 'free of charge' words || fail "the words of a csv answer are not on standard error"
for ending in csv json parquet; do
  expect 0 '4 rows' "${ask[@]}" -o "out.$ending" 'SELECT hour, count(*) AS n FROM visits GROUP BY hour ORDER BY hour'
  [[ -s out.$ending ]] || fail "no out.$ending"
done
[[ $(head -c 4 out.parquet) == PAR1 ]] || fail "out.parquet is not Parquet"
python3 -c 'import json; v=json.load(open("out.json")); assert [r["hour"] for r in v] == [9, 10, 11, 12] and v[0]["n_half_width"] > 0' || fail "out.json"
# An Arrow stream: a schema, one batch, the end; read whole where pyarrow is installed.
"${ask[@]}" --format arrow 'SELECT hour, count(*) AS n FROM visits GROUP BY hour ORDER BY hour' 2>/dev/null >out.arrows || fail "arrow"
[[ $(head -c 4 out.arrows | od -An -tx1 | tr -d ' ') == ffffffff && $(tail -c 8 out.arrows | od -An -tx1 | tr -d ' ') == ffffffff00000000 ]] ||
  fail "out.arrows is not an Arrow stream"
if python3 -c 'import pyarrow' 2>/dev/null; then
  python3 -c 'import pyarrow.ipc as i; t = i.open_stream("out.arrows").read_all(); t.validate(full=True); assert t["hour"].to_pylist() == [9, 10, 11, 12]' ||
    fail "pyarrow does not read out.arrows"
fi
before=$(entries)
expect 2 'end its name' "${ask[@]}" -o out.xls 'SELECT sum(minutes) FROM visits'
expect 2 'nothing can be written' "${ask[@]}" -o absent/out.csv 'SELECT sum(minutes) FROM visits'
expect 2 'nothing can be written' "${ask[@]}" --certificate absent/c.json 'SELECT sum(minutes) FROM visits'

# The certificate says what was proved and which entry paid.
expect 0 . "${ask[@]}" --certificate c.json 'SELECT sum(minutes) AS total FROM visits'
python3 - <<'PYTHON' || fail "certificate: $(cat c.json)"
import json
c = json.load(open("c.json"))
assert c["format"] == "tacit certificate" and c["dataset"] == "clinic"
assert c["guarantee"]["epsilon"] == "1" and c["guarantee"]["neighbours"] == "add_remove"
assert c["ledger"]["account"] == "clinic/ana" and len(c["ledger"]["digest"]) == 64
assert c["cost"]["neighbours"] == "add_remove" and c["none_proved"] == []
assert c["releases"][0]["unit"] == "visits.person" and c["releases"][0]["max_rows"] == 4
assert len(c["release_digest"]) == 64
PYTHON
[[ $(entries) == $((before + 1)) ]] || fail "what was refused before was charged"

# Statements from a pipe; the first refusal ends it.
printf "SELECT count(*) AS n FROM visits;\n-- a; comment\nSELECT hour,\n count(*) AS k FROM visits WHERE city <> ';'\nGROUP BY hour;" |
  "${ask[@]}" >piped 2>&1 || fail "pipe: $(cat piped)"
grep -q '^ *n' piped && grep -q 'hour' piped || fail "pipe: $(cat piped)"
printf '\\tables\n\\budget\n\\plan SELECT count(*) FROM visits;\n\\q\n' | "${ask[@]}" >piped 2>&1 || fail "commands: $(cat piped)"
grep -q 'unit: person' piped && grep -q 'clinic/ana' piped && grep -q 'No row was read' piped || fail "commands: $(cat piped)"

# A batch: planned together, one entry for all, each answer on record for itself.
cat >batch.sql <<'SQL'
-- two questions; and a third
SELECT count(*) AS n FROM visits WHERE minutes > 12;
SELECT hour, count(*) AS n
FROM visits GROUP BY hour ORDER BY hour;
SELECT 'a;b' AS label;
SQL
before=$(entries)
expect 0 '^\[2\] SELECT hour, count' "$tacit" plan --as ana --epsilon 1 --max-rows 4 --batch batch.sql
json 'len(v["statements"]) == 3 and v["fits"] and v["statements"][0]["releases"][0]["columns"][0]["half_width"] > 0' \
  "$tacit" plan --as ana --epsilon 1 --max-rows 4 --batch batch.sql
[[ $(entries) == "$before" ]] || fail "the plan of a batch was charged"
expect 0 '^\[3\] SELECT .a;b. AS label' "${ask[@]}" --batch batch.sql --certificate batch.json
[[ $(entries) == $((before + 1)) ]] || fail "a batch is not one entry"
python3 - <<'PYTHON' || fail "certificate of a batch: $(cat batch.json)"
import json
c = json.load(open("batch.json"))
assert c["format"] == "tacit batch certificate" and c["guarantee"]["epsilon"] == "1"
assert [len(s["releases"]) for s in c["statements"]] == [1, 1] and len(c["releases"]) == 2
assert c["statements"][0]["ledger"] == c["statements"][1]["ledger"]
PYTHON
json '[a["on_record"] for a in v["answers"]] == [True, True, False] and v["entry"] is None and v["failed"] is None' \
  "${ask[@]}" --batch - <batch.sql
expect 0 'several_2.csv: 4 rows' "${ask[@]}" --batch batch.sql -o several.csv
[[ $(wc -l <several_2.csv) == 5 && $(head -n 1 several_3.csv) == label ]] || fail "files of a batch"
[[ $(entries) == $((before + 1)) ]] || fail "a batch on record was charged"
# One more statement pays for itself; --within is for all.
(cat batch.sql && echo 'SELECT count(*) AS n FROM visits WHERE minutes > 12') >same.sql
json 'v["answers"][0]["rows"] == v["answers"][3]["rows"]' "${ask[@]}" --batch same.sql
json 'all(w <= 40 for a in v["answers"] for row in a["half_widths"] for w in row if w)' \
  "$tacit" query --as ana --within 40 --max-rows 4 --batch same.sql
# Refused by number and place, before anything is charged.
before=$(entries)
printf 'SELECT count(*) FROM visits;\n  SELECT person FROM visits;' >bad.sql
expect 2 'statement 2, line 2, column 10, at .person FROM visits' "${ask[@]}" --batch bad.sql
expect 2 'statement 2, line 2, column 10' "$tacit" plan --epsilon 1 --batch bad.sql
expect 2 'no statement' "${ask[@]}" --batch /dev/null
expect 2 'cannot be read' "${ask[@]}" --batch absent.sql
expect 2 'a stream holds one table' "${ask[@]}" --batch batch.sql --format csv
expect 2 'has its statements in a file' "${ask[@]}" --batch batch.sql 'SELECT 1'
expect 2 'give a SELECT' "$tacit" plan --epsilon 1
expect 2 'statement 1 has no share' "$tacit" plan --epsilon 1 --max-rows 4 --share n=1 --batch batch.sql
json 'v["statements"][0]["epsilon"] == "0.75"' "$tacit" plan --epsilon 1 --max-rows 4 --share 1=3,2=1 --batch batch.sql
expect 1 'budget does not allow' "$tacit" query --as ana --epsilon 500 --max-rows 4 --batch batch.sql
[[ $(entries) == "$before" ]] || fail "a batch that was refused was charged"

# Refused by the plan: status 2, the place, and nothing charged.
before=$(entries)
expect 2 'nope' "${ask[@]}" 'SELECT count(nope) FROM visits'
expect 2 'absent' "${ask[@]}" 'SELECT count(*) FROM absent'
expect 2 'would release columns of private rows' "${ask[@]}" 'SELECT person FROM visits'
expect 2 'line 1' "${ask[@]}" 'SELECT FROM WHERE'
expect 2 'over released columns fails' "${ask[@]}" 'SELECT no_such(count(*)) FROM visits'
expect 2 . "${ask[@]}" 'SELECT count(*) FROM visits; SELECT 1'
expect 2 . "${ask[@]}" 'DROP TABLE visits'
expect 2 'epsilon must be above 0' "$tacit" query --as ana --epsilon 0 'SELECT count(*) FROM visits'
expect 2 'may cost' "$tacit" query --as ana 'SELECT count(*) FROM visits'
expect 2 'say who asks' "$tacit" query --epsilon 1 'SELECT count(*) FROM visits'
expect 2 'the query is empty' "${ask[@]}" '' </dev/null
expect 2 'the query is empty' "${ask[@]}" ' ; ' </dev/null
expect 2 "no analyst" "$tacit" query --as bob --epsilon 1 'SELECT count(*) FROM visits'
expect 2 . "$tacit" query --as ana --epsilon x 'SELECT count(*) FROM visits'
expect 2 'at least 1' "$tacit" query --as ana --epsilon 1 --max-rows 0 'SELECT count(*) FROM visits'
expect 2 'give --max-rows' "$tacit" query --as ana --epsilon 1 'SELECT count(*) FROM visits'
expect 2 'nowhere' "$tacit" query --dataset nowhere --as ana --epsilon 1 'SELECT count(*) FROM visits'
expect 2 . "${ask[@]}" --format xml 'SELECT count(*) FROM visits'
# Refused by the budget: status 1.
expect 1 'budget does not allow' "$tacit" query --as ana --epsilon 500 --max-rows 4 'SELECT count(*) FROM visits'
[[ $(entries) == "$before" ]] || fail "a refusal was charged"

# On a terminal what is refused keeps to its 80 columns.
if command -v script >/dev/null; then
  widest=$(script -qec "$tacit query --as ana --epsilon 1 'SELECT person FROM visits'" /dev/null |
    tr -d '\r' | awk '{ if (length > n) n = length } END { print n }')
  ((widest > 20 && widest <= 80)) || fail "a refusal is $widest columns wide on a terminal"
fi

# A dataset without analysts: nobody needs to say who asks.
expect 0 'a new ledger' "$tacit" init alone --dataset d --neighbours add_remove --epsilon 5 \
  --table visits=visits.csv --unit visits=row
expect 0 'count' "$tacit" query --workspace alone --epsilon 1 'SELECT count(*) FROM visits'
expect 0 'Charged to d:' "$tacit" query --workspace alone --as anybody --epsilon 1 --fresh \
  'SELECT count(*) FROM visits'

# Days, months and years are public keys where dates have a range; so is NULL.
sed -i 's/^day = .*/day = {type = "date", min = 2026-01-01, max = 2026-03-31}/' alone/tacit.toml
expect 0 'NULL' "$tacit" query --workspace alone --epsilon 1 \
  "SELECT date_trunc('month', day) AS month, count(*) AS n FROM visits GROUP BY 1"
sed -i 's/^day = .*/day = {type = "date", min = 1, max = 2}/' alone/tacit.toml
expect 2 "column's type" "$tacit" query --workspace alone --epsilon 1 'SELECT count(*) FROM visits'

# The world: no workspace, no file.
(failures=0 && cd / && expect 2 'tacit.toml' "$tacit" query --as ana --epsilon 1 'SELECT 1' && exit "$failures") || fail "no workspace"
mv visits.csv gone.csv
expect 3 'no file' "${ask[@]}" 'SELECT count(*) FROM visits'
mv gone.csv visits.csv
[[ $(entries) == "$before" ]] || fail "a missing file was charged"

[[ $failures -eq 0 ]] && echo "all holds"
exit "$((failures > 0))"

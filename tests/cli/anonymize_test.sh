#!/bin/bash
# 'tacit inspect', 'tacit anonymize' and 'tacit risk' as a steward runs them.
# Usage: anonymize_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

# holds EXPRESSION FILE: a Python expression over the rows `r` of a CSV file that must hold.
holds() {
  python3 -c "import csv,sys,collections; r=list(csv.DictReader(open('$2'))); sys.exit(not ($1))" ||
    fail "$2 does not fulfil $1: $(head -n 3 "$2")"
}

# 2,000 people; the number of each is in the column row, which stays.
python3 - <<'PYTHON'
import random
random.seed(5)
with open("people.csv", "w") as out:
    print("name,email,born,age,zip,sex,row,disease", file=out)
    for i in range(2000):
        age = random.randint(18, 95)
        disease = random.choice(["flu", "flu", "asthma", '"broken, arm"', "none", ""])
        zip = "" if i == 7 else "02%03d" % random.randint(100, 400)
        print("P%d" % i, "p%d@example.org" % i, "%d-%02d-%02d" % (2026 - age, 1 + i % 12, 1 + i % 28),
              age, zip, random.choice("FM"), i, disease, sep=",", file=out)
PYTHON
cat >policy.toml <<'TOML'
[columns]
name = "identifier"
email = {role = "identifier", pseudonym = true}
born = {role = "quasi-identifier", hierarchy = {date = ["month", "year", "decade"]}}
age = {role = "quasi-identifier", hierarchy = {intervals = [5, 10, 20], from = 0, to = 90}}
zip = {role = "quasi-identifier", hierarchy = {mask = "right"}}
sex = "quasi-identifier"
row = "other"
disease = {role = "sensitive", criteria = {distinct_l = 2}}

[privacy]
k = 5
suppression = 0.05
TOML
anonymize=("$tacit" anonymize people.csv --policy policy.toml --accept-no-dp)

# Without the steward's word nothing is written.
expect 2 'accept-no-dp' "$tacit" anonymize people.csv --policy policy.toml -o safe.csv
[[ ! -e safe.csv && ! -e policy.key ]] || fail "a refusal left files: $(ls)"

# The table: as the policy says, checked by another program.
expect 0 'written file: 5-anonymity, distinct$' \
  "${anonymize[@]}" -o safe.csv
holds 'list(r[0]) == ["email", "born", "age", "zip", "sex", "row", "disease"] and 1900 <= len(r) < 2001' safe.csv
holds 'min(collections.Counter((p["born"], p["age"], p["zip"], p["sex"]) for p in r).values()) >= 5' safe.csv
holds 'min(len({q["disease"] for q in r if (q["born"], q["age"], q["zip"], q["sex"]) == k}) for k in {(p["born"], p["age"], p["zip"], p["sex"]) for p in r}) >= 2' safe.csv
holds 'all(len(p["email"]) == 32 and "@" not in p["email"] for p in r) and len({p["email"] for p in r}) == len(r)' safe.csv
holds '{p["disease"] for p in r} == {"flu", "asthma", "broken, arm", "none", ""}' safe.csv
# The order is fresh and tells nothing of that of the table.
holds 'sum(int(a["row"]) < int(b["row"]) for a, b in zip(r, r[1:])) in range(750, 1150)' safe.csv
expect 0 'Satisfied' "${anonymize[@]}" -o again.csv
cmp -s safe.csv again.csv && fail "two tables have one order"
# The same key gives the same pseudonyms, and is its owner's alone; another gives others.
[[ $(stat -c %a policy.key) == 600 ]] || fail "the key has mode $(stat -c %a policy.key)"
diff <(cut -d, -f1,6 safe.csv | sort) <(cut -d, -f1,6 again.csv | sort) >/dev/null || fail "pseudonyms changed with the key"
expect 0 'other.key' "${anonymize[@]}" -o other.csv --pseudonym-key other.key
diff <(cut -d, -f1,6 safe.csv | sort) <(cut -d, -f1,6 other.csv | sort) >/dev/null && fail "another key gave the same pseudonyms"
echo broken >bad.key
expect 2 'no key for pseudonyms' "${anonymize[@]}" -o other.csv --pseudonym-key bad.key

# For programs, and other formats; nothing of the original is left in them.
json 'v["criteria"][0] == "5-anonymity" and v["rows"] == 2000 and v["suppressed"] <= 100 and v["risk"]["published"]["smallest_class"] >= 5 and v["risk"]["published"]["prosecutor"]["highest"] <= 0.2 and v["guarantee"] == "none proved" and v["entry"] is None and [l["column"] for l in v["levels"]] == ["born", "age", "zip", "sex"]' \
  "${anonymize[@]}" -o safe.parquet
[[ $(head -c 4 safe.parquet) == PAR1 ]] || fail "safe.parquet is not Parquet"
# (A byte of the compression before a year can look like a name or two.)
! grep -aq 'example.org' safe.parquet && (($(grep -aoE 'P1[0-9]{3}' safe.parquet | wc -l) < 100)) ||
  fail "safe.parquet holds identifiers"
expect 0 'Satisfied' "${anonymize[@]}" -o safe.json
python3 -c 'import json; r = [json.loads(line) for line in open("safe.json")]; assert 1900 <= len(r) <= 2000 and "name" not in r[0]' || fail "safe.json"
# Parquet in, with its types.
cat >typed.toml <<'TOML'
[columns]
email = "identifier"
born = "identifier"
age = "identifier"
zip = "other"
sex = "quasi-identifier"
row = "other"
disease = "other"
[privacy]
k = 5
TOML
expect 0 'Satisfied' "$tacit" anonymize safe.parquet --policy typed.toml --accept-no-dp -o typed.csv
holds 'list(r[0]) == ["zip", "sex", "row", "disease"]' typed.csv

# Other methods: classes that show what they span, rows at different levels, single cells.
for method in 'kind = "mondrian"' $'kind = "mondrian"\nrelaxed = true' 'kind = "local"' 'kind = "microaggregation"' 'kind = "cells"'; do
  printf '%s\n[method]\n%s\n' "$(cat policy.toml)" "$method" >method.toml
  expect 0 'a cell stands for' "$tacit" anonymize people.csv --policy method.toml --accept-no-dp -o method.csv
  holds 'min(collections.Counter((p["born"], p["age"], p["zip"], p["sex"]) for p in r).values()) >= 5' method.csv
  holds 'len({p["row"] for p in r}) == len(r) >= 1900' method.csv
  holds 'min(len({q["disease"] for q in r if (q["born"], q["age"], q["zip"], q["sex"]) == k}) for k in {(p["born"], p["age"], p["zip"], p["sex"]) for p in r}) >= 2' method.csv
done
holds 'all(p["sex"] in "MF*" and (p["age"] == "*" or 18 <= int(p["age"]) <= 95) for p in r)' method.csv
printf '%s\n[method]\nkind = "mondrian"\n' "$(cat policy.toml)" >method.toml
json 'v["method"] == "Mondrian" and v["suppressed"] == 0 and 0 < v["score"] < 0.5 and [l["column"] for l in v["levels"]] == ["born", "age", "zip", "sex"]' \
  "$tacit" anonymize people.csv --policy method.toml --accept-no-dp -o method.parquet

# What is dearer, coarser values or rows that go.
sed '$a [utility]\nweights = {generalization = 0}' policy.toml >weights.toml
json 'v["suppressed"] == 0 and v["score"] == 0' "$tacit" anonymize people.csv --policy weights.toml --accept-no-dp -o weighed.csv
sed '$a [utility]\nweights = {suppression = 0}' policy.toml >weights.toml
json '0 < v["suppressed"] <= 100' "$tacit" anonymize people.csv --policy weights.toml --accept-no-dp -o weighed.csv
sed '$a [utility]\nweights = {suppression = 0, generalization = 0}' policy.toml >weights.toml
expect 2 'weights.toml:15: one of the weights must be above 0' "$tacit" anonymize people.csv --policy weights.toml --accept-no-dp -o weighed.csv

# A missing value as one that matches anything: a row that misses its ZIP hides others.
printf 'zip,sex\n02139,F\n02139,M\n,F\n,M\n,F\n,M\n' >zips.csv
printf '[columns]\nzip = "quasi-identifier"\nsex = "other"\n[privacy]\nk = 4\nmissing = "anything"\n' >missing.toml
expect 0 '4-anonymity where missing$' "$tacit" anonymize zips.csv --policy missing.toml --accept-no-dp -o zips-safe.csv
diff <(sort zips.csv) <(sort zips-safe.csv) >/dev/null || fail "rows that miss a value hide nobody: $(cat zips-safe.csv)"
json 'v["criteria"] == ["4-anonymity where missing values match anything"]' \
  "$tacit" anonymize zips.csv --policy missing.toml --accept-no-dp -o zips-safe.csv
expect 2 'missing values that match anything are not compared' "$tacit" anonymize zips.csv --policy missing.toml --accept-no-dp -o out.csv --against safe.csv
sed 's/anything/value/' missing.toml >value.toml
json 'v["levels"][0]["level"] == 1' "$tacit" anonymize zips.csv --policy value.toml --accept-no-dp -o zips-safe.csv

# Columns that are changed before, and a sample.
sed -e 's/^age = .*/age = {role = "quasi-identifier", bottom = 25, top = 80}/' \
  -e 's/^row = .*/row = {role = "other", microaggregate = 4, round = 10}/' \
  -e 's/^disease = .*/disease = {role = "sensitive", criteria = {distinct_l = 2}, pram = {probability = 0.5, invariant = true}}/' \
  -e '$a [method]\nkind = "mondrian"\nsample = 0.5' policy.toml >changed.toml
expect 0 "a sample of 0.5" "$tacit" anonymize people.csv --policy changed.toml --accept-no-dp -o changed.csv
holds '800 < len(r) < 1200 and min(collections.Counter((p["born"], p["age"], p["zip"], p["sex"]) for p in r).values()) >= 5' changed.csv
holds 'all(25 <= int(a) <= 80 for p in r for a in p["age"].split(" .. ")) and all(int(p["row"]) % 10 == 0 for p in r)' changed.csv
json 'v["changes"]["age"] == "at least 25, at most 80" and v["rows"] < 1200' \
  "$tacit" anonymize people.csv --policy changed.toml --accept-no-dp -o changed.csv
expect 2 "'age' is changed before it is published" "$tacit" anonymize people.csv --policy changed.toml --accept-no-dp -o other.csv --against safe.csv

# Risk of what is there and of what was published.
json 'v["risk"]["smallest_class"] == 1 and v["risk"]["prosecutor"]["average"] > 0.9' "$tacit" risk people.csv --policy policy.toml
json 'v["risk"]["smallest_class"] >= 5' "$tacit" risk safe.csv --policy policy.toml
expect 0 'journalist' "$tacit" risk safe.parquet --policy policy.toml

# A policy from a look at the file, taken as it is.
expect 0 'HIPAA 6' "$tacit" inspect people.csv -o proposed.toml
json '{c["column"]: c["role"] for c in v["columns"]} == {"name": "identifier", "email": "identifier", "born": "quasi-identifier", "age": "quasi-identifier", "zip": "quasi-identifier", "sex": "quasi-identifier", "row": "identifier", "disease": "sensitive"} and v["sets"][0]["unique_rows"] > 1900' \
  "$tacit" inspect people.csv
expect 0 'Satisfied' "$tacit" anonymize people.csv --policy proposed.toml --accept-no-dp -o proposed.csv
expect 2 'there already' "$tacit" inspect people.csv -o proposed.toml

# In a workspace the release is an entry that says nothing is proved.
expect 0 'a new ledger' "$tacit" init clinic --dataset clinic --neighbours add_remove --epsilon 1
expect 0 'Entered in the ledger of clinic as entry 3' "${anonymize[@]}" -o safe.csv --workspace clinic --as maria
json 'v["dataset"] == "clinic" and v["entry"].startswith("4:")' "${anonymize[@]}" -o safe.csv --workspace clinic
expect 0 'none.proved' "$tacit" ledger history --workspace clinic
expect 2 "no dataset 'ward'" "${anonymize[@]}" -o safe.csv --workspace clinic --dataset ward
expect 2 'no workspace' "${anonymize[@]}" -o safe.csv --dataset ward

# With a table of the population: k-map and delta-presence.
python3 - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("people.csv")))
for name, columns, part in [("census.csv", ["age", "sex"], rows), ("sample.csv", ["age", "sex", "disease"], rows[::3])]:
    out = csv.DictWriter(open(name, "w"), columns, extrasaction="ignore")
    out.writeheader()
    out.writerows(part)
PYTHON
cat >population.toml <<'TOML'
[columns]
age = {role = "quasi-identifier", hierarchy = {intervals = [5, 10, 20], from = 0, to = 90}}
sex = "quasi-identifier"
disease = {role = "sensitive", hierarchy = {file = "disease.csv"}, order = ["none", "", "flu", "asthma", "broken, arm"], criteria = {hierarchical_t = 0.4, ordered_t = 0.4}}
[privacy]
k_map = 20
delta_presence = {least = 0, most = 0.5}
suppression = 0.1
[population]
file = "census.csv"
TOML
printf 'flu;ill;*\nasthma;ill;*\nbroken, arm;hurt;*\nnone;well;*\n;unknown;*\n' >disease.csv
expect 0 'written file: 20-map, \(0,0.5\)-presence,' "$tacit" anonymize sample.csv --policy population.toml --accept-no-dp -o mapped.csv
holds 'len(r) > 500' mapped.csv

# Bad input: said plainly, and no output is left behind.
# refused PATTERN COMMAND...: status 2, and the file out.csv is not there, nor a part of it.
refused() {
  local pattern=$1
  shift
  expect 2 "$pattern" "$@" --accept-no-dp -o out.csv
  [[ -z $(ls | grep '^out') ]] || fail "left behind by '$*': $(ls | grep '^out')"
}
sed 's/^age/years/' policy.toml >bad.toml
refused "bad.toml:5: 'people.csv' has no column 'years'" "$tacit" anonymize people.csv --policy bad.toml
grep -v '^row' policy.toml >bad.toml
refused 'no role for the columns .*: row' "$tacit" anonymize people.csv --policy bad.toml
sed 's/^k = 5/k = 5000/' policy.toml >bad.toml
refused '5000-anonymity in 2000 of 2000 rows' "$tacit" anonymize people.csv --policy bad.toml
expect 2 'this would do: k = 2000' "$tacit" anonymize people.csv --policy bad.toml --accept-no-dp -o out.csv
sed 's/^sex = .*/sex = {role = "quasi-identifier", hierarchy = {file = "sex.csv"}}/' policy.toml >bad.toml
refused 'sex.csv: the hierarchy of sex cannot be read' "$tacit" anonymize people.csv --policy bad.toml
printf 'F;*\n' >sex.csv
refused "does not hold 'M'" "$tacit" anonymize people.csv --policy bad.toml
printf 'F;*\nM;*\nF;*\n' >sex.csv
refused "'F' stands in it twice" "$tacit" anonymize people.csv --policy bad.toml
printf 'F;x;*\nM;x\n' >sex.csv
refused 'line 2 has 2 fields' "$tacit" anonymize people.csv --policy bad.toml
sed 's/intervals = \[5, 10, 20\]/intervals = [5, 12]/' policy.toml >bad.toml
refused 'bad.toml:5: the levels of .intervals. do not nest' "$tacit" anonymize people.csv --policy bad.toml
sed 's/^sex = .*/sex = "sexy"/' policy.toml >bad.toml
refused 'bad.toml:7: this is not a role' "$tacit" anonymize people.csv --policy bad.toml
sed 's/^disease = .*/disease = {role = "sensitive", noise = {deviation = 5}}/' policy.toml >bad.toml
refused "bad.toml:9: 'disease' has [0-9]* values that are no numbers" "$tacit" anonymize people.csv --policy bad.toml
sed 's/^disease = .*/disease = {role = "sensitive", pram = {probability = 0.1, alpha = 0.1, beta = 0.3}}/' policy.toml >bad.toml
refused 'this would do: probability = ' "$tacit" anonymize people.csv --policy bad.toml
printf '%s\n[method]\nkind = "magic"\n' "$(cat policy.toml)" >bad.toml
refused 'bad.toml:15: this is not a method' "$tacit" anonymize people.csv --policy bad.toml
printf '%s\n[method]\nkind = "cells"\nrelaxed = true\n' "$(cat policy.toml)" >bad.toml
refused "'relaxed' is true or false, of Mondrian" "$tacit" anonymize people.csv --policy bad.toml
sed 's/^k = 5/k = 5000/' policy.toml | sed '$a [method]\nkind = "mondrian"' >bad.toml
refused 'the whole table as one breaks 5000-anonymity' "$tacit" anonymize people.csv --policy bad.toml
(cat people.csv && echo 'P,1,2') >short.csv
refused 'Line: 2002 Expected Number of Columns: 8 Found: 3' "$tacit" anonymize short.csv --policy policy.toml
# What is said of a broken line does not repeat it.
sed '$s/.*/Kunigunde,1,2/' short.csv >secret.csv
"$tacit" anonymize secret.csv --policy policy.toml --accept-no-dp -o out.csv 2>&1 | grep -q Kunigunde && fail "a broken line is shown"
(cat people.csv && echo 'P,"open') >open.csv
refused 'cannot be read' "$tacit" anonymize open.csv --policy policy.toml
head -n 1 people.csv >empty.csv
refused 'no rows' "$tacit" anonymize empty.csv --policy policy.toml
head -c 300 safe.parquet >cut.parquet
refused 'cannot be read' "$tacit" anonymize cut.parquet --policy policy.toml
refused 'no such file' "$tacit" anonymize absent.csv --policy policy.toml
refused 'does not say what it is' "$tacit" anonymize policy.toml --policy policy.toml
refused 'cannot be read' "$tacit" anonymize people.csv --policy absent.toml
expect 2 'end its name' "${anonymize[@]}" -o out.xls
expect 2 'replace the table itself' "${anonymize[@]}" -o people.csv
expect 2 'nothing can be written' "${anonymize[@]}" -o absent/out.csv

# Too many recodings for the optimum: as far as --effort goes, or until Ctrl-C.
python3 - <<'PYTHON'
columns = [f"c{i}" for i in range(26)]
with open("wide.csv", "w") as table:
    print(",".join(columns), file=table)
    for row in range(300):
        print(",".join(str((row * 2654435761 >> i) % 2) for i in range(26)), file=table)
with open("wide.toml", "w") as policy:
    print("[columns]", *[f'{name} = "quasi-identifier"' for name in columns], sep="\n", file=policy)
    print("[privacy]\nk = 5\nsuppression = 0.1", file=policy)
PYTHON
wide=("$tacit" anonymize wide.csv --policy wide.toml -o wide_safe.csv --accept-no-dp)
json 'v["score_at_least"] <= v["score"] and v["nodes"]["looked_at"] <= 300' "${wide[@]}" --effort 300
rm -f wide_safe.csv
python3 - "${wide[@]}" --effort 100000000 <<'PYTHON' || fail "Ctrl-C does not give the best so far"
import os, signal, subprocess, sys, time
running = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
time.sleep(1)
running.send_signal(signal.SIGINT)
said, _ = running.communicate(timeout=60)
assert running.returncode == 0, running.returncode
assert "the least found; no recoding has less than" in " ".join(said.split()), said
assert len(open("wide_safe.csv").readlines()) > 250
assert not [name for name in os.listdir(".") if name.endswith(".tmp")]
PYTHON

# What it prints keeps to 80 columns.
for command in "${anonymize[*]} -o safe.csv" "$tacit inspect people.csv" "$tacit risk people.csv --policy policy.toml"; do
  widest=$($command | LC_ALL=C.UTF-8 awk '{ if (length > n) n = length } END { print n }')
  ((widest > 20 && widest <= 80)) || fail "'$command' prints $widest columns"
done

[[ $failures -eq 0 ]] && echo "all holds"
exit "$((failures > 0))"

#!/bin/bash
# 'tacit anonymize --against': a release beside earlier ones of the same people.
# Usage: anonymize_against_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

# 900 people; those of May are the first 600 of them.
python3 - <<'PYTHON'
import random
random.seed(7)
lines = ["id,age,zip,illness"]
for i in range(900):
    lines.append("p%d,%d,%05d,%s" % (i, random.randint(20, 79), random.randint(13000, 13099),
                                     random.choice(["flu", "gout", "cold", "cancer", "none", "measles"])))
open("june.csv", "w").write("\n".join(lines) + "\n")
open("may.csv", "w").write("\n".join(lines[:601]) + "\n")
PYTHON
# The two policies: one keeps the ages, the other the places.
for kept in age zip; do
  cat >$kept.toml <<TOML
[columns]
id = {role = "identifier", pseudonym = true}
age = {role = "quasi-identifier", weight = $([[ $kept == age ]] && echo 9 || echo 1), hierarchy = {intervals = [5, 10, 20], from = 20, to = 80}}
zip = {role = "quasi-identifier", weight = $([[ $kept == zip ]] && echo 9 || echo 1), hierarchy = {mask = "right"}}
illness = {role = "sensitive", criteria = {distinct_l = 2}}
[privacy]
k = 3
suppression = 0.5
TOML
done
publish() { "$tacit" anonymize "$1.csv" --policy "$2.toml" --accept-no-dp --pseudonym-key "$3.key" -o "$3.csv" "${@:4}"; }
expect 0 'Satisfied' publish may age safe-may

# The same people by the same policy: the same classes, which tell nothing new.
expect 0 'reveals no more' publish may age again --against safe-may.csv
# Later, with other people besides: the other classes cut each other.
expect 2 'safe-may.csv it reveals more than the policy allows: of [0-9]+ people' publish june zip safe-june --against safe-may.csv
expect 2 'give --repair to suppress the [0-9]+ rows' publish june zip safe-june --against safe-may.csv
[[ ! -e safe-june.csv ]] || fail "a refusal left the output behind"
expect 0 'For that [0-9,]+ further rows' publish june zip safe-june --against safe-may.csv --repair
expect 0 'looked at\) but for the' publish june zip safe-june --against safe-may.csv --repair

# Checked by another program: whoever knows age and place keeps two values, and three rows.
python3 - <<'PYTHON' || fail "the repaired release exposes people together with the earlier one"
import csv, sys
def rows(name): return list(csv.DictReader(open(name)))
def agrees(label, value):
    if label in ("*", value): return True
    if "-" in label and value.isdigit():
        low, high = label.split("-")
        return int(low) <= int(value) <= int(high)
    return len(label) == len(value) and all(l in ("*", v) for l, v in zip(label, value))
may, june = rows("safe-may.csv"), rows("safe-june.csv")
checked = 0
for person in rows("june.csv"):
    first, second = ([r["illness"] for r in release if agrees(r["age"], person["age"]) and agrees(r["zip"], person["zip"])]
                     for release in (may, june))
    left = set(first) & set(second)
    if not first or not second or person["illness"] not in left: continue
    checked += 1
    if len(left) < 2 < 1 + min(len(set(first)), len(set(second))): sys.exit("values: %s" % person)
    if sum(value in left for value in second) < 3: sys.exit("rows: %s" % person)
sys.exit(0 if checked > 100 else "only %d people are in both" % checked)
PYTHON
output=$(publish june zip safe-june --against safe-may.csv --against again.csv --repair --json) || fail "$output"
python3 -c 'import json,sys; v=json.load(sys.stdin)["against"]; assert v["releases"] == 2 and v["exposed"] > 0 and v["suppressed"] > 0 and v["people"] > 100' <<<"$output" || fail "$output"

# Classes cut by Mondrian, beside themselves and beside others.
(cat zip.toml && printf '[method]\nkind = "mondrian"\n') >cut.toml
expect 0 'Satisfied' publish may cut cut-may
expect 0 'reveals no more' publish may cut cut-again --against cut-may.csv
expect 2 'cut-may.csv it reveals more' publish june cut cut-june --against cut-may.csv
sed 's/suppression = 0.5/suppression = 0.9/' cut.toml >much.toml
expect 0 'For that [0-9,]+ further rows' publish june much cut-june --against cut-may.csv --repair
expect 0 'reveals no more' publish june much cut-other --against cut-may.csv --repair

# Suppressed cells and samples beside an earlier release.
sed 's/mondrian/cells/' much.toml >cells.toml
expect 2 'cut-may.csv it reveals more' publish june cells cells-june --against cut-may.csv
expect 0 'For that [0-9,]+ further rows' publish june cells cells-june --against cut-may.csv --repair
(cat much.toml && printf 'sample = 0.5\n') >half.toml
expect 0 'reveals no more' publish june half half-june --against safe-may.csv --repair

# What rules no value out is not compared.
sed 's/mondrian/microaggregation/' cut.toml >means.toml
expect 2 'does not tell whose they are' publish june means means-june --against cut-may.csv
sed 's/"sensitive"/"sensitive", pram = 0.1/' cut.toml >changed.toml
expect 2 "'illness' is changed before" publish june changed changed-june --against cut-may.csv

# More rows than the policy lets be suppressed.
sed -i 's/suppression = 0.5/suppression = 0.001/' zip.toml
expect 2 'of 900 rows would have to be suppressed, and 0 may be' publish june zip other --against safe-may.csv --repair
# The same key links rows, whatever they show.
expect 2 'rows would have a pseudonym of id that .safe-may.csv. has too' "$tacit" anonymize may.csv --policy age.toml --accept-no-dp --pseudonym-key safe-may.key -o linked.csv --against safe-may.csv
expect 2 'no such file' publish may age other --against absent.csv
expect 2 '.*--against' publish may age other --repair

echo "$failures failures"
exit $((failures > 0))

#!/bin/bash
# 'tacit learn' as an analyst runs it. Usage: learn_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

entries() { "$tacit" ledger verify --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["head"]["sequence"])'; }

# 3000 people in three groups, about (30, 20), (50, 60) and (70, 40).
python3 - <<'PYTHON'
import random
random.seed(5)
with open("people.csv", "w") as out:
    print("id,age,income,group", file=out)
    for i in range(3000):
        age, income, group = [(30, 20, "a"), (50, 60, "b"), (70, 40, "c")][i % 3]
        print(i, round(random.gauss(age, 3), 2), round(random.gauss(income, 3), 2), group, sep=",", file=out)
PYTHON
expect 0 'a new ledger' "$tacit" init . --dataset town --neighbours add_remove --epsilon 90 \
  --analyst ana=80 --table people=people.csv --unit people=row
sed -i 's/^age = .*/age = {type = "real", min = 0, max = 100, nulls = false}/;
        s/^income = .*/income = {type = "real", min = 0, max = 100}/' tacit.toml

kmeans=("$tacit" learn kmeans --as ana --epsilon 2 --from people --columns age,income --clusters 3)
before=$(entries)
expect 0 'nothing was charged' "${kmeans[@]}" --plan
[[ $(entries) == "$before" ]] || fail "a plan was charged"

expect 0 'Charged to town/ana: epsilon 2' "${kmeans[@]}" -o model.json --certificate certificate.json
[[ $(entries) == $((before + 1)) ]] || fail "a model is one entry"
python3 - <<'PYTHON' || fail "the model is not near the truth"
import json
model = json.load(open("model.json"))
centres = sorted(cluster["centre"] for cluster in model["clusters"])
truth = [(30, 20), (50, 60), (70, 40)]
assert model["kind"] == "kmeans" and [f["name"] for f in model["features"]] == ["age", "income"]
assert all(abs(c[0] - t[0]) < 5 and abs(c[1] - t[1]) < 5 for c, t in zip(centres, truth)), centres
assert all(abs(c["size"] - 1000) < 200 for c in model["clusters"])
assert model["guarantee"]["epsilon"] == "2" and model["guarantee"]["delta"] == "0"
certificate = json.load(open("certificate.json"))
assert certificate["guarantee"]["epsilon"] == "2" and len(certificate["releases"]) == 3
assert certificate["question"].startswith("learn kmeans of age,income from people")
PYTHON
expect 0 'free of charge' "${kmeans[@]}"
json 'v["on_record"] and len(v["clusters"]) == 3 and v["charged"]["epsilon"] == 0' "${kmeans[@]}"
json 'not v["on_record"]' "${kmeans[@]}" --fresh --plot clusters.svg
[[ $(grep -c '<circle' clusters.svg) == 3 ]] || fail "the plot has not three clusters"
json 'v["grid_cells"] == 0' "${kmeans[@]}" --method lloyd --rounds 2
json 'len(v["clusters"]) == 2' "$tacit" learn kmeans --as ana --epsilon 1 --clusters 2 \
  --from "SELECT age, income FROM people WHERE age > 40" --columns age,income

# income is about 5 + age / 2 in this view of the rows.
line="SELECT age, age / 2 + 5 + income / 20 AS y FROM people"
linear=("$tacit" learn linear --as ana --epsilon 2 --from "$line" --columns age --target y)
expect 0 'Explains .* of the variance of y' "${linear[@]}"
json 'v["on_record"] and abs(v["slopes"][0]["value"] - 0.53) < 0.2 and v["slopes"][0]["half_width"] > 0' "${linear[@]}"
# The same sums, whatever is made of them.
json 'v["on_record"] and v["ridge"] > 0 and v["guarantee"]["delta"] == "0"' "${linear[@]}" --method functional
json 'v["on_record"] and v["components"][0]["share"] > 0.6 and len(v["covariance"]) == 2' \
  "$tacit" learn pca --as ana --epsilon 2 --from "$line" --columns age,y
expect 0 'Shares of the variance' "$tacit" learn pca --as ana --epsilon 1 --from people --columns age,income --scaled

bayes=("$tacit" learn bayes --as ana --epsilon 2 --columns income --categories old --label tall)
bayes+=(--from "SELECT income, age > 40 AS old, CASE WHEN income > 50 THEN 'yes' ELSE 'no' END AS tall FROM people")
expect 0 'tall +size' "${bayes[@]}"
json '{c["label"]: round(c["numbers"][0]["mean"] / 10) for c in v["classes"]} == {"no": 3, "yes": 6}' "${bayes[@]}"
json 'v["categories"][0]["name"] == "old" and all(abs(sum(c["categories"][0]) - 1) < 1e-9 for c in v["classes"])' "${bayes[@]}"
expect 2 'not known beforehand' "$tacit" learn bayes --as ana --epsilon 1 --from people --columns age --label group

# Without a delta in the account noise is Laplace; old is told by age alone.
logistic=("$tacit" learn logistic --as ana --epsilon 8 --columns age,income --label old)
logistic+=(--from "SELECT age, income, age > 60 AS old FROM people")
expect 0 'each weight|nothing was charged' "${logistic[@]}" --plan
expect 0 'Log odds of old = true' "${logistic[@]}" -o logistic.json --certificate certificate.json
json 'v["on_record"] and v["slopes"][0]["value"] > 3 * abs(v["slopes"][1]["value"])' "${logistic[@]}"
python3 - <<'PYTHON' || fail "the certificate of a logistic regression says something else"
import json
certificate = json.load(open("certificate.json"))
assert certificate["guarantee"]["epsilon"] == "8" and certificate["guarantee"]["delta"] == "0"
assert certificate["releases"][0]["columns"][1]["asked"].startswith("20 sums of gradients")
assert json.load(open("logistic.json"))["label"] == {"name": "old", "zero": False, "one": True}
PYTHON
# Of more classes there is a score for each; rows that may not stay in memory are read again.
thirds=("$tacit" learn logistic --as ana --epsilon 8 --from people --columns age --steps 10 --memory 0)
thirds+=(--label "CASE WHEN age > 60 THEN 'c' WHEN age > 40 THEN 'b' ELSE 'a' END")
expect 0 'share of its exponential' "${thirds[@]}" -o thirds.json
json '[s["of"] for s in v["scores"]] == ["a", "b", "c"] and v["on_record"]' "${thirds[@]}"
# A terminal has 80 columns, however long the expression that names a column of the table is.
too_wide=$("${thirds[@]}" | python3 -c 'import sys; print(*(line for line in sys.stdin if len(line) > 81))')
[ -z "$too_wide" ] || fail "a table of a long label is too wide: $too_wide"
expect 0 'CASE WHEN.*….*END' "${thirds[@]}"
expect 2 'one value alone' "$tacit" learn logistic --as ana --epsilon 1 --from people --columns age \
  --label "CASE WHEN age > 60 THEN 'c' ELSE 'c' END"
expect 2 'no such memory' "$tacit" learn logistic --as ana --epsilon 1 --from people --columns age --label 'age > 60' \
  --memory 99999999999999

# A model tells of new rows for nothing.
printf 'age,income\n30,20\n75,40\n,40\n' > new.csv
before=$(entries)
json 'v["predicted"] == ["false", "true", None] and v["probability"][0] < 0.5' "$tacit" learn apply logistic.json new.csv
json 'set(v["predicted"][:2]) <= {"a", "b", "c"} and abs(v["probability_1"][0] + v["probability_2"][0] + v["probability_3"][0] - 1) < 1e-9' \
  "$tacit" learn apply thirds.json new.csv
json 'v["cluster"][0] != v["cluster"][1]' "$tacit" learn apply model.json new.csv
expect 0 '3 rows in told.csv' "$tacit" learn apply model.json new.csv -o told.csv
[[ $(head -1 told.csv) == age,income,cluster,distance ]] || fail "the rows do not come with what is said of them"
expect 2 'no model' "$tacit" learn apply certificate.json new.csv
expect 2 'no such file' "$tacit" learn apply model.json absent.csv
printf 'age\n1\n' > other.csv
expect 2 'made with' "$tacit" learn apply model.json other.csv
[[ $(entries) == "$before" ]] || fail "applying a model was charged"

# What is refused costs nothing.
before=$(entries)
expect 2 'between 2 and 64' "$tacit" learn kmeans --as ana --epsilon 1 --from people --columns age --clusters 1
expect 2 "no table 'peeple'" "$tacit" learn kmeans --as ana --epsilon 1 --from peeple --columns age --clusters 2
expect 2 '--range id=0..100' "$tacit" learn kmeans --as ana --epsilon 1 --from people --columns id --clusters 2
expect 2 'LOWER..UPPER' "$tacit" learn kmeans --as ana --epsilon 1 --from people --columns id --clusters 2 --range id
expect 2 'say what the model may cost' "$tacit" learn kmeans --as ana --from people --columns age --clusters 2
expect 2 'say who asks' "$tacit" learn kmeans --epsilon 1 --from people --columns age --clusters 2
expect 2 'column beside its target' "$tacit" learn linear --as ana --epsilon 1 --from people --columns '' --target age
expect 2 'folder' "${kmeans[@]}" --fresh -o absent/model.json
expect 1 'budget|left' "$tacit" learn kmeans --as ana --epsilon 95 --from people --columns age --clusters 2
[[ $(entries) == "$before" ]] || fail "a refused model was charged"

echo "$failures failures"
exit $((failures > 0))

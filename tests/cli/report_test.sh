#!/bin/bash
# The report of 'tacit risk' and 'tacit anonymize': on the terminal, as JSON, and as a page.
# Usage: report_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

# whole FILE: well-formed, and nothing in it leads outside or runs.
whole() {
  python3 - "$1" <<'PYTHON' || fail "$1 is no page that stands alone"
import sys
from xml.dom import minidom
page = minidom.parse(sys.argv[1])
for node in page.getElementsByTagName("*"):
    assert node.tagName not in ("script", "link", "img", "iframe", "object", "a"), node.tagName
    for name in node.attributes.keys():
        assert name not in ("href", "src", "xlink:href") and not name.startswith("on"), name
text = open(sys.argv[1]).read()
for outside in ("http", "url(", "@import", "<b>", "P7@"):
    assert outside not in text, outside
assert len(page.getElementsByTagName("svg")) >= 4
assert len(page.getElementsByTagName("title")) > 20
PYTHON
}

# 1,500 people; illness depends on age.
python3 - <<'PYTHON'
import random
random.seed(8)
with open("people.csv", "w") as out:
    print("email,age,city,sex,illness", file=out)
    for i in range(1500):
        age = random.randint(18, 90)
        illness = random.choice(["gout", "gout", "flu"] if age > 50 else ["flu", "flu", "cold"])
        city = random.choice(["Ulm", "Köln", "<b>Bonn</b>", "R&D \"Park\"", ""])
        print("P%d@x.org" % i, age, '"%s"' % city.replace('"', '""'), random.choice("FM"), illness,
              sep=",", file=out)
PYTHON
cat >policy.toml <<'TOML'
[columns]
email = "identifier"
age = {role = "quasi-identifier", hierarchy = {intervals = [5, 10, 20], from = 0, to = 90}}
city = "quasi-identifier"
sex = "quasi-identifier"
illness = "sensitive"

[privacy]
k = 5
suppression = 0.05

[utility]
target = "illness"
TOML
anonymize=("$tacit" anonymize people.csv --policy policy.toml --accept-no-dp -o safe.csv)
risk=("$tacit" risk people.csv --policy policy.toml)

# The table as it is.
expect 0 'Minimal sample uniques' "${risk[@]}"
expect 0 'illness .*%' "${risk[@]}"
expect 0 ' 5% .*%' "${risk[@]}" --sampling-fraction 0.05
json '[p["sampling_fraction"] for p in v["report"]["table"]["population"]] == [0.01, 0.1, 0.5] and sum(a * b for a, b in v["report"]["table"]["class_sizes"]) == 1500 and set(v["report"]["table"]["disclosure"]) == {"illness"} and "published" not in v["report"]' \
  "${risk[@]}"
json 'all(0 <= p["population_uniques"]["dankar"] <= 1 and p["individual_risk"]["average"] <= p["individual_risk"]["highest"] <= 1 for p in v["report"]["table"]["population"]) and abs(v["report"]["table"]["sample_uniques"]["contributions"]["age"]) <= 1' \
  "${risk[@]}" --report risk.html
whole risk.html
grep -q 'What holds' risk.html && fail "the page of a table as it is speaks of what holds"

# What was published.
expect 0 'illness is predicted right in' "${anonymize[@]}"
expect 0 'kept' "${anonymize[@]}"
json 'v["report"]["published"]["risk"]["smallest_class"] >= 5 and v["report"]["published"]["sample_uniques"]["rows"] == 0 and v["report"]["classification"]["baseline"] < v["report"]["classification"]["published"] <= v["report"]["classification"]["before"] + 0.05' \
  "${anonymize[@]}"
json 'all(0 <= c["kept"][m] <= 1 for c in v["report"]["columns"] for m in c["kept"]) and sum(p["levels"] == [l["level"] for l in v["levels"]] and p["satisfies"] and abs(p["score"] - v["score"]) < 1e-12 for p in v["report"]["lattice"]) == 1' \
  "${anonymize[@]}" --report report.html
whole report.html
for words in 'What holds' '5-anonymity' 'This is not differential privacy' 'do not publish it' '&lt;b&gt;Bonn'; do
  grep -q "$words" report.html || fail "report.html does not say: $words"
done

# Published class by class: no levels, and no lattice to show.
for kind in mondrian local cells; do
  printf '%s\n[method]\nkind = "%s"\n' "$(cat policy.toml)" "$kind" >method.toml
  json 'v["report"]["published"]["risk"] == v["risk"]["published"] and v["report"]["lattice"] == [] and all(c["kept"]["precision"] is None and 0 <= c["kept"]["granularity"] <= 1 and 0 <= c["kept"]["entropy"] <= 1 for c in v["report"]["columns"])' \
    "$tacit" anonymize people.csv --policy method.toml --accept-no-dp -o method.csv --report method.html
  whole method.html
done
expect 0 'illness is predicted right in' "$tacit" anonymize people.csv --policy method.toml --accept-no-dp -o method.csv

# Refused before anything is written.
rm -f safe.csv
expect 2 'end its name in .html' "${anonymize[@]}" --report report.pdf
expect 2 'would replace' "$tacit" risk people.html --policy policy.toml --report people.html
for part in 1.5 0 -0.1 nan; do
  expect 2 'no part of a population' "${anonymize[@]}" --sampling-fraction "$part"
done
expect 2 'nothing can be written' "${anonymize[@]}" --report absent/report.html
[[ ! -e safe.csv ]] || fail "a refusal left a table"
sed 's/^target = .*/target = "email"/' policy.toml >bad.toml
expect 2 "bad.toml:13: 'target' is not" "$tacit" risk people.csv --policy bad.toml

# What it prints keeps to 80 columns.
for command in "${anonymize[*]}" "${risk[*]}"; do
  widest=$($command | LC_ALL=C.UTF-8 awk '{ if (length > n) n = length } END { print n }')
  ((widest > 20 && widest <= 80)) || fail "'$command' prints $widest columns"
done

[[ $failures -eq 0 ]] && echo "all holds"
exit "$((failures > 0))"

#!/bin/bash
# Attacks on published tables as a steward runs them. Usage: attack_table_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

# Four patients a class; one class has one condition, another two.
cat >safe.csv <<'END'
age,zip,condition,pay
20-29,130**,heart disease,1000
20-29,130**,heart disease,1100
20-29,130**,infection,9000
20-29,130**,infection,2000
30-39,1322*,cancer,3000
30-39,1322*,cancer,3100
30-39,1322*,cancer,3200
30-39,1322*,cancer,3050
40-59,148**,cancer,1000
40-59,148**,flu,9000
40-59,148**,heart disease,4000
40-59,148**,flu,5000
END
cat >policy.toml <<'TOML'
[columns]
name = "identifier"
age = {role = "quasi-identifier", hierarchy = {intervals = [10, 20], from = 0, to = 80}}
zip = {role = "quasi-identifier", hierarchy = {mask = "right"}}
condition = "sensitive"
pay = "sensitive"
[privacy]
k = 2
TOML

# One by one.
attack=("$tacit" attack)
expect 0 '^4 +12 +33.33%' "${attack[@]}" homogeneity safe.csv --policy policy.toml --sensitive condition
expect 0 'condition cancer' "${attack[@]}" homogeneity safe.csv --policy policy.toml --sensitive condition --show-victims 1
"${attack[@]}" homogeneity safe.csv --policy policy.toml | grep -q 'condition cancer' && fail "victims are shown unasked"
json 'v["attacks"][0]["successes"] == 8 and v["attacks"][0]["column"] == "condition" and v["attacks"][0]["certain"] and v["attacks"][0]["victims"] == []' \
  "${attack[@]}" background safe.csv --policy policy.toml
json 'v["attacks"][0]["successes"] == 12' "${attack[@]}" background safe.csv --policy policy.toml --excluded 2
json 'v["attacks"][0]["successes"] == 8 and abs(v["attacks"][0]["baseline"] - 5/12) < 1e-9' \
  "${attack[@]}" skewness safe.csv --policy policy.toml
printf 'heart disease,chronic\ncancer,chronic\nflu,acute\ninfection,acute\n' >conditions.csv
json 'v["attacks"][0]["successes"] == 4 and abs(v["attacks"][0]["baseline"] - 8/12) < 1e-9' \
  "${attack[@]}" similarity safe.csv --policy policy.toml --sensitive condition --taxonomy conditions.csv
json 'v["attacks"][0]["successes"] == 4 and v["attacks"][0]["victims"][0]["learned"] == "pay 3000 to 3200"' \
  "${attack[@]}" similarity safe.csv --policy policy.toml --sensitive pay --within 500 --show-victims 1
expect 2 'does not hold .flu' "${attack[@]}" similarity safe.csv --policy policy.toml --sensitive condition --taxonomy <(grep -v flu conditions.csv)
expect 2 'are no numbers' "${attack[@]}" similarity safe.csv --policy policy.toml --within 5
expect 2 'which values of condition are alike is not said' "${attack[@]}" similarity safe.csv --policy policy.toml
expect 2 'there are: condition, pay' "${attack[@]}" skewness safe.csv --policy policy.toml --sensitive zip

# Two releases, each with several conditions for everybody, have one in common.
cat >later.csv <<'END'
age,zip,condition
20-39,13***,infection
20-39,13***,fracture
20-39,13***,cancer
20-39,13***,measles
END
printf 'name,age,zip,condition,pay\nCary,21,13068,infection,9000\nIgor,31,13222,cancer,3000\n' >people.csv
json 'v["attacks"][0]["successes"] == 2 and v["attacks"][0]["targets"] == 2 and v["attacks"][0]["baseline"] == 0.5' \
  "${attack[@]}" composition safe.csv later.csv --policy policy.toml --people people.csv
expect 0 'age 21, zip 13068 +condition infection' "${attack[@]}" composition safe.csv later.csv --policy policy.toml --people people.csv --show-victims 5

# Only two people with one illness can have refused the finer table.
printf 'place,illness\none,HIV\none,HIV\ntwo,flu\ntwo,gout\ntwo,cold\ntwo,cough\n' >ill.csv
cat >ill.toml <<'TOML'
[columns]
place = "quasi-identifier"
illness = {role = "sensitive", criteria = {alpha = 0.5}}
[privacy]
k = 2
TOML
expect 0 'Satisfied' "$tacit" anonymize ill.csv --policy ill.toml --accept-no-dp -o ill-safe.csv
expect 0 'place one +illness HIV: 33.3% to 100%' "${attack[@]}" minimality ill-safe.csv --policy ill.toml --original ill.csv --show-victims 1
json 'v["attacks"][0]["targets"] == 6 and abs(v["attacks"][0]["baseline"] - 1/3) < 1e-9 and v["attacks"][0]["column"] == "illness"' \
  "${attack[@]}" minimality ill-safe.csv --policy ill.toml --original ill.csv --worlds 2000
expect 2 'not in range 1 to 1000000000' "${attack[@]}" minimality ill-safe.csv --policy ill.toml --original ill.csv --worlds 0
expect 2 'not the best recoding' "${attack[@]}" minimality ill.csv --policy ill.toml --original ill.csv
expect 0 '^minimality +[0-9]+ +6 ' "${attack[@]}" --all ill-safe.csv --policy ill.toml --original ill.csv

# All at once.
all=("${attack[@]}" --all safe.csv --policy policy.toml)
expect 0 '^homogeneity +condition +4 +12 .* leaks$' "${all[@]}"
expect 0 '^skewness +condition +8 +12 .* no gain$' "${all[@]}"
expect 0 'Not tried: composition' "${all[@]}"
expect 0 '^composition +condition +2 +2 .* leaks$' "${all[@]}" --original people.csv --with later.csv
expect 0 'Not tried: minimality: no criterion looks at|Not tried: minimality: this is not the best' "${all[@]}" --original people.csv
expect 0 '^linkage +rows +[0-9]+ +12 ' "${all[@]}" --outside people.csv
json '{a["attack"] for a in v["attacks"]} == {"homogeneity", "background", "skewness", "similarity"} and v["identifiers"] == []' "${all[@]}"
sed 's/^pay/name/; s/pay$/name/' safe.csv >named.csv
expect 0 'holds the column name' "${attack[@]}" --all named.csv --policy policy.toml
expect 2 'subcommand or --all' "${attack[@]}"
expect 2 'policy is required' "${attack[@]}" --all safe.csv
expect 2 'none of the quasi-identifiers' "${attack[@]}" --all conditions.csv --policy policy.toml
expect 2 'no such file' "${attack[@]}" --all absent.csv --policy policy.toml

# What it prints keeps to 80 columns.
widest=$("${all[@]}" --original people.csv --with later.csv --show-victims 9 | LC_ALL=C.UTF-8 awk '{ if (length > n) n = length } END { print n }')
((widest > 20 && widest <= 80)) || fail "--all prints $widest columns"

echo "$failures failures"
exit $((failures > 0))

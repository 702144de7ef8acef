#!/bin/bash
# `tacit attack` as a user runs it. Usage: attack_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

cat >couple.toml <<'END'
people = 2
[attributes]
sex = ["female", "male"]
[[rows]]
label = "everyone"
count = 2
mean = 35
[[rows]]
label = "women"
where = { sex = "female" }
count = 1
median = 30
END

expect 0 '^ *30 +female' "$tacit" attack block couple.toml
expect 0 '^ *40 +male' "$tacit" attack block couple.toml
expect 0 'give every record away' "$tacit" attack block couple.toml
expect 0 '"outcome": "unique"' "$tacit" attack block couple.toml --json

sed -i '/mean/d' couple.toml
expect 0 'Others fit as well' "$tacit" attack block couple.toml
echo 'mean = 31' >>couple.toml
expect 0 'contradict' "$tacit" attack block couple.toml

sed -i 's/where = .*/where = { sex = "other" }/' couple.toml
expect 2 "couple.toml:9: 'other' is no value" "$tacit" attack block couple.toml
expect 2 'cannot be read' "$tacit" attack block nowhere.toml
expect 2 'subcommand' "$tacit" attack

# Linkage: a release without names, and a list of voters who are all in it.
cat >visits.csv <<'END'
born,sex,zip,diagnosis,key
1945-07-31,M,02138,heart failure,1
1950-01-01,F,02139,flu,2
1950-01-01,F,02139,asthma,3
1980-1989,F,0213*,fracture,4
END
cat >voters.csv <<'END'
name,born,sex,zip,key
William,1945-07-31,M,02138,1
Ann,1950-01-01,F,02139,2
Bea,1950-01-01,F,02139,3
Cleo,1984-02-29,F,02137,4
END
linkage=("$tacit" attack linkage visits.csv --outside voters.csv)
expect 0 '^2 +4 +50.00%' "${linkage[@]}" --on born,sex,zip --truth key
expect 0 'row 1: name William.*diagnosis heart failure' "${linkage[@]}" --on born,sex,zip --show-victims 2
expect 0 'is not known here' "${linkage[@]}" --on born,sex,zip
expect 0 '^1 +4 +25.00%' "${linkage[@]}" --on born,sex,zip --truth key --exact
expect 0 '"claims": 2' "${linkage[@]}" --on born,sex,zip --truth key --json
expect 0 'by chance' "${linkage[@]}" --on born,sex,zip --truth key --probabilistic
expect 2 "no column 'name'.*" "${linkage[@]}" --on born,name
expect 2 'visits.csv has: born|it has born, sex' "${linkage[@]}" --on name
expect 2 'no such file' "$tacit" attack linkage nowhere.csv --outside voters.csv --on zip
expect 2 'probabilistic' "${linkage[@]}" --on born --one-to-one
cat >linkage.toml <<'END'
[columns]
zip = {role = "quasi-identifier", hierarchy = {file = "areas.csv"}}
key = "other"
[privacy]
k = 2
END
printf '02138;Harvard\n02139;Central\n02137;Central\n' >areas.csv
printf 'zip,key\nHarvard,1\nCentral,2\n' >areas_release.csv
expect 0 '^1 +2 +50.00%' "$tacit" attack linkage areas_release.csv --outside voters.csv --policy linkage.toml --truth key

# Sums over people: exact, noisy, repeated.
printf 'sum,Ann,Bob,Cleo\n310,1,1,1\n220,1,0,1\n' >grades.csv
expect 0 '^Bob +90' "$tacit" attack sums grades.csv
expect 0 'follows from the release' "$tacit" attack sums grades.csv
expect 0 '"Bob": 90' "$tacit" attack sums grades.csv --json
echo 'truth,100,91,119' >>grades.csv
expect 0 '^0 +3 ' "$tacit" attack sums grades.csv
printf 'sum,noise,Ann,Bob\n0.9,0.1,1,0\n0.8,0.2,1,1\ntruth,,1,0\n' >bits.csv
for attack in 'Averaging and differencing' 'Least squares' 'Linear programming'; do
  expect 0 "$attack" "$tacit" attack sums bits.csv --bits
done
expect 0 '^2 +2 +100.00%' "$tacit" attack sums bits.csv --bits --show-victims 0
# Noise of deviation 1 is gone after 100 fresh answers, not after one that is given again.
python3 -c 'print("sum,noise,Ann\n" + "".join("%g,1,1\n" % (7 + (i % 7 - 3) / 2) for i in range(100)))' >fresh.csv
python3 -c 'print("sum,noise,Ann\n" + "7.4,1,1\n" * 100)' >again.csv
expect 0 '^Ann +7' "$tacit" attack sums fresh.csv
expect 0 '^0 +1 ' "$tacit" attack sums again.csv
expect 0 'known after 44 fresh answers' "$tacit" attack sums again.csv
printf 'sum,Ann\n1,1\n2,1\n' >wrong.csv
expect 2 'wrong.csv: sum 2: the sum contradicts' "$tacit" attack sums wrong.csv
printf 'sum,Ann\nx,1\n' >wrong.csv
expect 2 "wrong.csv:2: 'x' in the column sum" "$tacit" attack sums wrong.csv
expect 2 'cannot be read' "$tacit" attack sums nowhere.csv

# Averaging against Tacit's own answers: a question asked again is answered from the record, and a
# fresh answer is paid for until the budget is spent.
python3 -c 'print("person\n" + "\n".join(str(i) for i in range(100)))' >people.csv
expect 0 'a new ledger' "$tacit" init desk --dataset desk --neighbours add_remove --epsilon 1 \
  --table people=people.csv --unit people=person
ask=("$tacit" query --workspace desk --epsilon 0.25 --max-rows 1 'SELECT count(*) FROM people')
echo 'sum,noise,count' >answers.csv
for _ in 1 2 3 4 5; do
  "${ask[@]}" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["rows"][0][0], 5.7, 1, sep=",")' >>answers.csv
done
(($(sort -u answers.csv | wc -l) == 2)) || fail "a question was answered in several ways: $(cat answers.csv)"
expect 0 '^0 +1 +0.00%' "$tacit" attack sums answers.csv
for _ in 1 2 3; do expect 0 '' "${ask[@]}" --fresh; done
expect 1 '' "${ask[@]}" --fresh

# Histories: 60 people with ten of 300 items each, and what is known of two of them.
python3 - <<'END'
import random
random.seed(8)
with open("ratings.csv", "w") as out:
    print("user,film,stars,date", file=out)
    for user in range(60):
        for film in random.sample(range(300), 10):
            print("u%d,f%d,%d,2005-%02d-01" % (user, film, 1 + film % 5, 1 + user % 12), file=out)
rows = [line.strip().split(",") for line in open("ratings.csv")][1:]
with open("friends.csv", "w") as out:
    print("user,film,stars,date,who", file=out)
    for name, rank in (("Ann", 3), ("Bob", 40)):
        for row in rows[10 * rank:10 * rank + 4]:
            print(name, row[1], row[2], row[3][:8] + "09", row[0], sep=",", file=out)
END
history=("$tacit" attack history ratings.csv --person user --item film)
expect 0 '^2 +2 +100.00%' "${history[@]}" --value stars --when date --known friends.csv --truth who
expect 0 'Ann +is u3;' "${history[@]}" --when date --days 10 --known friends.csv --show-victims 2
expect 0 'is not known here' "${history[@]}" --known friends.csv
expect 0 '^ +4 +any +60 +60 +100.00%' "${history[@]}" --value stars --when date --day-error 7
expect 0 '"people": 60' "${history[@]}" --events 2 --targets 10 --json
expect 2 "'f[0-9]+' in the column film is not a number" "${history[@]}" --value film
expect 2 "no column 'place'" "$tacit" attack history ratings.csv --person user --item place
expect 2 'excludes' "${history[@]}" --known friends.csv --events 2
# Numbers out of range are refused in words that fit a screen.
for wrong in '--within 0 --value stars' '--days 0 --when date' '--eccentricity -1' '--events 0' '--targets 0' \
  '--value-error -1' '--day-error nan' '--within x --value stars'; do
  # shellcheck disable=SC2086
  said=$("${history[@]}" $wrong 2>&1)
  [[ $? -eq 2 && $said =~ (is\ not\ a\ number\ |not\ in\ range\ 1\ to\ 1000000000) && ${#said} -lt 300 ]] ||
    fail "history $wrong: $said"
done
expect 2 'not in range 1 to 1000000000' "$tacit" attack block block.toml --effort 0

echo "$failures failures"
exit $((failures > 0))

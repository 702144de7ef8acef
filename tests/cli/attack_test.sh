#!/bin/bash
# `tacit attack` as a user runs it. Usage: attack_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

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

echo "$failures failures"
exit $((failures > 0))

#!/bin/bash
# 'tacit ledger' as a steward runs it. Usage: ledger_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder

"$tacit" init . --dataset visits --neighbours add_remove --epsilon 1 \
  --analyst alice=0.5 --parts-by region --part north --part south >/dev/null || exit 1
echo '{"type": "pure", "epsilon": 0.1, "neighbours": "add_remove"}' >tenth.json

# A request of one analyst in each of two parts, and one across both.
expect 0 'entry 4' "$tacit" ledger charge visits/alice --cost tenth.json --part north --note one
expect 0 'entry 5' "$tacit" ledger charge visits/alice --cost tenth.json --part south --note two
json 'v["accounts"][0]["spent"]["epsilon"] == 0.1' "$tacit" ledger show
expect 0 'entry 6' "$tacit" ledger charge visits/alice --cost tenth.json --note 'across both'
json 'v["accounts"][0]["spent"]["epsilon"] == 0.2' "$tacit" ledger show visits
json 'v["accounts"][0]["remaining"]["epsilon"] == 0.3' "$tacit" ledger show visits/alice
json 'v["accounts"][0]["parts"][1]["spent"]["epsilon"] == 0.1' "$tacit" ledger show visits

# What does not fit is refused and nothing is charged.
echo '{"type": "pure", "epsilon": 0.4, "neighbours": "add_remove"}' >much.json
before=$("$tacit" ledger verify --json)
expect 1 'budget does not allow' "$tacit" ledger charge visits/alice --cost much.json
[[ $("$tacit" ledger verify --json) == "$before" ]] || { echo "FAILED: a refusal was entered"; failures=$((failures + 1)); }
expect 0 'entry 7' "$tacit" ledger charge visits/alice --cost much.json --beyond-cap --note late
json 'v["accounts"][0]["remaining"]["epsilon"] == 0' "$tacit" ledger show visits/alice
expect 1 'budget does not allow' "$tacit" ledger charge visits/alice --cost tenth.json

# A grant raises, never lowers.
expect 2 'only be raised' "$tacit" ledger grant visits --epsilon 0.5
expect 0 'is now' "$tacit" ledger grant visits/alice --epsilon 0.9 --note 'board, 3 May' --as steward
json 'v[-1]["who"] == "steward" and v[-1]["note"] == "board, 3 May"' "$tacit" ledger history
json 'len(v) == 1 and v[0]["kind"] == "grant"' "$tacit" ledger history visits/alice --last 1

# No guarantee: only by name, and never forgotten.
echo '{"type": "none_proved", "reason": "k-anonymous table", "neighbours": "add_remove"}' >none.json
expect 2 'no guarantee is proved' "$tacit" ledger charge visits --cost none.json
expect 0 'entry 9' "$tacit" ledger charge visits --cost none.json --none-proved --note 'table for the press'
expect 0 'no guarantee proved.*' "$tacit" ledger show
expect 0 'table for the press' "$tacit" ledger show

# Bad input: status 2, a reason, nothing done.
expect 2 "no account 'nobody'" "$tacit" ledger show nobody
expect 2 "no account 'visits/carol'" "$tacit" ledger grant visits/carol --epsilon 2
expect 2 "no part 'west'" "$tacit" ledger charge visits --cost tenth.json --part west
expect 2 'absent.json' "$tacit" ledger charge visits --cost absent.json
echo '{' >bad.json
expect 2 'bad.json' "$tacit" ledger charge visits --cost bad.json
echo '{"type": "pure", "epsilon": -1}' >bad.json
expect 2 'bad.json' "$tacit" ledger charge visits --cost bad.json
head -c 300000 /dev/zero | tr '\0' '[' >bad.json
expect 2 'bad.json' "$tacit" ledger charge visits --cost bad.json
echo '{"type": "pure", "epsilon": 0.1, "neighbours": "replace"}' >bad.json
expect 2 'neighbours' "$tacit" ledger charge visits --cost bad.json
for number in nan inf -1 0 1e999 much ''; do
  expect 2 . "$tacit" ledger grant visits --epsilon "$number"
done
expect 2 'digest' "$tacit" ledger verify --head 12
expect 2 . "$tacit" ledger history --last -1
expect 2 'tacit init' "$tacit" ledger show --workspace "$folder/absent"
expect 2 '"status": 2' "$tacit" ledger show nobody --json

# People see at most 80 columns.
for verb in show history; do
  widest=$("$tacit" ledger "$verb" | LC_ALL=C.UTF-8 awk '{ if (length($0) > w) w = length($0) } END { print w }')
  [[ $widest -le 80 ]] || { echo "FAILED: $verb is $widest columns wide"; failures=$((failures + 1)); }
done

# A terminal is not at the mercy of a note.
expect 2 'control characters' "$tacit" ledger charge visits --cost tenth.json --note $'\e[31mred'

# Export: one JSON object a line, as many as there are entries; the digests are of the very bytes.
"$tacit" ledger export >log.jsonl
python3 - <<'PYTHON' || { echo 'FAILED: export'; failures=$((failures + 1)); }
import hashlib, json
previous = '0' * 64
for number, line in enumerate(open('log.jsonl', encoding='utf-8'), 1):
    value = json.loads(line)
    body = line[line.index('"entry":') + len('"entry":'):-2]
    assert hashlib.sha256(body.encode()).hexdigest() == value['digest']
    assert value['entry']['previous'] == previous and value['entry']['sequence'] == number
    previous = value['digest']
assert number == 9
PYTHON

# A backup put back is found by the head that was noted.
cp ledger.sqlite backup.sqlite
"$tacit" ledger charge visits --cost tenth.json >/dev/null
head=$("$tacit" ledger verify --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["head"]["digest"])')
expect 0 'nothing before it is gone' "$tacit" ledger verify --head "$head"
rm -f ledger.sqlite ledger.sqlite-*
cp backup.sqlite ledger.sqlite
expect 0 'balance holds' "$tacit" ledger verify
expect 3 'cut short' "$tacit" ledger verify --head "$head"

# Tampering is found, by the entry, and nothing is granted from it.
python3 - <<'PYTHON'
import sqlite3
ledger = sqlite3.connect('ledger.sqlite')
for trigger, in ledger.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
    ledger.execute(f'DROP TRIGGER {trigger}')
ledger.execute("UPDATE entries SET body = replace(body, '0.1', '0.0') WHERE sequence = 5")
ledger.commit()
PYTHON
expect 3 'entry 5' "$tacit" ledger verify
expect 3 . "$tacit" ledger charge visits --cost tenth.json
expect 3 . "$tacit" ledger show
head -c 5000 /dev/urandom >ledger.sqlite
"$tacit" ledger charge visits --cost tenth.json >/dev/null 2>&1
status=$?
[[ $status -eq 2 || $status -eq 3 ]] || { echo "FAILED: noise for a ledger gives $status"; failures=$((failures + 1)); }
rm -f ledger.sqlite
expect 2 . "$tacit" ledger show

# Orders of the steward's own: shown, and refused by the line where they promise too much.
mkdir curve
cat >curve/tacit.toml <<'TOML'
[datasets.visits]
neighbours = "add_remove"
epsilon = 3
delta = 1e-6
orders = [8, 64]
delta_reserve = 1e-7
analysts = {alice = {epsilon = 1, orders = [64]}}
TOML
expect 0 'opened visits/alice' "$tacit" init curve --new-ledger
json 'v["accounts"][0]["orders"] == [8, 64] and v["accounts"][0]["cap"]["delta"] == 1e-7' \
  "$tacit" ledger show --workspace curve
expect 0 'R.*nyi 64 ' "$tacit" ledger show visits/alice --workspace curve
sed -i 's/orders = \[8, 64\]/orders = [8]\ncaps = [9]/' curve/tacit.toml
expect 2 'tacit.toml:5: no order of the curve converts' "$tacit" ledger show --workspace curve

# An older copy put back beside the head that was noted is refused.
expect 0 . "$tacit" init older --dataset visits --neighbours add_remove --epsilon 1
cp older/ledger.sqlite older/backup
expect 0 'entry 3' "$tacit" ledger charge visits --cost tenth.json --workspace older
mv older/backup older/ledger.sqlite
expect 3 'ledger.sqlite-head' "$tacit" ledger show --workspace older

# A signed ledger takes entries only from the holder of the key.
mkdir signed
expect 0 'public key' "$tacit" ledger keygen steward.pem
expect 2 . "$tacit" ledger keygen steward.pem
"$tacit" ledger keygen other.pem >/dev/null
"$tacit" init signed --dataset visits --neighbours replace --epsilon 1 --key steward.pem >/dev/null
cd signed || exit 1
echo '{"type": "pure", "epsilon": 0.1, "neighbours": "replace"}' >tenth.json
expect 2 . "$tacit" ledger charge visits --cost tenth.json
expect 2 . "$tacit" ledger charge visits --cost tenth.json --key ../other.pem
expect 0 'entry 3' "$tacit" ledger charge visits --cost tenth.json --key ../steward.pem
expect 0 'signed by' "$tacit" ledger verify
key=$("$tacit" ledger verify --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["key"])')
expect 0 'signed by' "$tacit" ledger verify --public-key "$key"
expect 3 'expected key' "$tacit" ledger verify --public-key "$(printf '%064d' 1)"

[[ $failures -eq 0 ]] && echo "all holds"
exit "$((failures > 0))"

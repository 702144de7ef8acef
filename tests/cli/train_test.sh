#!/bin/bash
# 'tacit train' as an analyst runs it. Usage: train_test.sh PATH_OF_TACIT
set -uo pipefail
tacit=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
in_scratch_folder
# Threads of small models wait for each other more than they work, the more so beside other tests.
export OMP_NUM_THREADS=1

# The command itself does without libtorch, and says what is missing.
expect 3 "make train" env TACIT_TRAIN_PROGRAM=/absent/tacit-train "$tacit" train a.toml
expect 2 'config is required' "$tacit" train
if [[ ! -x ${tacit%/*}/tacit-train ]]; then
  echo "the rest is skipped: tacit-train was not built (no libtorch), $failures failures"
  exit $((failures > 0))
fi

entries() { "$tacit" ledger verify --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["head"]["sequence"])'; }

# Rows of two kinds that a plane divides, images of which one half is bright, and the same images as
# IDX files.
python3 - <<'PYTHON'
import gzip, random, struct, zlib
from pathlib import Path
random.seed(3)
def rows(name, count, bad=""):
    with open(name, "w") as out:
        print("x,y,color,kind", file=out)
        for _ in range(count):
            x, y = random.uniform(0, 10), random.uniform(0, 10)
            color = random.choice(["red", "blue"])
            kind = "high" if x + y + (2 if color == "red" else 0) > 11 else "low"
            print(f"{x:.3f},{y:.3f},{color},{kind}", file=out)
        if bad:
            print(bad, file=out)
rows("rows.csv", 3000)
rows("test.csv", 1000)
rows("more.csv", 1000)
rows("empty.csv", 0)
rows("null.csv", 50, ",1,red,low")
rows("bad.csv", 50, "1,1,red,middle")

def image(label, side=16):
    return bytes(random.randrange(100, 256) if (x < side // 2) == (label == 0) else random.randrange(0, 100)
                 for y in range(side) for x in range(side))
def png(bytes_, side=16):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(b"\0" + bytes_[y * side:(y + 1) * side] for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
def jpeg(levels):
    """Blocks of 8 by 8 pixels, each of one gray level: a list of rows of them."""
    segment = lambda mark, data: b"\xff" + mark + struct.pack(">H", len(data) + 2) + data
    bits, last = "", 128
    for level in (level for row in levels for level in row):
        step, last = level - last, level
        size = abs(step).bit_length()
        value = step if step > 0 else step + (1 << size) - 1
        bits += f"{size:04b}" + (f"{value:0{size}b}" if size else "") + "0"  # no detail in the block
    bits += "1" * (-len(bits) % 8)
    coded = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    table = lambda kind, lengths, symbols: segment(b"\xc4", bytes([kind]) + bytes(lengths) + bytes(symbols))
    return (b"\xff\xd8" + segment(b"\xdb", b"\0" + b"\x08" * 64) +
            segment(b"\xc0", struct.pack(">BHHBBBB", 8, 8 * len(levels), 8 * len(levels[0]), 1, 1, 0x11, 0)) +
            table(0, [0, 0, 0, 12] + [0] * 12, range(12)) + table(0x10, [1] + [0] * 15, [0]) +
            segment(b"\xda", bytes([1, 1, 0, 0, 63, 0])) + coded + b"\xff\xd9")
labels = bytes(i % 2 for i in range(600))
images = [image(label) for label in labels]
with gzip.open("images.gz", "wb") as out:
    out.write(struct.pack(">IIII", 0x803, 600, 16, 16) + b"".join(images))
Path("labels").write_bytes(struct.pack(">II", 0x801, 600) + labels)
for i in range(200):
    folder = Path("uneven") / ("left" if i % 2 == 0 else "right")
    folder.mkdir(parents=True, exist_ok=True)
    side = 12 + i % 5
    if i < 100:
        (folder / f"{i}.png").write_bytes(png(image(i % 2, side), side))
    else:
        bright, dark = random.randrange(150, 256), random.randrange(0, 100)
        row = [bright, dark] if i % 2 == 0 else [dark, bright]
        (folder / f"{i}.jpg").write_bytes(jpeg([row] * (2 + i % 3)))
for i, (label, pixels) in enumerate(zip(labels, images)):
    folder = Path("pictures") / ("left" if label == 0 else "right")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{i}.png").write_bytes(png(pixels))
PYTHON

expect 0 'a new ledger' "$tacit" init . --dataset rows --neighbours add_remove --epsilon 200 --delta 1e-3 \
  --table rows=rows.csv --unit rows=row --table test=test.csv --unit test=public \
  --table bad=bad.csv --unit bad=row --table null=null.csv --unit null=row \
  --table more=more.csv --unit more=row --table empty=empty.csv --unit empty=row
sed -i 's/^x = .*/x = {type = "real", min = 0, max = 10}/; s/^y = .*/y = {type = "real", min = 0, max = 10}/;
        s/^color = .*/color = {type = "text", values = ["red", "blue"]}/;
        s/^kind = .*/kind = {type = "text", values = ["low", "high"]}/' tacit.toml

# config FILE [SED_SCRIPT]: a configuration that works, changed by the script.
config() {
  sed "${2:-}" >"$1" <<'TOML'
[data]
table = "rows"
label = "kind"
examples = 3000
[test]
table = "test"
[model]
kind = "logistic"
[privacy]
epsilon = 3
delta = 1e-5
[training]
batch_size = 256
epochs = 6
learning_rate = 2
[output]
model = "model.pt"
TOML
}

# It plans for free, learns, and is charged once.
config rows.toml
before=$(entries)
expect 0 'nothing was charged' "$tacit" train rows.toml --plan
expect 0 'one row, added or removed' "$tacit" train rows.toml --plan
json 'v["fits"] and 2.9 < v["epsilon"] <= 3 and v["steps"] == 71 and v["sampling_rate"] == "32/375"' \
  "$tacit" train rows.toml --plan
[[ $(entries) == "$before" ]] || fail "a plan was charged"
expect 0 'Right on the public test data: (9[0-9]|100)' "$tacit" train rows.toml --certificate certificate.json
[[ $(entries) == $((before + 1)) ]] || fail "a run is one entry"
python3 - <<'PYTHON' || fail "the certificate is not as it should be"
import json
c = json.load(open("certificate.json"))
assert c["guarantee"]["delta"] == "1e-05" and 2.9 < float(c["guarantee"]["epsilon"]) <= 3, c["guarantee"]
assert c["mechanism"]["unit"] == "a row of rows" and c["mechanism"]["steps"] == "71", c["mechanism"]
assert c["training"]["model"] == "logistic" and c["training"]["parameters"] == "10" and c["beside"] == []
assert c["ledger"]["account"] == "rows" and c["none_proved"] == []
PYTHON
# Again: not by mistake, and from the checkpoint for free.
expect 2 '--resume goes on' "$tacit" train rows.toml
json 'v["accuracy"] > 0.9 and v["test_examples"] == 1000 and v["parameters"] == 10' "$tacit" train rows.toml --resume
[[ $(entries) == $((before + 1)) ]] || fail "going on was charged"

# A checkpoint that cannot be kept ends the run, which goes on where there is room again.
config stuck.toml 's/model.pt/stuck.pt/; s/epochs = 6/steps = 10/'
mkdir -p stuck.pt.checkpoint/checkpoint.new
expect 3 'then --resume goes on, at no further charge' "$tacit" train stuck.toml
rmdir stuck.pt.checkpoint/checkpoint.new
expect 0 'Right on the public test data' "$tacit" train stuck.toml --resume
[[ $(entries) == $((before + 2)) ]] || fail "going on after a full disk was charged"

# A run that was killed goes on with the steps that are left, at no charge; Ctrl-C leaves a checkpoint.
killed() {
  local name=$1 signal=$2 status
  config "$name.toml" "s/epochs = 6/steps = 4000/; s/model.pt/$name.pt/; s/batch_size = 256/batch_size = 64/"
  echo 'checkpoint_every = 20' >>"$name.toml"
  before=$(entries)
  # A job in the background would ignore the interrupt.
  python3 - "$tacit" "$name" "$signal" <<'PYTHON'
import os, signal, subprocess, sys, time
tacit, name, which = sys.argv[1:]
run = subprocess.Popen([tacit, "train", f"{name}.toml"], stderr=subprocess.PIPE, text=True,
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
for _ in range(600):
    if os.path.exists(f"{name}.pt.checkpoint/checkpoint"):
        break
    time.sleep(0.1)
second = subprocess.run([tacit, "train", f"{name}.toml", "--resume"], capture_output=True, text=True)
run.send_signal(int(which))
error = run.communicate()[1]
print(f"{run.returncode} {second.returncode} {second.stderr} {error}")
PYTHON
}
keep_ledger() { mkdir "$1" && cp ledger.sqlite* "$1"; }
restore_ledger() { rm ledger.sqlite* && cp "$1"/* .; }
keep_ledger before
output=$(killed interrupted 2)
keep_ledger within
grep -q '^3 2 .*another process' <<<"$output" || fail "a second process, then Ctrl-C: $output"
grep -q 'checkpoint is kept' <<<"$output" || fail "Ctrl-C does not say how to go on: $output"
output=$(killed ended 9)
grep -q '^-9 2 .*another process' <<<"$output" || fail "a second process, then a kill: $output"
before=$(entries)
for name in interrupted ended; do
  sed -i 's/checkpoint_every = 20/checkpoint_every = 4000/' $name.toml
  expect 0 'Right on the public test data' "$tacit" train $name.toml --resume
done
# A ledger of which an older copy was restored is noticed: from within the run, and from before it.
keep_ledger after
restore_ledger within
expect 3 'ledger, which was set back' "$tacit" train interrupted.toml --resume
restore_ledger before
expect 2 'newest copy' "$tacit" train interrupted.toml --resume
restore_ledger after
sed -i 's/epsilon = 3/epsilon = 2/' ended.toml
expect 2 'was begun with|differs' "$tacit" train ended.toml --resume
[[ $(entries) == "$before" ]] || fail "going on was charged"

# Images: IDX files, and folders of pictures.
config images.toml 's/table = "rows"/images = "images.gz"\nlabels = "labels"\nclasses = 2/; /label =/d;
  s/table = "test"/images = "images.gz"\nlabels = "labels"\npublic = true/; s/3000/600/; s/logistic/cnn/;
  s/batch_size = 256/batch_size = 100/; s/model.pt/images.pt/; s/learning_rate = 2/learning_rate = 0.5/'
json 'v["accuracy"] > 0.9' "$tacit" train images.toml
config folder.toml 's/table = "rows"/folder = "pictures"\nsize = [16, 16]\ncolor = false/; /label =/d;
  s/table = "test"/folder = "pictures"\npublic = true/; s/3000/600/; s/logistic/mlp/;
  s/batch_size = 256/batch_size = 100/; s/model.pt/folder.pt/; s/learning_rate = 2/learning_rate = 0.5/'
json 'v["accuracy"] > 0.9' "$tacit" train folder.toml

# A network with group normalization on PNG and JPEG files of unequal size, of which views are
# averaged.
config resnet.toml 's/table = "rows"/folder = "uneven"\nsize = [12, 12]\nresize = "crop"\ncolor = false/; /label =/d;
  s/table = "test"/folder = "uneven"\npublic = true/; s/3000/200/;
  s/kind = "logistic"/kind = "resnet"\nwidth = 8/; s/epochs = 6/steps = 30/;
  s/batch_size = 256/batch_size = 60\nweight_average = 0.9\nlearning_rate_schedule = {shape = "linear", last = 0.2}/;
  s/epsilon = 3/epsilon = 8/; s/model.pt/resnet.pt/; s/learning_rate = 2/learning_rate = 1/'
printf '[augmentation]\nflip = false\ncrop = 2\nviews = 2\n' >>resnet.toml
expect 0 '2 views of an image, averaged, moved by 2 pixels' "$tacit" train resnet.toml --plan
sed 's/resize = "crop"//; s/resnet.pt/exact.pt/' resnet.toml >exact.toml
expect 2 'resize = "crop"' "$tacit" train exact.toml
json 'v["accuracy"] > 0.8 and "crop to 12 by 12" in v["training"]["resize"]' \
  "$tacit" train resnet.toml --certificate resnet.json
python3 - <<'PYTHON' || fail "the certificate of the network is not as it should be"
import json
c = json.load(open("resnet.json"))
assert c["training"]["weights"] == "a moving average with decay 0.9", c["training"]
assert "2 views" in c["training"]["views"] and "times 1" in c["training"]["optimizer"], c["training"]
assert c["mechanism"]["unit"] == "an image"
PYTHON
before=$(entries)
expect 0 'one image' "$tacit" train folder.toml --plan
printf 'no picture' >pictures/left/broken.png
expect 2 'pictures/left/broken.png: the picture is damaged' "$tacit" train folder.toml --resume
rm pictures/left/broken.png

# Each sampler has its own law, in the plan and in the certificate; so have schedules, and a bound
# that follows the norms. Batches of a fixed size want an account of replaced rows.
with_privacy() { config "$1.toml" "s/delta = 1e-5/delta = 1e-5\\n$2/; s/model.pt/$1.pt/; s/epochs = 6/steps = 10/"; }
with_privacy truncated 'sampler = "truncated"'
json 'v["mechanism"]["sampler"].startswith("Poisson truncated at") and v["epsilon"] <= 3' "$tacit" train truncated.toml --plan
expect 0 'is left empty, which costs a delta' "$tacit" train truncated.toml --plan
with_privacy fixed 'sampler = "fixed-size"'
expect 2 'neighbours = "replace"' "$tacit" train fixed.toml
mkdir swapped
expect 0 'a new ledger' "$tacit" init swapped --dataset rows --neighbours replace --epsilon 50 --delta 1e-3 \
  --table "rows=$PWD/rows.csv" --unit rows=row --table "test=$PWD/test.csv" --unit test=public
sed -n '/columns]/,$p' tacit.toml | grep -m 4 -E '^(x|y|color|kind) = ' >columns
for column in x y color kind; do sed -i "s/^$column = .*/$(grep "^$column = " columns)/" swapped/tacit.toml; done
expect 0 'one row, replaced by another' "$tacit" train fixed.toml --plan --workspace swapped
expect 0 'Right on the public' "$tacit" train fixed.toml --workspace swapped --certificate fixed.json
with_privacy adaptive 'clipping = "adaptive"\nnoise_schedule = {shape = "linear", last = 0.8}'
json 'v["mechanism"]["adaptive clip"] and v["mechanism"]["noise schedule"] and v["epsilon"] <= 3' "$tacit" train adaptive.toml --plan
expect 0 'which follows the norms; noise times 1, from step' "$tacit" train adaptive.toml --plan
with_privacy mixed 'mixed_precision = true'
json 'v["mechanism"]["precision"] == "mixed" and v["epsilon"] <= 3' "$tacit" train mixed.toml --plan
# Some virtual machines announce instructions for half precision that they do not have.
expect 0 'Right on the public test data' env ONEDNN_MAX_CPU_ISA=AVX512_CORE \
  "$tacit" train mixed.toml --certificate mixed.json
for name in truncated adaptive; do
  expect 0 'Right on the public test data' "$tacit" train $name.toml --certificate $name.json
done
python3 - <<'PYTHON' || fail "a certificate does not say how batches were drawn, or how it was clipped"
import json
fixed = json.load(open("fixed.json"))
assert fixed["guarantee"]["neighbours"] == "replace" and fixed["guarantee"]["accountant"] == "rdp", fixed["guarantee"]
assert "truncated at" in json.load(open("truncated.json"))["mechanism"]["sampler"]
c = json.load(open("mixed.json"))
assert "truncated at" in c["mechanism"]["sampler"] and any("assumption D" in a for a in c["assumptions"]), c
c = json.load(open("adaptive.json"))
assert "quantile 0.5" in c["mechanism"]["adaptive clip"] and any("assumption C" in a for a in c["assumptions"])
PYTHON
with_privacy device 'clip = 1'
sed -i 's/batch_size = 256/batch_size = 256\nmemory_mib = 1/' device.toml
expect 0 'Right on' "$tacit" train device.toml
if [[ ! -e /dev/nvidia0 ]]; then
  sed -i 's/memory_mib = 1/device = "cuda"/; s/device.pt/cuda.pt/' device.toml
  expect 2 'CUDA.*' "$tacit" train device.toml
fi

# Accuracy on private data is a release: told once, with noise, for an entry of its own.
config private.toml 's/table = "test"/table = "more"\nepsilon = 0.5\nexamples = 1000/; s/model.pt/private.pt/'
expect 0 'on at most 1000 private rows, told once with noise' "$tacit" train private.toml --plan
before=$(entries)
"$tacit" train private.toml --json --certificate private.json >private.out || fail "private test data"
[[ $(entries) == $((before + 2)) ]] || fail "a run and its accuracy are two entries"
"$tacit" train private.toml --json --resume >again.out || fail "private test data, again"
[[ $(entries) == $((before + 2)) ]] || fail "accuracy was charged twice"
python3 - <<'PYTHON' || fail "accuracy on private data is not as it should be"
import json
told, again = (json.load(open(f))["private_accuracy"] for f in ("private.out", "again.out"))
assert told == again and told["accuracy"] > 0.8 and told["epsilon"] <= 0.5 and told["half_width"] < 0.02, told
assert json.load(open("private.out"))["accuracy"] is None
beside = json.load(open("private.json"))["beside"]
assert len(beside) == 1 and float(beside[0]["epsilon"]) <= 0.5 and "table more" in beside[0]["ledger"]["note"], beside
PYTHON

# Rows out of Parquet, of which one column is text, as well as out of CSV.
expect 0 '' "$tacit" query --epsilon 1 'SELECT x, y, color, kind FROM test' -o rows.parquet
cat >>tacit.toml <<'TOML'
[datasets.rows.tables.parquet]
source = "rows.parquet"
unit = "row"
[datasets.rows.tables.parquet.columns]
x = {type = "real", min = 0, max = 10}
y = {type = "real", min = 0, max = 10}
color = {type = "text", values = ["red", "blue"]}
kind = {type = "text", values = ["low", "high"]}
TOML
config parquet.toml 's/table = "rows"/table = "parquet"/; s/model.pt/parquet.pt/'
expect 0 'Right on the public test data: (9[0-9]|100)' "$tacit" train parquet.toml

# What is refused costs nothing and says why.
before=$(entries)
refused() {
  local pattern=$1
  shift
  config refused.toml "$@; s/model.pt/refused.pt/"
  expect 2 "$pattern" "$tacit" train refused.toml
}
refused "is it 'epsilon'" 's/epsilon/epsilom/'
refused 'no example to learn from' 's/table = "rows"/table = "empty"/'
refused 'more test examples than' 's/table = "test"/table = "more"\nepsilon = 1\nexamples = 999/'
refused 'its accuracy costs nothing' 's/table = "test"/table = "test"\nepsilon = 1\nexamples = 1000/'
refused 'even with one example' 's/kind = "logistic"/kind = "mlp"\nhidden = [2000, 2000]/;
  s/batch_size = 256/batch_size = 256\nmemory_mib = 100/'
refused 'between 1 and the number of examples' 's/batch_size = 256/batch_size = 4000/'
refused 'more examples than' 's/examples = 3000/examples = 2999/'
refused "is no kind" 's/logistic/transformer/'
refused 'a label that is none of the declared values' 's/table = "rows"/table = "bad"/'
refused 'public data alone' 's/table = "test"/table = "rows"/'
refused 'is public' 's/table = "rows"/table = "test"/'
refused "no column 'z'" 's/label = "kind"/label = "z"/'
refused 'reads images' 's/logistic/cnn/'
refused 'would take a noise multiplier' 's/epsilon = 3/epsilon = 1e-9/'
refused 'folder' 's,model.pt,absent/a.pt,'
refused "no table 'peeple'" 's/table = "rows"/table = "peeple"/'
config large.toml 's/epsilon = 3/epsilon = 300/; s/model.pt/large.pt/'
expect 1 'would do' "$tacit" train large.toml
[[ -e large.pt.checkpoint ]] && fail "a refused run leaves a folder"
[[ $(entries) == "$before" ]] || fail "a refused run was charged"

echo "$failures failures"
exit $((failures > 0))

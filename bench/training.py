"""Times a private step of training beside a plain one and Opacus', on the CPU.

    bench/compare training            or: python bench/training.py BUILD [WORKLOAD...]

The workloads are those of opacus_baseline.py, which comes with the shared data (TACIT_SHARED). Each case is a
process of its own, so that its peak of memory is its own. Prints, for each workload, the milliseconds of
a step: ours, plain SGD by the same program, plain SGD with the memory that private steps have (pooled), Opacus by hooks and by
ghost clipping; the ratios ours / SGD (bar 1.5, geometric mean 1.25) and better Opacus / ours (bar 1); the peak of memory
over SGD's (bar 1.15); the share of a step that rounding and noise take (bar 10% on cifar and lstm, 15% on mnist and gpt); and the
ratio ours / SGD in processor time, which is what a busy machine can tell. Ours and SGD are medians of three
processes each, which take turns; Opacus has one a mode.
"""
import math
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("TACIT_SHARED", HERE.parent.parent / "shared"))
WORKLOADS = ["mnist", "cifar", "gpt", "lstm", "mlp"]
MODES = ["sgd", "private", "pooled"]
TURNS = 3
NOISE_BARS = {"mnist": 0.15, "cifar": 0.1, "gpt": 0.15, "lstm": 0.1}
PATIENCE_S = 300


def lines_of(command):
    """What a case printed last; nothing where it takes too long."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE_S, check=True)
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as failure:
        sys.exit(f"{' '.join(map(str, command))} ended with {failure.returncode}")
    return done.stdout.strip().splitlines()[-1].split()


def ours(program, workload, mode):
    """(milliseconds, MiB, milliseconds of processor time, of noise), infinite where it takes too long."""
    words = lines_of([program, workload, mode])
    return (math.inf,) * 4 if words is None else tuple(map(float, words))


def in_turn(program, workload):
    """What ours() says of each mode: medians over processes that take turns, as the machine's speed drifts."""
    seen = {mode: [] for mode in MODES}
    for _ in range(TURNS):
        for mode in MODES:
            seen[mode].append(ours(program, workload, mode))
    return [tuple(map(statistics.median, zip(*seen[mode]))) for mode in MODES]


def opacus(workload, mode):
    words = lines_of([sys.executable, SHARED / "bench" / "opacus_baseline.py", "cpu", workload, mode])
    return math.inf if words is None else float(words[words.index("ms/step") - 1])


def main(build, workloads):
    program = next(pathlib.Path(build).rglob("training_speed"), None)
    if program is None:
        sys.exit(f"no program training_speed under {build}: build it first")
    if not (SHARED / "bench" / "opacus_baseline.py").exists():
        sys.exit(f"no bench/opacus_baseline.py under {SHARED}: set TACIT_SHARED")
    missed = []
    times = []
    print(f"{'case':<6} {'ours':>8} {'sgd':>8} {'pooled':>8} {'hooks':>8} {'ghost':>8} {'ours/sgd':>9} {'opacus/ours':>12} "
          f"{'memory':>7} {'noise':>6} {'processor':>10}")
    for workload in workloads:
        (plain, plain_memory, plain_busy, _), (private, memory, busy, noise), (pooled, *_) = in_turn(program, workload)
        hooks, ghost = opacus(workload, "hooks"), opacus(workload, "ghost")
        slower, faster, larger = private / plain, min(hooks, ghost) / private, memory / plain_memory
        print(
            f"{workload:<6} {private:>8.1f} {plain:>8.1f} {pooled:>8.1f} {hooks:>8.1f} {ghost:>8.1f} {slower:>9.2f} "
            f"{faster:>12.2f} {larger:>7.2f} {noise / private:>6.1%} {busy / plain_busy:>10.2f}",
            flush=True,
        )
        times.append(slower)
        if slower > 1.5 or faster < 1 or larger > 1.15 or noise / private > NOISE_BARS.get(workload, 1):
            missed.append(workload)
    mean = math.exp(sum(map(math.log, times)) / len(times))
    print(f"geometric mean of ours / sgd: {mean:.2f}")
    if missed or mean > 1.25:
        print(f"missed: {', '.join(missed) or 'the mean'}")
        sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:] or WORKLOADS)

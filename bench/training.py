"""Times a private step of training beside a plain one and Opacus', on the CPU.

    bench/compare training            or: python bench/training.py BUILD [WORKLOAD...]

The workloads are those of opacus_baseline.py, which comes with the shared data (TACIT_SHARED). Each case is a
process of its own, so that its peak of memory is its own. Prints, for each workload, the milliseconds of
a step: ours, plain SGD by the same program, Opacus by hooks and by ghost clipping; the ratios ours / SGD (bar 1.5,
geometric mean 1.25) and better Opacus / ours (bar 1); the peak of memory over SGD's (bar 1.15); and the ratio ours / SGD
in processor time, which is what a busy machine can tell.
"""
import math
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("TACIT_SHARED", HERE.parent.parent / "shared"))
WORKLOADS = ["mnist", "cifar", "gpt", "lstm", "mlp"]
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
    """(milliseconds, MiB, milliseconds of processor time), infinite where it takes too long."""
    words = lines_of([program, workload, mode])
    return (math.inf,) * 3 if words is None else tuple(map(float, words))


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
    print(f"{'case':<6} {'ours':>8} {'sgd':>8} {'hooks':>8} {'ghost':>8} {'ours/sgd':>9} {'opacus/ours':>12} {'memory':>7} {'processor':>10}")
    for workload in workloads:
        plain, plain_memory, plain_busy = ours(program, workload, "sgd")
        private, memory, busy = ours(program, workload, "private")
        hooks, ghost = opacus(workload, "hooks"), opacus(workload, "ghost")
        slower, faster, larger = private / plain, min(hooks, ghost) / private, memory / plain_memory
        print(
            f"{workload:<6} {private:>8.1f} {plain:>8.1f} {hooks:>8.1f} {ghost:>8.1f} {slower:>9.2f} {faster:>12.2f} "
            f"{larger:>7.2f} {busy / plain_busy:>10.2f}",
            flush=True,
        )
        times.append(slower)
        if slower > 1.5 or faster < 1 or larger > 1.15:
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

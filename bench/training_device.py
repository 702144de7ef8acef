"""Times a private step of training beside a plain one, and Opacus', on a CUDA device.

    python bench/training_device.py [--without-opacus] [WORKLOAD...]

Needs the package tacit, PyTorch and a device; times Opacus where it is installed. The workloads are those of
opacus_baseline.py, which comes with the shared data (TACIT_SHARED), in the sizes that it has for a device. Each case is a
process of its own. Prints for each workload the milliseconds of a step, medians of 40 steps: ours, plain SGD in single precision, plain SGD as
PyTorch has it by default (convolutions in TF32, in which sums of private gradients would not keep their bound), and
Opacus by hooks and by ghost clipping in single precision; the ratios ours / SGD (bars 2, and 1.25 for cifar and gpt)
and the peaks of memory ours / SGD (bar 1.1), both in single precision.
"""
import importlib.util
import math
import os
import pathlib
import subprocess
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("TACIT_SHARED", HERE.parent.parent / "shared"))
BARS = {"mnist": 2.0, "cifar": 1.25, "gpt": 1.25, "lstm": 2.0, "mlp": 2.0}
WARM_UP, STEPS = 4, 40


def begin(name, *, tf32=False, opacus=False):
    """(model, inputs, labels, size of the batch, optimizer)"""
    import torch
    import opacus_baseline

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = tf32
    torch.manual_seed(0)
    build, inputs, classes, batch = opacus_baseline.workload(name, False)
    x, y = inputs(batch).cuda(), torch.randint(0, classes, (batch,)).cuda()
    model = build(opacus).cuda()
    return model, x, y, batch, torch.optim.SGD(model.parameters(), lr=0.05)


def plain(name, tf32):
    from torch import nn

    model, x, y, _, optimizer = begin(name, tf32=tf32)
    criterion = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()

    return step


def opacus(name, mode):
    import opacus_baseline

    model, x, y, batch, optimizer = begin(name, opacus=True)
    model, optimizer, criterion = opacus_baseline.make_private(mode, model, optimizer, batch)

    def step():
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()

    return step


def ours(name):
    """Every example goes in: the batch is the workload's own, as large as the others'."""
    import torch.nn.functional as F
    from tacit.torch import _native
    from tacit.torch.accountants import history_of, laws_of
    from tacit.torch.accounts import Payer

    model, x, y, batch, optimizer = begin(name)
    plan = _native.Plan(batch, "1", WARM_UP + STEPS, "1", 1.0, "flat")
    account = Payer().open(history_of(laws_of(plan)), 1e-5)
    run = account.begin(plan, list(model.parameters()), "bench/training_device.py")

    def step():
        optimizer.zero_grad()
        run.draw()
        run.add(F.cross_entropy(model(x), y, reduction="none"))
        run.finish_step()
        optimizer.step()

    step.held = account  # whose ledger counts the steps
    return step


CASES = {
    "ours": ours,
    "sgd": lambda name: plain(name, False),
    "tf32": lambda name: plain(name, True),
    "hooks": lambda name: opacus(name, "hooks"),
    "ghost": lambda name: opacus(name, "ghost"),
}


def time_case(name, case):
    """Prints the median of milliseconds a step, and MiB at the peak."""
    import torch

    warnings.filterwarnings("ignore")
    step = CASES[case](name)
    for _ in range(WARM_UP):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    print(sorted(times)[STEPS // 2] * 1e3, torch.cuda.max_memory_allocated() / 2**20)


def measured(name, case):
    """(milliseconds, MiB), not a number where it cannot be."""
    done = subprocess.run([sys.executable, __file__, "--case", name, case], stdout=subprocess.PIPE, text=True)
    return tuple(map(float, done.stdout.split())) if done.returncode == 0 else (math.nan, math.nan)


def measured_in_turn(name, cases):
    """The same of several cases, the median of three processes of each: small workloads are as fast as the processor
    that starts their kernels, which differs from process to process."""
    rounds = [{case: measured(name, case) for case in cases} for _ in range(3)]
    return {case: sorted(found[case] for found in rounds)[1] for case in cases}


def main(names, with_opacus):
    cases = ["ours", "sgd", "tf32"]
    if with_opacus and importlib.util.find_spec("opacus"):
        cases += ["hooks", "ghost"]
    print(f"{'case':<6} " + " ".join(f"{case:>9}" for case in cases) + f" {'ours/sgd':>9} {'memory':>7}")
    missed = []
    for name in names:
        found = measured_in_turn(name, cases[:2]) | {case: measured(name, case) for case in cases[2:]}
        slower = found["ours"][0] / found["sgd"][0]
        larger = found["ours"][1] / found["sgd"][1]
        print(
            f"{name:<6} " + " ".join(f"{found[case][0]:>9.2f}" for case in cases) + f" {slower:>9.2f} {larger:>7.2f}",
            flush=True,
        )
        if not (slower <= BARS[name] and larger <= 1.1):
            missed.append(name)
    if missed:
        sys.exit(f"missed: {', '.join(missed)}")


if __name__ == "__main__":
    sys.path.insert(0, str(SHARED / "bench"))
    if not (SHARED / "bench" / "opacus_baseline.py").exists():
        sys.exit(f"no bench/opacus_baseline.py under {SHARED}: set TACIT_SHARED")
    if sys.argv[1:2] == ["--case"]:
        time_case(*sys.argv[2:4])
    else:
        names = [word for word in sys.argv[1:] if word != "--without-opacus"]
        main(names or list(BARS), "--without-opacus" not in sys.argv)

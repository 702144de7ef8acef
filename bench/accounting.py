"""Accounting speed beside dp_accounting, in one run: accounting.py BUILD_FOLDER

Prints one line a question: case, our milliseconds, theirs, and the ratio. Exits 1 where an answer
is slower than the bar allows or looser than theirs.
"""

import pathlib
import subprocess
import sys
import time

import dp_accounting
from dp_accounting import pld, rdp

# Sampling rate, noise multiplier, steps, delta.
QUESTIONS = [
    ("0.0025", "1.3", 6000, 1e-5),
    ("0.001", "1.0", 30000, 1e-7),
    ("0.004266666666666667", "1.1", 14063, 1e-5),
    ("0.04", "1.5", 2250, 1e-5),
    ("0.005", "0.8", 1000, 1e-6),
    ("0.01", "4.0", 10000, 1e-5),
]
# Laplace noise without sampling, for the accountant that can tell it from its epsilon.
LAPLACE_QUESTIONS = [
    ("1", "13.547", 20, 1e-4),
    ("1", "70.960", 500, 1e-4),
]
# How much larger our epsilon may be. Both RDP accountants have the same theorem, and only ours is
# rounded up.
LOOSEST = {"rdp": 1 + 1e-9, "pld": 1, "pld_laplace": 1}


def event(rate, noise):
    """One step of their subsampled Gaussian."""
    gaussian = dp_accounting.GaussianDpEvent(float(noise))
    return dp_accounting.PoissonSampledDpEvent(float(rate), gaussian)


def their_rdp(rate, noise, steps, delta):
    accountant = rdp.RdpAccountant()
    accountant.compose(event(rate, noise), steps)
    return accountant.get_epsilon(delta)


def their_pld(rate, noise, steps, delta):
    """Connect the dots at their default discretization, 1e-4."""
    accountant = pld.PLDAccountant()
    accountant.compose(event(rate, noise), steps)
    return accountant.get_epsilon(delta)


def their_laplace_pld(rate, noise, steps, delta):
    accountant = pld.PLDAccountant()
    accountant.compose(dp_accounting.LaplaceDpEvent(float(noise)), steps)
    return accountant.get_epsilon(delta)


# Accountant: questions, their answer, how many times as fast ours must be.
ACCOUNTANTS = {
    "rdp": (QUESTIONS, their_rdp, 50),
    "pld": (QUESTIONS, their_pld, 20),
    "pld_laplace": (LAPLACE_QUESTIONS, their_laplace_pld, 20),
}


def timed(answer, *question, repeats=5):
    """The answer and the least time of a few."""
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        value = answer(*question)
        least = min(least, time.perf_counter() - start)
    return value, least


def our_answers(program, lines):
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [tuple(map(float, line.split())) for line in done.stdout.splitlines()]


def main(build):
    program = next(pathlib.Path(build).rglob("accounting_speed"), None)
    if program is None:
        sys.exit(f"no program accounting_speed under {build}: build it first")
    missed = []
    print(f"{'case':<50} {'ours ms':>10} {'theirs ms':>10} {'ratio':>8}")
    for name, (questions, their_answer, bar) in ACCOUNTANTS.items():
        lines = [f"{name} {rate} {noise} {steps} {delta}" for rate, noise, steps, delta in questions]
        for question, (ours, our_time) in zip(questions, our_answers(program, lines)):
            theirs, their_time = timed(their_answer, *question)
            rate, noise, steps, delta = question
            case = f"{name} q={float(rate):.4g} noise={noise} steps={steps} delta={delta}"
            ratio = their_time / our_time
            print(f"{case:<50} {our_time * 1e3:10.4f} {their_time * 1e3:10.2f} {ratio:8.0f}")
            if name.startswith("pld"):
                lower, _ = our_answers(program, [lines[questions.index(question)].replace(name, f"{name}_lower")])[0]
                print(f"{'':<8} epsilon in [{lower:.9g}, {ours:.9g}], theirs at most {theirs:.9g}")
            if ratio < bar:
                missed.append(f"{case}: {ratio:.0f} times as fast, the bar is {bar}")
            if ours > theirs * LOOSEST[name]:
                missed.append(f"{case}: epsilon {ours:.12g}, theirs is {theirs:.12g}")
    for line in missed:
        print(line, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: accounting.py BUILD_FOLDER")
    sys.exit(main(sys.argv[1]))

"""Noise speed beside OpenDP, in one run: noise.py BUILD_FOLDER

Prints one line a case: case, our samples a second, theirs, the ratio, and ours as a share of the
machine's AES-256-CTR rate in 64-bit words. Exits 1 where the slowest case misses a bar.
"""

import pathlib
import subprocess
import sys
import time

import opendp.prelude as dp

LEAST_RATIO = 150
LEAST_SHARE = 0.025
SCALES = {"2^-30": 2.0**-30, "1": 1.0, "22/7": 22 / 7, "2^20": 2.0**20, "2^40": 2.0**40}
SECONDS = 1.0


def our_rates(program):
    """Samples a second by case, and the cipher's words a second."""
    done = subprocess.run([program], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    rates = dict(line.split() for line in done.stdout.splitlines())
    rates = {name: float(rate) for name, rate in rates.items()}
    return rates, rates.pop("aes-256-ctr")


def their_mechanism(law, scale):
    """OpenDP's discrete noise over vectors of integers."""
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if law == "laplace":
        return dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale)
    return dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale)


def their_rate(law, scale):
    """The best rate over vectors of a length that takes a tenth of a second or so."""
    mechanism = their_mechanism(law, scale)
    length, best, begin = 1000, 0.0, time.perf_counter()
    while time.perf_counter() - begin < SECONDS:
        values = [0] * length
        start = time.perf_counter()
        mechanism(values)
        taken = time.perf_counter() - start
        best = max(best, length / taken)
        if taken < 0.05:
            length *= 2
    return best


def main(build):
    program = next(pathlib.Path(build).rglob("noise_speed"), None)
    if program is None:
        sys.exit(f"no program noise_speed under {build}: build it first")
    dp.enable_features("contrib")
    ours, cipher = our_rates(program)
    missed = []
    print(f"{'case':<16} {'ours/s':>12} {'theirs/s':>12} {'ratio':>8} {'of AES':>8}")
    for name, rate in ours.items():
        law, text = name.split("-", 1)
        share = rate / cipher
        if share < LEAST_SHARE:
            missed.append(f"{name}: {share:.1%} of the AES rate, the bar is {LEAST_SHARE:.1%}")
        try:
            theirs = their_rate(law, SCALES[text])
        except dp.OpenDPException as refusal:
            reason = str(refusal).splitlines()[-1].strip()
            print(f"{name:<16} {rate:>12.0f} {'-':>12} {'-':>8} {share:>8.1%}  refused: {reason}")
            continue
        ratio = rate / theirs
        if ratio < LEAST_RATIO:
            missed.append(f"{name}: {ratio:.0f} times as fast, the bar is {LEAST_RATIO}")
        print(f"{name:<16} {rate:>12.0f} {theirs:>12.0f} {ratio:>8.0f} {share:>8.1%}")
    print(f"{'aes-256-ctr':<16} {cipher:>12.0f} words a second")
    for line in missed:
        print(line, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: noise.py BUILD_FOLDER")
    sys.exit(main(sys.argv[1]))

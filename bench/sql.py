"""Private SQL beside its floor and its peers, in one run: sql.py BUILD_FOLDER [ROUNDS]

TPC-H at scale factor 1 with the customer as the privacy unit. Ours is what the engine does for
tacit's statements; the floor is the same query grouped by its keys and the customer, in the same
engine and process: no answer that bounds what a customer adds can do with less. Prints one line a
case: case, ours and floor in milliseconds, floor / ours, the peaks of the engine's buffers in MB,
and planning with noise in milliseconds. Then SmartNoise SQL, Qrlew and Tumult Analytics on
the PUMS example, as far as they run here. Exits 1 where a bar is missed.
"""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import duckdb

HERE = pathlib.Path(__file__).resolve().parent
QUERIES = [1, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 19]
MOST_MEAN = 1.35
MOST_WORST = 2.0
MOST_MEMORY = 1.2
MOST_PLAN_AND_NOISE = 20.0

PUMS_QUERIES = {
    "pums-count": "SELECT COUNT(*) AS n FROM pums",
    "pums-by-married": "SELECT married, COUNT(*) AS n, SUM(income) AS s FROM pums GROUP BY married",
    "pums-by-educ": "SELECT educ, COUNT(*) AS n, AVG(age) AS a FROM pums GROUP BY educ",
}
PUMS_BOUNDS = {"age": (0, 120), "educ": (1, 16), "income": (0, 500000), "married": (0, 1)}


def tpch_extension():
    import duckdb_extension_tpch

    folder = pathlib.Path(duckdb_extension_tpch.__file__).parent
    return next(folder.rglob("tpch.duckdb_extension"))


def open_with_tpch(file):
    connection = duckdb.connect(str(file), config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{tpch_extension()}'")
    return connection


def workspace():
    """A folder with the tables, made once, and what the steward declares of them."""
    folder = HERE.parent / "build" / "tpch"
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / "sf1.duckdb"
    if not database.exists():
        part = folder / "sf1.duckdb.part"
        part.unlink(missing_ok=True)
        connection = open_with_tpch(part)
        connection.execute("CALL dbgen(sf=1)")
        connection.close()
        part.rename(database)
    shutil.copy(HERE / "sql" / "tacit.toml", folder)
    return folder


def words(text):
    return re.sub(r"\s+", " ", text).strip().rstrip(";").strip()


def print_edits():
    """Says where a query differs from TPC-H's text in more than a last ORDER BY or LIMIT."""
    connection = open_with_tpch(":memory:")
    texts = dict(connection.execute("SELECT query_nr, query FROM tpch_queries()").fetchall())
    for number in QUERIES:
        original = words(re.sub(r"\nORDER BY[^()]*$", "", texts[number].strip()))
        if words((HERE / "sql" / f"q{number:02d}.sql").read_text()) != original:
            print(f"q{number:02d} is not the text of TPC-H: see bench/sql/q{number:02d}.sql")


def run_tpch(build, rounds):
    program = next(pathlib.Path(build).rglob("sql_speed"), None)
    if program is None:
        sys.exit(f"no program sql_speed under {build}: build it first")
    names = [f"q{number:02d}" for number in QUERIES]
    done = subprocess.run(
        [program, workspace(), HERE / "sql", str(rounds), *names],
        stdout=subprocess.PIPE, text=True, check=False,
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(lines) != len(names):
        sys.exit("sql_speed did not answer every query")
    return lines


def report_tpch(lines):
    missed = []
    ratios = []
    print(f"{'case':<6} {'ours':>8} {'floor':>8} {'ratio':>6} {'ours MB':>8} {'floor MB':>9} {'plan+noise':>11}")
    for name, plan, noise, ours, floor, ratio, our_bytes, floor_bytes in lines:
        ratios.append(float(ratio))
        rest = float(plan) + float(noise)
        memory = int(our_bytes) / max(int(floor_bytes), 1)
        print(f"{name:<6} {float(ours):>8.1f} {float(floor):>8.1f} {float(ratio):>6.2f} "
              f"{int(our_bytes) / 1e6:>8.0f} {int(floor_bytes) / 1e6:>9.0f} {rest:>11.1f}")
        if memory > MOST_MEMORY:
            missed.append(f"{name}: {memory:.2f} times the floor's memory, bar {MOST_MEMORY}")
        if rest > MOST_PLAN_AND_NOISE:
            missed.append(f"{name}: {rest:.1f} ms of planning and noise, bar {MOST_PLAN_AND_NOISE}")
    mean = math.exp(-sum(math.log(ratio) for ratio in ratios) / len(ratios))
    worst = 1 / min(ratios)
    print(f"ours / floor: geometric mean {mean:.2f} (bar {MOST_MEAN}), worst {worst:.2f} (bar {MOST_WORST})")
    if mean > MOST_MEAN:
        missed.append(f"geometric mean {mean:.2f}, bar {MOST_MEAN}")
    if worst > MOST_WORST:
        missed.append(f"worst {worst:.2f}, bar {MOST_WORST}")
    return missed


def pums_file():
    shared = pathlib.Path(os.environ.get("TACIT_SHARED", HERE.parent.parent / "shared"))
    return shared / "data" / "pums" / "PUMS_pid.csv"


def smartnoise_times(rounds):
    """Milliseconds a query, or why there are none."""
    import pandas
    import snsql

    table = pandas.read_csv(pums_file())[["age", "educ", "income", "married", "pid"]].astype(int)
    columns = {name: {"type": "int", "lower": low, "upper": high}
               for name, (low, high) in PUMS_BOUNDS.items()}
    columns["pid"] = {"type": "int", "private_id": True}
    metadata = {"": {"": {"pums": {"row_privacy": False, "max_ids": 1, **columns}}}}
    reader = snsql.from_df(table, privacy=snsql.Privacy(epsilon=1.0, delta=1e-8), metadata=metadata)
    times = {}
    for name, query in PUMS_QUERIES.items():
        reader.execute(query)
        taken = []
        for _ in range(rounds):
            begin = time.perf_counter()
            reader.execute(query)
            taken.append(1000 * (time.perf_counter() - begin))
        times[name] = sorted(taken)[len(taken) // 2]
    return times


def our_pums_times(build, rounds):
    program = next(pathlib.Path(build).rglob("sql_speed"))
    folder = HERE.parent / "build" / "pums"
    folder.mkdir(parents=True, exist_ok=True)
    text = (HERE / "sql" / "pums.toml").read_text()
    (folder / "tacit.toml").write_text(text.replace("PUMS_pid.csv", str(pums_file())))
    for name, query in PUMS_QUERIES.items():
        (folder / f"{name}.sql").write_text(query + ";\n")
    done = subprocess.run([program, "--whole", folder, folder, str(rounds), *PUMS_QUERIES],
                          stdout=subprocess.PIPE, text=True, check=True)
    return {name: float(taken) for name, taken in map(str.split, done.stdout.splitlines())}


def times_in(lines):
    """Milliseconds a query of lines `name ms`; a peer's word why it has none is printed."""
    times = {}
    for line in lines:
        name, taken, *why = line.split(maxsplit=2)
        if taken == "-":
            print(f"{name}: {why[0]}")
        else:
            times[name] = float(taken)
    return times


def run_peer(peer, arguments, under=()):
    """A peer whose packages do not go with ours runs in an environment of its own."""
    python = HERE.parent / "build" / "peers" / f"sql-{peer}" / "bin" / "python"
    done = subprocess.run([*under, python, HERE / f"sql_{peer}.py", pums_file(), *arguments],
                          cwd=HERE.parent / "build" / "pums", capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.splitlines() or ["no output"])[-1])
    return times_in(line for line in done.stdout.splitlines() if line.startswith("pums-"))


def qrlew_times(rounds):
    queries = HERE.parent / "build" / "pums" / "queries.json"
    queries.write_text(json.dumps(PUMS_QUERIES))
    return run_peer("qrlew", [str(rounds), queries], [HERE.parent / "scripts" / "with-postgres"])


def tumult_times(rounds):
    return run_peer("tumult", [str(min(rounds, 3))])


def report_peers(build, rounds):
    if not pums_file().exists():
        print(f"no PUMS example: {pums_file()} is missing")
        return
    ours = our_pums_times(build, rounds)
    print(f"{'case':<16} {'peer':<16} {'ours ms':>8} {'theirs ms':>10} {'ratio':>7}")
    for peer, measure in [("SmartNoise SQL", smartnoise_times), ("Qrlew", qrlew_times),
                          ("Tumult", tumult_times)]:
        try:
            theirs = measure(rounds)
        except Exception as error:  # a peer that does not run is a line of the report
            print(f"{peer} did not run here: {type(error).__name__}: {error}")
            continue
        for name in PUMS_QUERIES:
            if name in theirs:
                print(f"{name:<16} {peer:<16} {ours[name]:>8.2f} {theirs[name]:>10.2f} "
                      f"{theirs[name] / ours[name]:>7.1f}")


def main(build, rounds):
    print_edits()
    missed = report_tpch(run_tpch(build, rounds))
    report_peers(build, rounds)
    for line in missed:
        print(f"missed: {line}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9)

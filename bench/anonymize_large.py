"""Anonymizes a table of many rows: anonymize_large.py BUILD_FOLDER [ROWS, default 100 million]

The rows are generated: 177,600 combinations of age, sex, ZIP and status, and a sensitive column.
Prints how long 'tacit anonymize' took as a whole process, from Parquet to Parquet, and the most
memory that it held. Exits 1 where it held more than 6 GiB: the engine may hold 4 GB of rows however
many there are, and the search needs what the combinations need.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import duckdb

MOST_BYTES = 6 * 2**30
POLICY = """[columns]
id = "identifier"
age = {role = "quasi-identifier", hierarchy = {intervals = [5, 10, 20]}}
sex = "quasi-identifier"
zip = {role = "quasi-identifier", hierarchy = {mask = "right"}}
status = "quasi-identifier"
occupation = "other"
illness = {role = "sensitive", criteria = {distinct_l = 3}}
[privacy]
k = 100
suppression = 0.05
"""


def generate(file, rows):
    """Each column from other bits of a hash of the row's number; some ZIPs are rare."""
    part = "(hash(8 * i + {0}) >> 11)"
    duckdb.connect().execute(f"""
        COPY (SELECT 'p' || i AS id,
                     CAST(17 + {part.format(1)} % 74 AS INTEGER) AS age,
                     ['f', 'm'][CAST(1 + {part.format(2)} % 2 AS INTEGER)] AS sex,
                     CAST(10000 + 7 * ({part.format(3)} % 300 * ({part.format(7)} % 300) // 300)
                          AS VARCHAR) AS zip,
                     ['single', 'married', 'divorced', 'widowed']
                         [CAST(1 + {part.format(4)} % 4 AS INTEGER)] AS status,
                     CAST({part.format(5)} % 40 AS INTEGER) AS occupation,
                     ['flu', 'cold', 'gout', 'cancer', 'none']
                         [CAST(1 + {part.format(6)} % 5 AS INTEGER)] AS illness
              FROM range({rows}) AS numbers(i)) TO '{file}' (FORMAT parquet)""")


def main(build, rows):
    tacit = next(pathlib.Path(build).rglob("cli/tacit"), None)
    if tacit is None:
        sys.exit(f"no program tacit under {build}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generate(folder / "rows.parquet", rows)
        (folder / "policy.toml").write_text(POLICY)
        begin = time.perf_counter()
        done = subprocess.run(
            [tacit.resolve(), "anonymize", "rows.parquet", "--policy", "policy.toml", "-o",
             "safe.parquet", "--accept-no-dp", "--json"],
            stdout=subprocess.PIPE, text=True, check=True, cwd=folder)
        seconds = time.perf_counter() - begin
    said = json.loads(done.stdout)
    peak = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{rows:,} rows, {said['risk']['before']['classes']:,} combinations: {seconds:.0f} s, "
          f"{peak / 2**30:.1f} GiB at most")
    if peak > MOST_BYTES:
        sys.exit(f"missed: {peak / 2**30:.1f} GiB, bar {MOST_BYTES / 2**30:.0f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000_000)

#!/usr/bin/env python3
"""Logistic regression on Adult: the model of 'tacit learn logistic' beside the non-private one.

    bench/adult_logistic.py TACIT FOLDER [--epsilon E] [--delta D] [--runs N]

FOLDER holds adult-train.csv and adult-test.csv of UCI. Every run draws new noise. The non-private model is that of
maximum likelihood (Newton's method, a ridge of 1e-2 over all rows) over the same columns. Needs numpy.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy

COLUMNS = (
    "age workclass fnlwgt education education_num marital occupation relationship race sex "
    "gain loss hours country income"
).split()
# Public facts: what the census form allows, not what the rows show. Gains and losses go in by their logarithm.
RANGES = {"age": (17, 90), "education_num": (1, 16), "gain": (0, 99999), "loss": (0, 4500), "hours": (1, 99)}
NUMBERS = ["age", "education_num", "ln(gain + 1)", "ln(loss + 1)", "hours"]
CATEGORIES = ["workclass", "education", "marital", "occupation", "relationship", "race", "sex", "country"]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        rows = [[cell.strip().rstrip(".") for cell in row] for row in csv.reader(file)]
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows if len(row) == len(COLUMNS)]


def workspace(folder: Path, tacit: str, rows: list[dict[str, str]]) -> None:
    """A workspace with the rows, in which every row is a person."""
    with (folder / "adult.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    subprocess.run(
        [tacit, "init", folder, "--dataset", "adult", "--neighbours", "add_remove", "--epsilon", "1000",
         "--delta", "0.5", "--table", f"adult={folder / 'adult.csv'}", "--unit", "adult=row"],
        check=True, capture_output=True,
    )  # fmt: skip
    toml = folder / "tacit.toml"
    text = toml.read_text()
    for name in COLUMNS:
        if name in RANGES:
            declared = '{{type = "integer", min = {}, max = {}, nulls = false}}'.format(*RANGES[name])
        elif name in CATEGORIES or name == "income":
            values = ", ".join(f'"{value}"' for value in sorted({row[name] for row in rows}))
            declared = f'{{type = "text", values = [{values}], nulls = false}}'
        else:
            continue
        text = re.sub(rf"(?m)^{name} = .*", lambda _: f"{name} = {declared}", text)
    toml.write_text(text)


def learned(folder: Path, tacit: str, options: argparse.Namespace) -> dict:
    told = subprocess.run(
        [tacit, "learn", "logistic", "--workspace", folder, "--as", "bench", "--fresh", "--json",
         "--epsilon", options.epsilon, "--delta", options.delta, "--from", "adult",
         "--range", "ln(gain + 1)=0..11.6", "--range", "ln(loss + 1)=0..8.5",
         "--columns", ",".join(NUMBERS), "--categories", ",".join(CATEGORIES), "--label", "income"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    if told.returncode != 0:
        raise SystemExit(told.stderr)
    return json.loads(told.stdout)


def number(row: dict[str, str], name: str) -> float:
    inside = re.fullmatch(r"ln\((\w+) \+ 1\)", name)
    return float(numpy.log1p(float(row[inside[1]]))) if inside else float(row[name])


def accuracy_of(model: dict, rows: list[dict[str, str]]) -> float:
    right = 0
    effects = {c["name"]: {e["of"]: e["value"] for e in c["effects"]} for c in model["categories"]}
    bounds = {feature["name"]: (feature["lower"], feature["upper"]) for feature in model["features"]}
    for row in rows:
        score = model["intercept"]["value"]
        for slope in model["slopes"]:
            lower, upper = bounds[slope["feature"]]
            score += slope["value"] * min(max(number(row, slope["feature"]), lower), upper)
        for name, values in effects.items():
            score += values.get(row[name], 0)
        right += (score > 0) == (row["income"] == model["label"]["one"])
    return right / len(rows)


def encoded(rows: list[dict[str, str]], train: list[dict[str, str]]) -> tuple[numpy.ndarray, numpy.ndarray]:
    columns = [numpy.ones(len(rows))]
    for name in NUMBERS:
        columns.append(numpy.array([number(row, name) for row in rows]) / max(number(row, name) for row in train))
    for name in CATEGORIES:
        for value in sorted({row[name] for row in train}):
            columns.append(numpy.array([row[name] == value for row in rows], float))
    return numpy.array(columns).T, numpy.array([row["income"] == ">50K" for row in rows], float)


def maximum_likelihood(train: list[dict[str, str]], test: list[dict[str, str]]) -> float:
    x, y = encoded(train, train)
    weights = numpy.zeros(x.shape[1])
    for _ in range(20):
        p = 1 / (1 + numpy.exp(-x @ weights))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-2 * numpy.eye(len(weights))
        weights -= numpy.linalg.solve(hessian, x.T @ (p - y) + 1e-2 * weights)
    other, told = encoded(test, train)
    return float(((other @ weights > 0) == (told > 0)).mean())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("tacit")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--epsilon", default="1")
    arguments.add_argument("--delta", default="1e-5")
    arguments.add_argument("--runs", type=int, default=5)
    options = arguments.parse_args()
    train, test = (rows_of(options.folder / f"adult-{part}.csv") for part in ("train", "test"))
    print(f"non-private: {100 * maximum_likelihood(train, test):.2f}%")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        workspace(folder, options.tacit, train)
        found = [100 * accuracy_of(learned(folder, options.tacit, options), test) for _ in range(options.runs)]
    spread = statistics.stdev(found) if len(found) > 1 else 0
    print(f"epsilon {options.epsilon}, delta {options.delta}: mean {statistics.mean(found):.2f}%, deviation "
          f"{spread:.2f}, lowest {min(found):.2f}, highest {max(found):.2f}, {len(found)} runs")  # fmt: skip


if __name__ == "__main__":
    main()

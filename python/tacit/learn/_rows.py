"""Rows that Python has, brought to where the command reads them."""

from __future__ import annotations

import csv
import datetime
import decimal
import hashlib
import itertools
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.errors import BudgetExceeded, InputError
from tacit._command import tacit
from tacit._units import unit_names

Columns = dict[str, list[Any]]


def columns_of(rows: Any) -> Columns:
    """The columns of a data frame, an Arrow table, a dict of columns, or an array of two dimensions."""
    if hasattr(rows, "collect") and hasattr(rows, "collect_schema"):  # polars, lazy
        rows = rows.collect()
    if isinstance(rows, Mapping):
        out = {str(name): list(values) for name, values in rows.items()}
    elif hasattr(rows, "to_pydict"):  # Arrow
        out = rows.to_pydict()
    elif hasattr(rows, "iter_columns"):  # polars
        out = rows.to_dict(as_series=False)
    elif hasattr(rows, "columns") and hasattr(rows, "iloc"):  # pandas
        out = {str(name): rows[name].tolist() for name in rows.columns}
    elif getattr(rows, "ndim", 0) == 2:
        out = {f"x{i}": rows[:, i].tolist() for i in range(rows.shape[1])}
    elif hasattr(rows, "__arrow_c_stream__"):
        import pyarrow

        out = pyarrow.table(rows).to_pydict()
    else:
        raise InputError(
            f"rows cannot be {type(rows).__name__}", "fit", "give a data frame, a dict of columns, or a file"
        )
    if not out or len({len(values) for values in out.values()}) != 1:
        raise InputError("the columns are not equally long", "fit")
    return out


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def is_same(values: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether both are written as the same column."""
    return list(map(_cell, values)) == list(map(_cell, others))


def free_name(wanted: str, columns: Columns) -> str:
    """A name that no column has. Engines do not tell capitals from small letters."""
    taken = {name.lower() for name in columns}
    while wanted in taken:
        wanted += "_"
    return wanted


def unit_texts(units: Sequence[Any]) -> list[str | None]:
    """A text for each unit that no engine takes for a number: 007 and 7 are two, where they were texts."""
    return [
        None if name is None else "u" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        for name in unit_names(units, "unit")
    ]


def check_unit(unit: str | None) -> None:
    """Refuses the column of a file whose name the command would read as something else."""
    if unit is not None and (unit in ("row", "public") or set(unit) & set(",:")):
        raise InputError(
            f"the units of a file cannot be in a column named '{unit}'",
            "unit",
            "rename the column; without unit each row is a unit",
        )


def write_csv(columns: Columns, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            rows.writerow([_cell(value) for value in row])


@contextmanager
def csv_file(columns: Columns) -> Iterator[Path]:
    """A file that nobody else can read, for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="tacit-") as folder:
        path = Path(folder) / "rows.csv"
        write_csv(columns, path)
        yield path


def _new_folder() -> Path:
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%S")
    for i in itertools.count():
        folder = home / "tacit" / "learn" / (f"{now}-{os.getpid()}" + (f"-{i}" if i else ""))
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise AssertionError


@contextmanager
def workspace_of(file: Path, unit: str | None, epsilon: str, delta: str | None) -> Iterator[Path]:
    """A workspace with a ledger of its own, whose table `rows` is this file.

    The ledger stays, unless what was asked for was refused.
    """
    folder = _new_folder()
    try:
        tacit(
            "init", folder, "--dataset", "frame", "--neighbours", "add_remove",
            "--epsilon", epsilon, *(("--delta", delta) if delta else ()),
            "--table", f"rows={file}", "--unit", f"rows={unit or 'row'}",
        )  # fmt: skip
        yield folder
    except (InputError, BudgetExceeded):
        shutil.rmtree(folder)  # nothing was charged
        raise
    print(f"tacit: charged to the ledger in {folder}", file=sys.stderr)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text_literal(value: Any) -> str:
    return "'" + _cell(value).replace("'", "''") + "'"


def _places(values: Sequence[Any], listed: Sequence[Any]) -> list[int | None]:
    """The place of each value in the list: 1 is 1.0 and True, and what reads the same is the same."""
    by_value: dict[Any, int] = {}
    by_text: dict[str, int] = {}
    for i, value in enumerate(listed):
        by_value.setdefault(value, i)
        by_text.setdefault(_cell(value), i)

    def place(value: Any) -> int | None:
        found = by_value.get(value) if isinstance(value, Hashable) else None
        return by_text.get(_cell(value)) if found is None else found

    return [place(value) for value in values]


def coded(values: Sequence[Any], listed: Sequence[Any]) -> list[str | None]:
    """The place of each value in the list, as a text that no engine takes for anything else."""
    return [None if place is None else f"v{place}" for place in _places(values, listed)]


def as_listed(values: Sequence[Any], listed: Sequence[Any]) -> list[Any]:
    """Each value as the list has it; none where it is not listed."""
    return [None if place is None else listed[place] for place in _places(values, listed)]


def _cases(name: str, listed: Sequence[Any], literals: Sequence[str]) -> str:
    column = quoted(name)
    whens = " ".join(
        f"WHEN {column} = {literal} THEN {text_literal(value)}"
        for literal, value in zip(literals, listed, strict=True)
    )
    return f"CASE {whens} END AS {column}"


def decoded(name: str, listed: Sequence[Any]) -> str:
    """The SQL that makes the listed values, as texts, of a column that was coded."""
    return _cases(name, listed, [f"'v{i}'" for i in range(len(listed))])


def named(name: str, listed: Sequence[Any]) -> str:
    """The same of a column as it is in a file."""
    return _cases(name, listed, [_literal(value) for value in listed])


def _literal(value: Any) -> str:
    value = value.item() if hasattr(value, "item") else value  # of numpy
    is_number = isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if is_number else text_literal(value)

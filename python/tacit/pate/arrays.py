"""Rows of whatever holds them: arrays, tensors, frames, Arrow tables, lists."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


def take(rows: Any, places: Sequence[int]) -> Any:
    """The rows at these places, in a container of the same kind."""
    if hasattr(rows, "iloc"):
        return rows.iloc[list(places)]
    if hasattr(rows, "to_pylist"):  # Arrow, which cannot guess what no place is a number of
        return rows.take(sys.modules["pyarrow"].array(list(places), "int64"))
    if hasattr(rows, "shape"):
        return rows[list(places)]
    return [rows[place] for place in places]


def filled_like(rows: Any, labels: Sequence[int]) -> Any:
    """Labels as a caller with such rows would have them: a tensor, an array or a list."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(rows, torch.Tensor):
        return torch.tensor(list(labels), device=rows.device)
    if numpy is not None and hasattr(rows, "shape"):
        return numpy.asarray(labels)
    return list(labels)


def listed(values: Any) -> list[Any]:
    """Values as Python's own, where they have such."""
    for way in ("tolist", "to_pylist"):
        if hasattr(values, way):
            out: list[Any] = getattr(values, way)()
            return out
    return list(values)


def whole_numbers(labels: Any) -> list[Any]:
    """Labels as Python's own numbers, where they have such."""
    return [int(each) if isinstance(each, float) and each.is_integer() else each for each in listed(labels)]


def is_label(value: Any, classes: int) -> bool:
    """Whether it is one of so many classes."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < classes

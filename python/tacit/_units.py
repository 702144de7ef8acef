"""Whose rows are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tacit.errors import InputError


def unit_names(units: Iterable[Any], where: str) -> list[str | None]:
    """A text for each that comes from the unit alone; None where the unit is missing.

    Units that are equal (1 and 1.0 are) have one name, however they are written: else what is promised
    for a unit would hold for each of its spellings only. Different units that are written the same are one.
    """
    names: dict[Any, str] = {}

    def name(unit: Any) -> str | None:
        unit = unit.item() if hasattr(unit, "detach") else unit  # a tensor is a key by identity
        found = names.get(unit)
        if found is None and not _is_missing(unit):
            found = names[unit] = repr(unit)
        return found

    try:
        return [name(unit) for unit in units]
    except (TypeError, ValueError, RuntimeError) as unknown:
        raise InputError(
            "a unit cannot be compared with others", where, "give numbers, texts, or tuples of them"
        ) from unknown


def _is_missing(unit: Any) -> bool:
    """None, and what is not equal to itself: NaN and its like."""
    if isinstance(unit, tuple):
        return any(map(_is_missing, unit))
    try:
        return unit is None or not unit == unit
    except TypeError:  # pandas.NA
        return True

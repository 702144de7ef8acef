"""What can go wrong. Every error says what, where, and what to do; each is also the builtin kind a
caller would catch."""

from __future__ import annotations


class TacitError(Exception):
    """Any error of Tacit. Catch one of its kinds to tell them apart."""

    def __init__(self, what: str, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  {self.remedy}" if self.remedy else text

    def __reduce__(self) -> tuple[type[TacitError], tuple[str, str, str]]:
        return type(self), (self.what, self.where, self.remedy)


class BudgetExceeded(TacitError, PermissionError):
    """The privacy budget does not allow it. Nothing was charged."""


class InputError(TacitError, ValueError):
    """Something was asked that has no meaning: a wrong argument, workspace or file. Nothing was done."""


class QueryRefused(InputError):
    """The statement cannot be answered privately, or is no SQL. Nothing was charged."""


class WorldFailed(TacitError, OSError):
    """A disk, an engine or a network failed, or the work was cancelled."""

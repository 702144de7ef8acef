"""The command `tacit`, as the package carries it: what it does, the package need not do again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

from tacit.errors import BudgetExceeded, InputError, TacitError, WorldFailed

_PROGRAM = Path(__file__).with_name("tacit")


def main() -> NoReturn:
    """Become the command, with the arguments of this process."""
    os.execv(_PROGRAM, ["tacit", *sys.argv[1:]])


_ERRORS: dict[int, type[TacitError]] = {1: BudgetExceeded, 2: InputError}


def _error(status: int, text: str) -> TacitError:
    kind = _ERRORS.get(status, WorldFailed)
    try:
        told = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return kind(text.strip() or f"the command ended with status {status}")
    return kind(told["what"], told.get("where", ""), told.get("remedy", ""))


def tacit(*arguments: str | Path) -> Any:
    """What the command says in JSON; an error of its kind where it fails."""
    try:
        done = subprocess.run([_PROGRAM, *arguments, "--json"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise WorldFailed(f"the command cannot be run: {error}", str(_PROGRAM)) from error
    if done.returncode != 0:
        raise _error(done.returncode, done.stderr)
    return json.loads(done.stdout) if done.stdout.strip() else None

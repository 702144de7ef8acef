"""Models are made and applied by the command that the package carries, so that both do the same."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tacit.errors import BudgetExceeded, InputError, TacitError, WorldFailed

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
    program = Path(__file__).parents[1] / "tacit"
    try:
        done = subprocess.run(
            [program, *arguments, "--json"], capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise WorldFailed(f"the command cannot be run: {error}", str(program)) from error
    if done.returncode != 0:
        raise _error(done.returncode, done.stderr)
    return json.loads(done.stdout) if done.stdout.strip() else None

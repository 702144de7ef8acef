"""The command `tacit`, as the package carries it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Become the command, with the arguments of this process."""
    program = Path(__file__).with_name("tacit")
    os.execv(program, ["tacit", *sys.argv[1:]])

"""Who works, as a ledger names them."""

from __future__ import annotations

import getpass
import os


def user_name() -> str:
    """The user's name; in a container that knows none for its user, the number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())

"""Who pays."""

from __future__ import annotations

import itertools
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tacit._user import user_name
from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.accountants import History

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Payer:
    """An account of a workspace; or, without one, a new account in a ledger of the user's."""

    workspace: str | os.PathLike[str] | None = None
    account: str | None = None

    def __post_init__(self) -> None:
        if (self.workspace is None) != (self.account is None):
            raise InputError(
                "a workspace pays from an account, and an account lies in a workspace",
                "PrivacyEngine",
                'for example: PrivacyEngine(workspace="clinic", account="clinic/ana")',
            )

    def open(
        self, history: History, delta: float, name: str | None = None, *, enough_for: str = ""
    ) -> _native.Account:
        """The account; a new one (of a name that is given where it must be found again) has a cap for
        what will be done, and its place is said, with what it is enough for."""
        who = user_name()
        if self.workspace is not None and self.account is not None:
            return _native.workspace_account(os.fspath(self.workspace), self.account, who)
        file = default_ledger()
        name = name or f"run-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{next(_numbers)}"
        epsilon = _native.epsilon(history, delta)
        account = _native.file_account(str(file), name, who, epsilon, delta, history)
        print(
            f"tacit: the account {name} of {file} pays\n"
            f"  for all of it: epsilon {epsilon:.4g} at delta {delta:g}{enough_for}",
            file=sys.stderr,
        )
        return account


def default_ledger() -> Path:
    """Where training is charged that no workspace pays for."""
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "tacit" / "training.sqlite"

"""What Opacus lets one make by hand, and an engine makes here."""

from __future__ import annotations

from tacit.errors import InputError


def made_by_engine(name: str) -> InputError:
    """That it cannot be made without one."""
    return InputError(
        f"a {name} is a part of one training that is paid for, and its engine makes it",
        name,
        "take what PrivacyEngine().make_private(module=..., optimizer=..., data_loader=...) gives back",
    )

"""Gradients of examples that a loop takes by itself: there are none."""

from __future__ import annotations

from typing import Any, NoReturn

from tacit.errors import InputError


def make_functional(*arguments: Any, **options: Any) -> NoReturn:
    """Scripts import it for grad_sample_mode="no_op" and seldom call it."""
    raise InputError(
        "the engine takes the gradients of examples itself, so that what is clipped is what is proved",
        "make_functional",
        "leave grad_sample_mode out, and call loss.backward() and optimizer.step()",
    )

"""Training in several processes: there is none."""

from __future__ import annotations

from typing import Any

from tacit.errors import InputError


class DifferentiallyPrivateDistributedDataParallel:
    """Scripts import it for several GPUs; with one they never make it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise InputError(
            "batches are drawn and clipped in one process",
            type(self).__name__,
            "give make_private the model itself",
        )

"""Samplers of a loop's own: there are none."""

from __future__ import annotations

from typing import Any

from tacit.errors import InputError


class UniformWithReplacementSampler:
    """The engine draws batches itself, and keeps who is in them from the loop."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise InputError(
            "batches are drawn by the engine, each example with the same probability",
            type(self).__name__,
            "give make_private a DataLoader(dataset, batch_size=round(sample_rate * len(dataset))), without a sampler",
        )


class DistributedUniformWithReplacementSampler(UniformWithReplacementSampler):
    """The same, in several processes."""

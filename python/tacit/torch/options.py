"""What a training can be asked for beside its noise and its bound.

Names are Opacus' where it has one. A default stands where it is read, and there alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypedDict

Factor: TypeAlias = Callable[[int], float]
"""A public function of the epoch (0, 1, 2, ...) by which something is multiplied."""


class PlanOptions(TypedDict, total=False):
    """All of it decides what is proved, and is fixed before the first step."""

    poisson_sampling: bool
    """False: batches of the loader's size, drawn anew each step, without replacement. What is proved
    is then about one example that is replaced by another, and the number of examples is public."""
    largest_batch: int | None
    """Of Poisson batches: one with more examples is left empty, which costs a little of delta."""
    clipping: str
    """"flat"; "per_layer": each parameter by itself; "automatic": all gradients to the same norm;
    "adaptive": the bound follows a quantile of the norms, for a share of the noise."""
    noise_schedule: Factor | None
    clip_schedule: Factor | None
    rate_schedule: Factor | None
    """By what noise multiplier, bound and sample rate are multiplied in each epoch."""
    target_unclipped_quantile: float
    clipbound_learning_rate: float
    max_clipbound: float
    min_clipbound: float
    unclipped_num_std: float
    """Of adaptive clipping; the last is the noise of the number of examples within the bound."""
    mixed_precision: bool
    """The model may run under torch.autocast, in bfloat16 or float16: what is proved then rests on one
    assumption more, and batches have a largest size, by default one that costs a hundredth of delta. All
    that the loop gets is filled up with rows of zeros to one size, which do not count. fit() runs the model
    under autocast in bfloat16 by itself."""
    loss_scale: float
    """Of mixed precision in float16: a power of two, by which losses are multiplied on the way back and
    gradients divided again. A GradScaler is refused: its scale would follow private gradients."""


class LossOptions(PlanOptions, total=False):
    """And of a loop of the caller's own."""

    criterion: Any
    batch_first: bool
    loss_reduction: str
    noise_generator: None
    wrap_model: bool
    rand_on_empty: bool


class LoopOptions(LossOptions, total=False):
    """And what decides how many things come back."""

    grad_sample_mode: str


def check_names(given: Iterable[str], known: type, function: str) -> None:
    """As Python does with a name that a function does not have."""
    for name in given:
        if name not in known.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")

"""An average of weights over the steps, which often does better than the last ones."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from torch import nn

from tacit.torch import _native


class WeightAverage:
    """An exponential moving average of a model's weights. It is made of released weights, so it costs
    nothing.

        average = WeightAverage(model, decay=0.999)
        ...
        optimizer.step()
        average.update()
        ...
        with average:          # the model has the averaged weights
            evaluate(model)

    Each update keeps `decay` of the average, or less while updates are few: the first weights are
    soon forgotten.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self._native = _native.WeightAverage([each for each in model.parameters() if each.requires_grad], decay)

    def update(self) -> None:
        """After each step."""
        self._native.update()

    def swap(self) -> None:
        """Put the average into the model, and what was there into the average: twice is nothing."""
        self._native.swap()

    def __enter__(self) -> None:
        self.swap()

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.swap()

    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {"averages": self._native.averages, "updates": self._native.updates}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from one. Refuses that of another model."""
        self._native.restore(state_dict["averages"], state_dict["updates"])

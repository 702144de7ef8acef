"""A model whose outputs are cut off from its graph while it trains."""

from __future__ import annotations

import copy
import operator
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree

from tacit.errors import InputError
from tacit.torch.by_hand import made_by_engine
from tacit.torch.steps import Steps
from tacit.torch.validators import check_as_it_is


class PrivateModule(nn.Module):
    """The model. Between a batch of the private loader and optimizer.step() its calls in training
    mode are on that batch, a row for each example; at other times it is the model itself."""

    def __init__(self, module: nn.Module, steps: Steps | None = None, **by_hand: Any) -> None:
        if steps is None:
            raise made_by_engine("GradSampleModule")
        super().__init__()
        self._module = module
        self._steps = steps

    def forward(self, *inputs: Any, **named: Any) -> Any:
        if self.training:
            check_as_it_is(self._module)  # model.train() thaws what was frozen
        output = self._module(*inputs, **named)
        if self._steps.part is None or not (self.training and torch.is_grad_enabled()):
            return output
        if any(isinstance(leaf, torch.Tensor) and leaf.requires_grad for leaf in _pytree.tree_leaves((inputs, named))):
            raise InputError(
                "an input asks for a gradient, and gets none from a private step",
                "the model",
                "train one model that holds all that comes before, or detach() the input",
            )
        return self._steps.cut(output)

    def __deepcopy__(self, memo: dict[int, Any]) -> nn.Module:
        """A copy of the model itself: a training is paid for once, and has no copies."""
        return copy.deepcopy(self._module, memo)

    def __reduce__(self) -> Any:
        """Written as the model itself, which is read without Tacit."""
        return operator.itemgetter(0), ([self._module],)

    def to_standard_module(self) -> nn.Module:
        """The model as it was, trained."""
        return self._module

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_module"), name)

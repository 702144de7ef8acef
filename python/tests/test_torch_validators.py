"""Layers that cannot be trained privately: found, replaced, or kept as they are while they do no harm."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tacit.torch.validators import ModuleValidator


@pytest.mark.parametrize(
    "layer",
    [
        nn.BatchNorm2d(8, device="meta", dtype=torch.float16),
        nn.BatchNorm2d(8, affine=False, device="meta", dtype=torch.float16),
        nn.InstanceNorm2d(8, affine=True, track_running_stats=True, device="meta", dtype=torch.float16),
    ],
)
def test_a_fixed_layer_lies_where_the_old_one_did_and_is_as_frozen(layer: nn.Module) -> None:
    model = nn.Sequential(layer)
    model.requires_grad_(False)
    model.eval()
    fixed: Any = ModuleValidator.fix(model)
    assert type(fixed[0]) is not nn.BatchNorm2d and not fixed[0].training
    for parameter in fixed.parameters():
        assert parameter.device.type == "meta" and parameter.dtype == torch.float16
        assert not parameter.requires_grad
    assert ModuleValidator.is_valid(fixed)
    assert len(list(fixed.parameters())) == len(list(model.parameters()))
    layer.requires_grad_(True).train()
    again: Any = ModuleValidator.fix(model)
    assert again[0].training and all(parameter.requires_grad for parameter in again.parameters())


def test_instance_normalization_keeps_what_it_learnt() -> None:
    layer = nn.InstanceNorm2d(3, affine=True, track_running_stats=True)
    nn.init.normal_(layer.weight)
    fixed: Any = ModuleValidator.fix(layer)
    x = torch.randn(4, 3, 5, 5)
    torch.testing.assert_close(fixed(x), layer(x))
    assert torch.equal(fixed.weight, layer.weight) and list(fixed.state_dict()) == ["weight", "bias"]

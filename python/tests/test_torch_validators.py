"""Layers that cannot be trained privately: found, replaced, or kept as they are while they do no harm."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset
from training_loops import assert_one_step_is_the_clipped_mean, points, private, train

import tacit
from tacit.torch import PrivacyEngine
from tacit.torch.validators import ModuleValidator, register_module_fixer, register_module_validator
from tacit.torch.validators.errors import ShouldReplaceModuleError, UnsupportedModuleError

pytestmark = pytest.mark.usefixtures("ledgers")


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


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.filterwarnings("ignore:gradients are taken one example")
def test_a_frozen_batch_normalization_may_stay(affine: bool) -> None:
    norm = nn.BatchNorm2d(4, affine=affine)
    norm.running_mean = torch.randn(4)
    norm.running_var = 1 + torch.rand(4)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), norm, nn.Tanh(), nn.Flatten(), nn.Linear(64, 2))
    norm.eval()
    assert ModuleValidator.is_valid(model) and type(ModuleValidator.fix(model)[1]) is nn.BatchNorm2d  # type: ignore[index]
    # Alike, so that their sum is far above the noise.
    x = torch.randn(1, 3, 6, 6) + 0.1 * torch.randn(64, 3, 6, 6)
    dataset = TensorDataset(x, torch.zeros(64).long())
    assert_one_step_is_the_clipped_mean(
        model, dataset, lambda module, x, y: nn.functional.cross_entropy(module(x), y)
    )


def test_batch_normalization_that_is_not_frozen_may_not() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
    assert not ModuleValidator.is_valid(model.eval()), "all of it is in eval mode, not this layer alone"
    assert type(ModuleValidator.fix(model)[1]) is nn.GroupNorm  # type: ignore[index]
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, track_running_stats=False).eval(), nn.Linear(8, 2))
    assert not ModuleValidator.is_valid(model), "it has no statistics but those of the batch"


def test_batch_normalization_that_thaws_is_refused_before_it_sees_the_batch() -> None:
    # Below all that is trained, so that no graph of gradients holds it.
    body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)).requires_grad_(False)
    model = nn.Sequential(body, nn.Linear(8, 2))
    body.eval()
    module, optimizer, loader = private(points(), model, PrivacyEngine())
    train(module, optimizer, loader)
    module.train()
    with pytest.raises(tacit.InputError, match=r"0\.1: BatchNorm1d mixes(.|\n)*after each model\.train\(\)"):
        train(module, optimizer, loader)
    assert body[1].num_batches_tracked == 0
    body.eval()
    train(module, optimizer, loader)


class Peeking(nn.Module):
    """A layer of a user's own that mixes examples."""

    def forward(self, x: Any) -> Any:
        return x - x.mean(0)


def test_layers_of_ones_own_have_validators_and_fixers(monkeypatch: pytest.MonkeyPatch) -> None:
    for registry in ("VALIDATORS", "FIXERS"):
        monkeypatch.setattr(ModuleValidator, registry, {})

    @register_module_validator(Peeking)
    def validate(module: nn.Module) -> list[tacit.InputError]:
        return [ShouldReplaceModuleError("it peeks")]

    @register_module_fixer([Peeking])
    def fix(module: nn.Module, **how: Any) -> nn.Module:
        return nn.Flatten() if how.get("flat") else nn.Identity()

    @register_module_validator([nn.BatchNorm1d])
    def allow(module: nn.Module) -> list[tacit.InputError]:
        return []

    model = nn.Sequential(nn.Linear(4, 2), Peeking())
    with pytest.raises(UnsupportedModuleError, match="it peeks"):
        private(points(), model, PrivacyEngine())
    assert type(ModuleValidator.fix_and_validate(model)[1]) is nn.Identity  # type: ignore[index]
    assert type(ModuleValidator.fix_and_validate(model, flat=True)[1]) is nn.Flatten  # type: ignore[index]
    with pytest.raises(ShouldReplaceModuleError, match="BatchNorm1d mixes"):
        ModuleValidator.validate(nn.Sequential(nn.BatchNorm1d(3)), strict=True)


def test_what_stands_in_two_places_is_replaced_in_both() -> None:
    norm = nn.BatchNorm2d(8)
    fixed: Any = ModuleValidator.fix_and_validate(nn.Sequential(norm, nn.Sequential(norm)))
    assert isinstance(fixed[0], nn.GroupNorm) and fixed[1][0] is fixed[0]
    fixed = ModuleValidator.fix(nn.Sequential(norm), replace_bn_with_in=True)
    assert type(fixed[0]) is nn.InstanceNorm2d and fixed[0].weight is not None

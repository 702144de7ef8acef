"""Small trainings, and what their steps must come to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

from tacit.torch import PrivacyEngine, Training, fit

DELTA = 1e-5
LEAST_NOISE = 1 / 16


def points(count: int = 500) -> TensorDataset:
    x = torch.randn(count, 4)
    return TensorDataset(x, (x.sum(1) > 0).long())


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))


def private(dataset: Dataset[Any], model: nn.Module, engine: PrivacyEngine, **changed: Any) -> Any:
    arguments = {
        "module": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=1.0),
        "data_loader": DataLoader(dataset, batch_size=100),
        "noise_multiplier": 1.0,
        "max_grad_norm": 1.0,
    }
    return engine.make_private(**{**arguments, **changed})


def to_target(engine: PrivacyEngine, epochs: int = 3, epsilon: float = 8, **changed: Any) -> Any:
    model = changed.pop("module", None) or network()
    arguments = {
        "module": model,
        "optimizer": torch.optim.SGD(model.parameters(), lr=1.0),
        "data_loader": DataLoader(points(), batch_size=100),
        "target_epsilon": epsilon,
        "target_delta": DELTA,
        "epochs": epochs,
        "max_grad_norm": 1.0,
    }
    return engine.make_private_with_epsilon(**{**arguments, **changed})


def fitted(model: nn.Module, dataset: Dataset[Any], **changed: Any) -> Training:
    arguments = {
        "loss": nn.functional.cross_entropy,
        "optimizer": torch.optim.SGD(model.parameters(), lr=1.0),
        "epsilon": 8,
        "delta": DELTA,
        "epochs": 2,
        "batch_size": 200,
    }
    return fit(model, dataset, **{**arguments, **changed})


def train(model: nn.Module, optimizer: Any, loader: Any, epochs: int = 1) -> int:
    criterion = nn.CrossEntropyLoss()
    batches = 0
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
            batches += 1
    return batches


def clipped_mean(
    model: nn.Module, dataset: TensorDataset, bound: float, loss: Callable[[nn.Module, Any, Any], Any]
) -> list[torch.Tensor]:
    """An example at a time."""
    parameters = list(model.parameters())
    sums = [torch.zeros_like(parameter) for parameter in parameters]
    for x, y in dataset:
        gradients = torch.autograd.grad(loss(model, x[None], y[None]), parameters)
        norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients))
        for total, gradient in zip(sums, gradients, strict=True):
            total += gradient * bound / max(bound, norm)
    return [total / len(dataset) for total in sums]


def assert_one_step_is_the_clipped_mean(
    model: nn.Module,
    dataset: TensorDataset,
    loss: Callable[[Any, Any, Any], Any],
    bound: float = 0.05,
    **options: Any,
) -> None:
    """One step with all examples moves each parameter as an example at a time would, as far as the
    least noise lets one see."""
    # One batch an epoch: the rate is 1 and all examples are drawn, so that noise alone is unknown.
    expected = clipped_mean(model, dataset, bound, loss)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    module, optimizer, loader = private(
        dataset,
        model,
        PrivacyEngine(),
        data_loader=DataLoader(dataset, batch_size=len(dataset)),
        noise_multiplier=LEAST_NOISE,
        max_grad_norm=bound,
        **options,
    )
    for x, y in loader:
        loss(module, x, y).backward()
        optimizer.step()
    noise = bound * LEAST_NOISE / len(dataset)
    size = math.sqrt(sum(float(each.square().sum()) for each in expected))
    assert size > 100 * noise, "a wrong scale would not show"
    for parameter, old, mean in zip(model.parameters(), before, expected, strict=True):
        off = old - parameter.detach() - mean
        # Along the gradient itself, and in each coordinate: eight standard deviations, and what
        # rounding takes off the bound.
        assert abs(float((off * mean).sum())) <= float(mean.norm()) * (8 * noise + 2e-3 * size)
        torch.testing.assert_close(off, torch.zeros_like(off), atol=8 * noise, rtol=0)

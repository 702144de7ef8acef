"""Models that run in half precision: what loops see of it, what is refused, what is proved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from training_loops import LEAST_NOISE, clipped_mean, fitted, network, points, private

import tacit
from tacit.torch import BatchMemoryManager, PrivacyEngine


@pytest.fixture(autouse=True)
def own_kernels(ledgers: Path) -> Iterator[None]:
    """oneDNN's products in half precision need instructions that some virtual machines announce and do
    not have."""
    with torch.backends.mkldnn.flags(enabled=False):
        yield


def in_half(dtype: Any = torch.bfloat16) -> Any:
    return torch.autocast("cpu", dtype=dtype)


def loop(module: Any, optimizer: Any, loader: Any, dtype: Any = torch.bfloat16) -> list[int]:
    """How many rows the loop saw at a time."""
    seen = []
    for x, y in loader:
        optimizer.zero_grad()
        with in_half(dtype):
            output = module(x)
            assert output.dtype == torch.float32
            loss = nn.functional.cross_entropy(output, y)
        loss.backward()
        optimizer.step()
        seen.append(len(x))
        assert len(y) == len(x)
    return seen


def test_all_parts_have_one_size() -> None:
    engine = PrivacyEngine()
    model = network()
    module, optimizer, loader = private(points(), model, engine, mixed_precision=True, largest_batch=210)
    assert loop(module, optimizer, loader) == [210] * 5
    with BatchMemoryManager(data_loader=loader, max_physical_batch_size=80, optimizer=optimizer) as parts:
        assert set(loop(module, optimizer, parts)) == {70}
    assert optimizer.expected_batch_size == 100
    assert all(parameter.dtype == torch.float32 for parameter in model.parameters())
    proved = engine.certificate()
    assert any("assumption D" in each for each in proved["assumptions"])
    assert proved["mechanism"]["precision"] == "mixed"
    assert "truncated at 210" in proved["mechanism"]["sampler"]


def test_without_a_largest_batch_one_is_found() -> None:
    module, optimizer, loader = private(points(), network(), PrivacyEngine(), mixed_precision=True)
    (rows,) = set(loop(module, optimizer, loader))
    assert 100 < rows < 210


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("part", [None, 16])
def test_a_step_is_the_clipped_mean_whoever_fills_the_rows(part: int | None, dtype: Any) -> None:
    dataset, model = points(40), network()
    expected = clipped_mean(model, dataset, 0.1, lambda m, x, y: nn.functional.cross_entropy(m(x), y))
    loader = DataLoader(dataset, batch_size=40)
    options = {} if dtype == torch.bfloat16 else {"loss_scale": 256.0}
    module, optimizer, batches = private(
        dataset,
        model,
        PrivacyEngine(),
        data_loader=loader,
        noise_multiplier=LEAST_NOISE,
        max_grad_norm=0.1,
        mixed_precision=True,
        largest_batch=41,
        **options,
    )
    before = [parameter.detach().clone() for parameter in model.parameters()]
    with BatchMemoryManager(data_loader=batches, max_physical_batch_size=part or 64, optimizer=optimizer) as parts:
        assert set(loop(module, optimizer, parts, dtype)) == {14 if part else 41}
    for parameter, old, mean in zip(model.parameters(), before, expected, strict=True):
        # Noise of 1/16 times 0.1 over 40, in coordinates of which none of 146 is 8 deviations off, and what
        # eight binary digits leave of them.
        assert torch.allclose(old - parameter, mean, atol=8 * LEAST_NOISE * 0.1 / 40 + 5e-4)


def test_it_is_refused_unless_it_was_asked_for() -> None:
    module, optimizer, loader = private(points(), network(), PrivacyEngine())
    x, y = next(iter(loader))
    with in_half():
        loss = nn.functional.cross_entropy(module(x), y)
    loss.backward()
    with pytest.raises(tacit.InputError, match="mixed_precision"):
        optimizer.step()


def test_a_scale_that_follows_gradients_is_refused() -> None:
    module, optimizer, loader = private(points(), network(), PrivacyEngine(), mixed_precision=True)
    scaler = torch.amp.GradScaler("cpu")
    x, y = next(iter(loader))
    with in_half(torch.float16):
        loss = nn.functional.cross_entropy(module(x), y)
    scaler.scale(loss).backward()
    with pytest.raises(tacit.InputError, match="loss_scale"):
        scaler.step(optimizer)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"loss_scale": 4.0}, "mixed_precision=True"),
        ({"mixed_precision": True, "loss_scale": 3.0}, "power of two"),
    ],
)
def test_options_without_meaning_are_refused(options: dict[str, Any], said: str, ledgers: Path) -> None:
    with pytest.raises(tacit.InputError, match=said):
        private(points(), network(), PrivacyEngine(), **options)
    assert not ledgers.exists()


def test_batches_of_a_fixed_size_have_no_rows_of_nobody() -> None:
    module, optimizer, loader = private(
        points(), network(), PrivacyEngine(), mixed_precision=True, poisson_sampling=False
    )
    assert loop(module, optimizer, loader) == [100] * 5


def test_what_cannot_be_filled_up_is_refused() -> None:
    class Named(Dataset):
        def __len__(self) -> int:
            return 500

        def __getitem__(self, place: int) -> Any:
            return torch.zeros(4), "a name"

    _, _, loader = private(
        Named(), network(), PrivacyEngine(), data_loader=DataLoader(Named(), batch_size=100), mixed_precision=True
    )
    with pytest.raises(tacit.InputError, match="filled up"):
        next(iter(loader))


def test_one_call_trains_in_half_precision() -> None:
    class Watched(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 2)
            self.seen: set[Any] = set()

        def forward(self, x: Any) -> Any:
            out = self.layer(x)
            if self.training:
                self.seen.add((out.dtype, len(x)))
            return out

    dataset, model = points(), Watched()
    told = fitted(model, dataset, batch_size=100, max_physical_batch_size=64, mixed_precision=True)
    assert {dtype for dtype, _ in model.seen} == {torch.bfloat16}
    # The rehearsal has as many as fit, and then a few; and all parts of batches have one size.
    assert len({rows for _, rows in model.seen} - {64, 8}) <= 1
    assert told.epsilon <= 8
    assert any("assumption D" in each for each in told.certificate["assumptions"])
    x, y = dataset.tensors
    assert float((model.eval()(x).argmax(1) == y).float().mean()) > 0.8

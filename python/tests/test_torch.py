"""Private training from Python."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tacit.torch", exc_type=ImportError)

from conftest import run  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset  # noqa: E402

import tacit  # noqa: E402
from tacit.torch import BatchMemoryManager, ModuleValidator, PrivacyEngine, fit  # noqa: E402

DELTA = 1e-5


@pytest.fixture(autouse=True)
def ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    torch.manual_seed(1)
    return tmp_path / "tacit" / "training.sqlite"


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


def clipped_mean(model: nn.Module, dataset: TensorDataset, bound: float) -> list[Any]:
    """An example at a time."""
    sums = [torch.zeros_like(parameter) for parameter in model.parameters()]
    for x, y in dataset:
        loss = nn.functional.cross_entropy(model(x[None]), y[None])
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients))
        for total, gradient in zip(sums, gradients, strict=True):
            total += gradient * min(1.0, bound / norm)
    return [total / len(dataset) for total in sums]


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("part", [None, 64])
def test_a_step_is_the_clipped_mean_and_little_noise(reduction: str, part: int | None) -> None:
    # One batch an epoch: the rate is 1 and all examples are drawn, so that noise alone is unknown.
    dataset, model, bound = points(), network(), 0.05
    expected = clipped_mean(model, dataset, bound)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    module, optimizer, loader = private(
        dataset,
        model,
        PrivacyEngine(),
        data_loader=DataLoader(dataset, batch_size=len(dataset)),
        noise_multiplier=1 / 16,
        max_grad_norm=bound,
        loss_reduction=reduction,
    )
    criterion = nn.CrossEntropyLoss(reduction=reduction)
    with BatchMemoryManager(
        data_loader=loader, max_physical_batch_size=part or len(dataset), optimizer=optimizer
    ) as parts:
        for x, y in parts:
            optimizer.zero_grad()
            criterion(module(x), y).backward()
            optimizer.step()
    # Eight standard deviations a coordinate, and as much for what rounding takes off the bound.
    tolerance = 8 * bound / 16 / len(dataset)
    size = math.sqrt(sum(float(each.square().sum()) for each in expected))
    assert size > 20 * tolerance, "a wrong scale would not show"
    for parameter, old, mean in zip(model.parameters(), before, expected, strict=True):
        torch.testing.assert_close(old - parameter.detach(), mean, atol=tolerance, rtol=1e-3)


def test_a_target_is_kept_and_learnt_under(capsys: pytest.CaptureFixture[str], ledgers: Path) -> None:
    dataset, model, engine = points(4000), network(), PrivacyEngine()
    module, optimizer, loader = engine.make_private_with_epsilon(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=DataLoader(dataset, batch_size=400),
        target_epsilon=8,
        target_delta=DELTA,
        epochs=3,
        max_grad_norm=1.0,
    )
    said = capsys.readouterr().err
    assert str(ledgers) in said and "epsilon 8 " in said and ledgers.exists()
    assert engine.get_epsilon(DELTA) == 0
    train(module, optimizer, loader)
    assert 0 < engine.get_epsilon(DELTA) < 8
    train(module, optimizer, loader, epochs=2)
    assert 7.9 < engine.get_epsilon(DELTA) <= 8
    module.eval()
    x, y = dataset.tensors
    assert (module(x).argmax(1) == y).float().mean() > 0.8
    with pytest.raises(tacit.InputError, match="paid for"):
        train(module.train(), optimizer, loader)


def test_one_call_trains(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    dataset, model = points(4000), network()
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    told = fit(
        model,
        dataset,
        nn.functional.cross_entropy,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        epsilon=8,
        delta=DELTA,
        epochs=2,
        batch_size=400,
        public=points(100).tensors,
    )
    assert 7.9 < told.epsilon <= 8 and told.steps == 20 and told.account.startswith("run-")
    said = capsys.readouterr().err
    assert "step 20/20, epsilon 8, loss on public data 0." in said
    assert model.training


def test_epochs_are_charged_as_they_begin() -> None:
    engine = PrivacyEngine()
    module, optimizer, loader = private(points(), network(), engine, max_epochs=2)
    train(module, optimizer, loader, epochs=2)
    with pytest.raises(tacit.BudgetExceeded):
        train(module, optimizer, loader, epochs=20)


def test_a_workspace_pays(folder: Path) -> None:
    clinic = tacit.open(folder)
    before = clinic.budget(analyst="ana")
    engine = PrivacyEngine(workspace=folder, account="clinic/ana")
    module, optimizer, loader = private(points(), network(), engine)
    assert clinic.budget(analyst="ana") == before
    train(module, optimizer, loader)
    after = clinic.budget(analyst="ana")
    assert after.spent["divergences"][0] > 0
    shown = run("ledger", "history", "--workspace", folder)
    assert "private training of a Sequential" in shown.stdout
    with pytest.raises(tacit.TacitError, match="clinic/bob"):
        private(points(), network(), PrivacyEngine(workspace=folder, account="clinic/bob"))


def test_empty_batches_are_ordinary() -> None:
    # Of 3 examples each goes into a batch with probability 1/3: many batches are empty.
    dataset = TensorDataset(torch.randn(3, 4), torch.tensor([0, 1, 0]))
    engine = PrivacyEngine()
    module, optimizer, loader = private(
        dataset, network(), engine, data_loader=DataLoader(dataset, batch_size=1), noise_multiplier=8.0
    )
    seen = train(module, optimizer, loader, epochs=60)
    assert seen < 180 and engine.get_epsilon(DELTA) > 0


def test_schedulers_and_state_dicts_know_it() -> None:
    module, optimizer, loader = private(points(), network(), PrivacyEngine())
    assert isinstance(optimizer, torch.optim.Optimizer)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    train(module, optimizer, loader)
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] == 0.5
    optimizer.load_state_dict(optimizer.state_dict())
    assert list(module.state_dict())[0] == "_module.0.weight"


class Stream(IterableDataset[Any]):
    def __iter__(self) -> Any:
        return iter(())


def test_what_cannot_be_private_is_refused_before_anything_is_charged(ledgers: Path) -> None:
    dataset, engine = points(), PrivacyEngine()
    batch_norm = nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1d(2))
    stranger = torch.optim.SGD(network().parameters(), lr=1.0)
    refused = [
        ({"noise_generator": torch.Generator()}, "system's own generator"),
        ({"poisson_sampling": False}, "Poisson"),
        ({"loss_reduction": "none"}, "no reduction"),
        ({"module": network().eval()}, "eval mode"),
        ({"module": batch_norm, "optimizer": torch.optim.SGD(batch_norm.parameters(), lr=1.0)}, "mixes the examples"),
        ({"data_loader": DataLoader(Stream(), batch_size=4)}, "how long"),
        ({"clipping": "sometimes"}, "no way to clip"),
        ({"noise_multiplier": 0.0}, "noise"),
        ({"max_grad_norm": [1.0, 2.0]}, "one bound"),
    ]
    for changed, text in refused:
        with pytest.raises(tacit.InputError, match=re.escape(text)):
            private(dataset, network(), engine, **changed)
    assert not ledgers.exists()
    with pytest.raises(tacit.InputError, match="not the model's"):
        private(dataset, network(), engine, optimizer=stranger)


def test_an_example_gets_one_part_in_a_step() -> None:
    module, optimizer, loader = private(points(), network(), PrivacyEngine())
    criterion = nn.CrossEntropyLoss()
    x, y = next(iter(loader))
    (criterion(module(x), y) + criterion(module(x), y)).backward()
    with pytest.raises(tacit.InputError, match="called 2 times"):
        optimizer.step()
    x, y = next(iter(loader))
    criterion(module(x.repeat(2, 1)), y.repeat(2)).backward()
    with pytest.raises(tacit.InputError, match="one row for each example"):
        optimizer.step()
    batches = iter(loader)
    next(batches)
    with pytest.raises(tacit.InputError, match="without optimizer.step"):
        next(batches)
    _, untouched, _ = private(points(), network(), PrivacyEngine())
    with pytest.raises(tacit.InputError, match="no batch"):
        untouched.step()


def test_the_validator_finds_and_fixes() -> None:
    model = nn.Sequential(nn.Conv2d(3, 48, 3), nn.Sequential(nn.BatchNorm2d(48), nn.ReLU()))
    assert [complaint.where for complaint in ModuleValidator.validate(model)] == ["1.0"]
    with pytest.raises(tacit.InputError, match="BatchNorm2d"):
        ModuleValidator.validate(model, strict=True)
    fixed = ModuleValidator.fix_and_validate(model)
    assert isinstance(fixed[1][0], nn.GroupNorm) and fixed[1][0].num_groups == 16
    assert isinstance(model[1][0], nn.BatchNorm2d) and ModuleValidator.is_valid(fixed)

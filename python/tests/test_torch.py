"""Private training from Python."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import run
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, TensorDataset
from training_loops import DELTA, clipped_mean, fitted, network, points, private, to_target, train

import tacit
from tacit.torch import BatchMemoryManager, ModuleValidator, NoisyLoss, PrivacyEngine, fit
from tacit.torch.accountants.utils import get_noise_multiplier

pytestmark = pytest.mark.usefixtures("ledgers")


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("part", [None, 64])
def test_a_step_is_the_clipped_mean_and_little_noise(reduction: str, part: int | None) -> None:
    # One batch an epoch: the rate is 1 and all examples are drawn, so that noise alone is unknown.
    dataset, model, bound = points(), network(), 0.05
    expected = clipped_mean(model, dataset, bound, lambda model, x, y: nn.functional.cross_entropy(model(x), y))
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
    module, optimizer, loader = to_target(engine, module=model, data_loader=DataLoader(dataset, batch_size=400))
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
    told = fitted(model, dataset, batch_size=400, public=points(100).tensors)
    assert 7.9 < told.epsilon <= 8 and told.steps == 20 and told.account.startswith("run-")
    said = capsys.readouterr().err
    assert "step 20/20, epsilon 8, loss on public data 0." in said
    assert model.training


def test_public_data_is_taken_in_parts() -> None:
    class Watched(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers, self.evaluated = network(), 0

        def forward(self, x: Any) -> Any:
            assert len(x) <= 64
            self.evaluated += 0 if self.training else len(x)
            return self.layers(x)

    model, public = Watched(), points(200)
    fitted(model, points(), batch_size=100, max_physical_batch_size=64, public=public.tensors)
    # Before the first step and after the last, and where that takes long in between.
    assert model.evaluated >= 2 * 200 and model.evaluated % 200 == 0


def test_public_loss_leaves_each_layer_in_its_mode() -> None:
    frozen = nn.BatchNorm1d(4).eval()
    model = nn.Sequential(frozen, *network())
    fitted(model, points(), public=points(50).tensors)
    assert model.training and not frozen.training


def test_epochs_are_charged_as_they_begin(capsys: pytest.CaptureFixture[str]) -> None:
    engine = PrivacyEngine()
    module, optimizer, loader = private(points(), network(), engine, max_epochs=2)
    assert "for 2 epochs (max_epochs)" in capsys.readouterr().err
    train(module, optimizer, loader, epochs=2)
    with pytest.raises(tacit.BudgetExceeded, match=r"opened for 2 epochs(.|\n)*max_epochs=4"):
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
    with pytest.raises(tacit.InputError, match="not called in training mode"):
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


def test_a_gradient_without_noise_is_never_stepped_with() -> None:
    criterion = nn.CrossEntropyLoss()
    # A parameter of the loss, which the optimizer gets later.
    module, optimizer, loader = private(points(), network(), PrivacyEngine())
    scale = nn.Parameter(torch.ones(()))
    optimizer.add_param_group({"params": [scale]})
    x, y = next(iter(loader))
    criterion(scale * module(x), y).backward()
    with pytest.raises(tacit.InputError, match="no noise was added"):
        optimizer.step()
    assert float(scale.detach()) == 1
    # A layer that was frozen, whose output is also used beside the model.
    model = network()
    model[0].requires_grad_(False)  # type: ignore[index]
    module, optimizer, loader = private(points(), model, PrivacyEngine())
    train(module, optimizer, loader)
    model[0].requires_grad_(True)  # type: ignore[index]
    before = model[0].weight.detach().clone()  # type: ignore[index]
    x, y = next(iter(loader))
    (criterion(module(x), y) + model[0](x).square().mean()).backward()  # type: ignore[index]
    with pytest.raises(tacit.InputError, match="no noise was added"):
        optimizer.step()
    assert torch.equal(model[0].weight, before)  # type: ignore[index]


def test_a_batch_that_was_looked_at_shortens_an_epoch() -> None:
    module, optimizer, loader = to_target(PrivacyEngine())
    next(iter(loader))
    assert [train(module, optimizer, loader) for _ in range(3)] == [5, 5, 4]
    with pytest.raises(tacit.InputError, match="paid for"):
        train(module, optimizer, loader)
    # Where epochs are paid for one by one, none is begun for the one batch that was looked at.
    engine = PrivacyEngine()
    module, optimizer, loader = private(points(), network(), engine, max_epochs=2)
    next(iter(loader))
    assert [train(module, optimizer, loader) for _ in range(2)] == [4, 5] and engine.steps_taken == 10


def test_embeddings_that_rewrite_their_vectors_are_found_and_fixed() -> None:
    model = nn.Sequential(nn.Embedding(5, 3, max_norm=1.0))
    with pytest.raises(tacit.InputError, match="max_norm rewrites"):
        ModuleValidator.validate(model, strict=True)
    fixed = ModuleValidator.fix_and_validate(model)
    assert fixed[0].max_norm is None and model[0].max_norm == 1.0  # type: ignore[index]
    assert torch.equal(fixed[0].weight, model[0].weight)  # type: ignore[index]


def test_the_validator_finds_and_fixes() -> None:
    model = nn.Sequential(nn.Conv2d(3, 48, 3), nn.Sequential(nn.BatchNorm2d(48), nn.ReLU()))
    assert [complaint.where for complaint in ModuleValidator.validate(model)] == ["1.0"]
    with pytest.raises(tacit.InputError, match="BatchNorm2d"):
        ModuleValidator.validate(model, strict=True)
    fixed = ModuleValidator.fix_and_validate(model)
    assert isinstance(fixed[1][0], nn.GroupNorm) and fixed[1][0].num_groups == 16
    assert isinstance(model[1][0], nn.BatchNorm2d) and ModuleValidator.is_valid(fixed)


def test_a_noisy_loss_is_told_and_paid_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    dataset, model = points(4000), network()
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    # Samples of all examples, so that noise alone is unknown.
    told = fitted(
        model,
        dataset,
        epochs=4,
        batch_size=4000,
        max_physical_batch_size=1500,
        noisy_loss=NoisyLoss(bound=8.0, deviation=0.004, times=2),
    )
    assert 7.9 < told.epsilon <= 8 and [step for step, _ in told.losses] == [2, 4]
    x, y = dataset.tensors
    last = float(nn.functional.cross_entropy(model(x), y).detach())
    assert abs(told.losses[-1][1] - last) < 8 * 0.004 < last / 5
    assert "noisy loss" in capsys.readouterr().err
    without = get_noise_multiplier(target_epsilon=8, target_delta=DELTA, sample_rate=1, steps=4)
    assert told.noise_multiplier > without, "the loss has a part of the budget"


def test_noisy_losses_do_not_tell_which_batches_were_empty() -> None:
    # Of 3 examples each goes into a batch with probability 1/3: of 60 batches about 18 are empty.
    dataset = TensorDataset(torch.randn(3, 4), torch.tensor([0, 1, 0]))
    told = fitted(
        network(), dataset, epochs=20, batch_size=1, noisy_loss=NoisyLoss(bound=1.0, deviation=64.0, times=60)
    )
    assert [step for step, _ in told.losses] == list(range(1, 61))


@pytest.mark.parametrize("durable", [False, True])
def test_a_training_and_its_losses_are_paid_for_together_or_not_at_all(durable: bool, tmp_path: Path) -> None:
    folder, dataset, model = tmp_path / "small", points(2000), network()
    made = run("init", folder, "--dataset", "small", "--neighbours", "add_remove", "--epsilon", "6", "--delta", "1e-5")
    assert made.returncode == 0, made.stderr
    small = tacit.open(folder)
    before = small.accounts()
    with pytest.raises(tacit.BudgetExceeded):
        fitted(
            model,
            dataset,
            epochs=1,
            noisy_loss=NoisyLoss(bound=8.0, deviation=0.02, times=2),
            checkpoint=tmp_path / "run" if durable else None,
            workspace=folder,
            account="small",
        )
    assert small.accounts() == before
    # The steps alone, for which that training would have had noise of 1.17, would have fitted.
    private_model, optimizer, loader = private(
        dataset,
        model,
        PrivacyEngine(workspace=folder, account="small"),
        data_loader=DataLoader(dataset, batch_size=200),
        noise_multiplier=1.16,
    )
    train(private_model, optimizer, loader)
    assert small.accounts() != before


class Killed(BaseException):
    """Ends a training as a kill would: nothing is tidied up."""


def no_rehearsal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which calls the loss as well."""
    monkeypatch.setattr(sys.modules["tacit.torch.fit"], "rehearse", lambda *_: None)


def test_a_training_goes_on_from_its_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ledgers: Path) -> None:
    monkeypatch.setattr("tacit.torch.checkpoints._SECONDS", 0.0)
    no_rehearsal(monkeypatch)
    dataset, calls = points(2000), 0

    def loss(output: Any, y: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 29:
            raise Killed
        return nn.functional.cross_entropy(output, y)

    def train_on(**changed: Any) -> tuple[nn.Module, Any]:
        model = network()
        arguments = {
            "optimizer": torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.5),
            "epsilon": 8,
            "delta": DELTA,
            "epochs": 4,
            "batch_size": 200,
            "checkpoint": tmp_path / "run",
        }
        return model, fit(model, dataset, loss, **{**arguments, **changed})  # type: ignore[arg-type]

    with pytest.raises(Killed):
        train_on()
    with pytest.raises(tacit.InputError, match="differ|other|not"):
        train_on(epsilon=4)
    torch.manual_seed(2)
    _, told = train_on()
    # 28 steps were done, and claims are of 16: 4 more are lost with the first process.
    assert told.steps == 40 and calls == 29 + (40 - 32) and 7.9 < told.epsilon <= 8
    finished, again = train_on()
    x, y = dataset.tensors
    assert (finished(x).argmax(1) == y).float().mean() > 0.8, "the checkpoint holds what was learnt"
    assert again.steps == 40 and calls == 29 + (40 - 32)
    with pytest.raises(tacit.InputError, match="begun|not"):
        train_on(noisy_loss=NoisyLoss(bound=1, deviation=1))


def test_all_that_belongs_to_a_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ledgers: Path) -> None:
    # Noisy losses, an average of weights and a bound that follows the norms.
    monkeypatch.setattr("tacit.torch.checkpoints._SECONDS", 0.0)
    no_rehearsal(monkeypatch)
    dataset, calls, limit = points(2000), 0, 59

    def loss(output: Any, y: Any) -> Any:
        nonlocal calls
        calls += output.requires_grad  # of steps, not of losses that are told
        if calls == limit:
            raise Killed
        return nn.functional.cross_entropy(output, y)

    def train_on(times: int = 8) -> tuple[nn.Module, Any]:
        model = network()
        return model, fit(
            model,
            dataset,
            loss,
            optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
            epsilon=8,
            delta=DELTA,
            epochs=8,
            batch_size=200,
            clip=100.0,
            clipping="adaptive",
            clipbound_learning_rate=1.0,
            weight_average=0.9,
            noisy_loss=NoisyLoss(bound=8.0, deviation=0.05, times=times),
            checkpoint=tmp_path / "run",
        )

    with pytest.raises(Killed):
        train_on()
    limit = 0
    with pytest.raises(tacit.InputError, match="begun"):
        train_on(times=4)
    torch.manual_seed(2)
    model, told = train_on()
    # Losses are told each 10 steps. 58 were done when it was killed, and 64 claimed: one is told late.
    assert [step for step, _ in told.losses] == [10, 20, 30, 40, 50, 65, 70, 80]
    assert told.steps == 80 and 7.9 < told.epsilon <= 8
    proved = told.certificate
    assert float(proved["guarantee"]["epsilon"]) == pytest.approx(told.epsilon, abs=2e-6)
    assert len(proved["covered"]) == 1 and "losses" in proved["covered"][0]["ledger"]["note"]
    x, y = dataset.tensors
    assert (model(x).argmax(1) == y).float().mean() > 0.8
    _, again = train_on()
    assert again.losses == told.losses and again.certificate == proved


def test_features_are_normalized_by_noisy_constants() -> None:
    images = torch.rand(2000, 3, 4, 4) * torch.tensor([1.0, 0.5, 0.1])[:, None, None]
    dataset, engine = TensorDataset(images, torch.zeros(2000).long()), PrivacyEngine()
    constants = engine.normalization(dataset, low=0, high=[1, 1, 0.1], epsilon=1, delta=DELTA)
    assert constants.account.startswith("run-") and 0.99 < constants.epsilon <= 1
    for channel, scale in enumerate([1.0, 0.5, 0.1]):
        assert abs(constants.mean[channel] - scale / 2) < 8 * constants.noise[channel] + 0.01
        assert abs(constants.std[channel] - scale / math.sqrt(12)) < 0.05 * [1, 1, 0.1][channel]
    scaled = constants(images[0])
    assert scaled.shape == images[0].shape and scaled.dtype == images.dtype
    # A training of the same engine keeps both to its target.
    model = nn.Sequential(nn.Flatten(), nn.Linear(48, 2))
    told = fit(
        model,
        TensorDataset(torch.stack([constants(image) for image in images]), dataset.tensors[1]),
        nn.functional.cross_entropy,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        epsilon=2,
        delta=DELTA,
        epochs=1,
        batch_size=200,
        engine=engine,
    )
    assert 1.9 < told.epsilon <= 2 and len(engine.accountant) == 2
    wrong: list[tuple[Any, Any, str]] = [
        (1, 0, "from low up"),
        ([0, 0], 1, "2 numbers for 3"),
        (0, math.inf, "from low up"),
    ]
    for low, high, text in wrong:
        with pytest.raises(tacit.InputError, match=text):
            engine.normalization(dataset, low=low, high=high, epsilon=1, delta=DELTA)


def mixing(x: Any) -> Any:
    return x - x.mean(0, keepdim=True)


class Mixing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.layer(mixing(self.layer(x).repeat(1, 2)))


class Labelled(Dataset[Any]):
    """Examples that are made when they are asked for."""

    def __init__(self, x: Any, y: Any, **attributes: Any) -> None:
        self.x, self.y = x, y
        self.__dict__ |= attributes

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, place: int) -> Any:
        change = getattr(self, "target_transform", int)
        return self.x[place], int(change(self.y[place]))


class Greedy(nn.Module):
    """Needs more memory than there is."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.layer(x) + torch.empty(len(x), 2**44).sum()


def test_one_call_refuses_before_anything_is_charged(ledgers: Path) -> None:
    def attempt(model: nn.Module | None = None, dataset: Any = None, **changed: Any) -> None:
        model = model or network()
        arguments = {
            "optimizer": torch.optim.SGD(model.parameters(), lr=1.0),
            "epsilon": 8,
            "delta": DELTA,
            "epochs": 1,
            "batch_size": 100,
        }
        fit(model, dataset or points(), nn.functional.cross_entropy, **{**arguments, **changed})  # type: ignore[arg-type]

    x, y = points().tensors
    for changed, text in [
        ({"model": Mixing()}, "example"),
        ({"model": Greedy()}, "does not fit into memory"),
        ({"model": network().eval()}, "eval mode"),
        ({"dataset": Stream()}, "how long"),
        ({"dataset": TensorDataset(x, y + 1)}, "out of range"),
        ({"dataset": Subset(TensorDataset(x, y - 1), list(range(400)))}, "out of range"),
        ({"dataset": ConcatDataset([TensorDataset(x, y), TensorDataset(x, y + 1)])}, "out of range"),
        ({"dataset": Labelled(x, y + 1)}, "out of range"),
        ({"dataset": Labelled(x, y, targets=y, target_transform=lambda label: label + 1)}, "out of range"),
        ({"dataset": TensorDataset(x)}, "no pairs"),
        ({"batch_size": 501}, "sample rate would be over 1"),
        ({"epsilon": 1e-7}, "epsilon 1e-07 would take a noise multiplier of"),
        ({"epsilon": 0}, "above 0 and finite, and is 0"),
        ({"epsilon": -1}, "above 0 and finite, and is -1"),
        ({"epsilon": math.nan}, "above 0 and finite, and is nan"),
        ({"epochs": 0}, "at least one epoch"),
        ({"public": (x[:, :3], y)}, "loss on public data fails"),
        ({"public": (x, y + 1)}, "loss on public data fails"),
        ({"public": (x, y[:400])}, "500 inputs and 400 labels"),
        ({"noisy_loss": NoisyLoss(bound=-1, deviation=1)}, "above 0"),
        ({"noisy_loss": NoisyLoss(bound=1, deviation=1e-6)}, "between 1/16 and 4096"),
        ({"engine": PrivacyEngine(), "workspace": "here"}, "knows its workspace"),
    ]:
        with pytest.raises(tacit.InputError, match=text):
            attempt(**changed)
    assert not ledgers.exists()


def test_labels_that_a_transform_brings_into_range_are_taken() -> None:
    x, y = points().tensors
    assert fitted(network(), Labelled(x, y, targets=y + 7, target_transform=lambda label: label)).steps > 0


class Shifted(TensorDataset):
    """Labels that begin with 1 in its tensors."""

    def __getitem__(self, place: Any) -> Any:
        x, y = super().__getitem__(place)
        return x, y - 1


def test_labels_that_a_dataset_of_tensors_makes_are_taken() -> None:
    x, y = points().tensors
    assert fitted(network(), Shifted(x, y + 1)).steps > 0
    assert fitted(network(), Subset(Shifted(x, y + 1), list(range(400)))).steps > 0


def test_a_delta_that_promises_nothing_is_warned_of() -> None:
    model = network()
    with pytest.warns(UserWarning, match="one over the number of examples") as record:
        fit(
            model,
            points(500),
            nn.functional.cross_entropy,
            optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
            epsilon=8,
            delta=1 / 500,
            epochs=1,
            batch_size=100,
        )
    assert record[0].filename == __file__

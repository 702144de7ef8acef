"""Loops in the shapes that users of Opacus write."""

from __future__ import annotations

import copy
import io
import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler, TensorDataset
from training_loops import (
    DELTA,
    assert_one_step_is_the_clipped_mean,
    network,
    points,
    private,
    to_target,
    train,
)

import tacit
from tacit.torch import PrivacyEngine
from tacit.torch.accountants.utils import get_noise_multiplier
from tacit.torch.layers import DPGRU, DPLSTM, DPRNN, DPMultiheadAttention, SequenceBias
from tacit.torch.schedulers import ExponentialGradClip, ExponentialNoise
from tacit.torch.utils.batch_memory_manager import BatchMemoryManager
from tacit.torch.validators import ModuleValidator

pytestmark = pytest.mark.usefixtures("ledgers")

cross_entropy = nn.functional.cross_entropy


class Block(nn.Module):
    """Of a residual network, with the layers that ResNet-18 is made of."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.downsample(x))


def residual_network() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 7, 2, 3, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
        Block(8, 8, 1),
        Block(8, 16, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )


def images(count: int) -> TensorDataset:
    return TensorDataset(torch.randn(count, 3, 16, 16), torch.randint(10, (count,)))


def test_an_image_classifier_is_validated_fixed_and_trained() -> None:
    model = residual_network()
    assert len(ModuleValidator.validate(model, strict=False)) == 7
    model = ModuleValidator.fix(model)
    assert ModuleValidator.validate(model, strict=False) == []
    engine = PrivacyEngine()
    module, optimizer, loader = engine.make_private_with_epsilon(
        module=model,
        optimizer=torch.optim.RMSprop(model.parameters(), lr=1e-3),
        data_loader=DataLoader(images(200), batch_size=50),
        epochs=2,
        target_epsilon=50.0,
        target_delta=DELTA,
        max_grad_norm=1.2,
    )
    assert optimizer.noise_multiplier == engine.noise_multiplier and optimizer.max_grad_norm == 1.2
    assert optimizer.expected_batch_size == 50
    for _ in range(2):
        with BatchMemoryManager(data_loader=loader, max_physical_batch_size=16, optimizer=optimizer) as parts:
            assert len(parts) == 13  # about: what is drawn is private
            for x, y in parts:
                assert len(x) <= 16
                optimizer.zero_grad()
                cross_entropy(module(x), y).backward()
                optimizer.step()
        assert 0 < engine.get_epsilon(DELTA) <= 50
    assert engine.get_epsilon(DELTA) > 49.5


def test_its_step_is_exact() -> None:
    model = ModuleValidator.fix(residual_network())
    # Alike, so that their sum is far above the noise.
    dataset = TensorDataset(torch.randn(1, 3, 16, 16) + 0.1 * torch.randn(64, 3, 16, 16), torch.zeros(64).long())
    assert_one_step_is_the_clipped_mean(model, dataset, lambda module, x, y: cross_entropy(module(x), y))


def test_a_model_may_be_called_on_the_batch_and_on_made_up_rows() -> None:
    # As the discriminator of a generative network is.
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid(), nn.Flatten(0))
    bce = nn.functional.binary_cross_entropy

    def loss(module: Any, x: Any, y: Any) -> Any:
        fake = torch.full_like(x, 0.3)
        real, made_up = module(x), module(fake)
        return bce(real, torch.ones_like(real)) + bce(made_up, torch.zeros_like(made_up))

    assert_one_step_is_the_clipped_mean(model, points(200), loss)
    module, optimizer, loader = private(points(), model, PrivacyEngine())
    fake = torch.randn(5, 4, requires_grad=True)
    module(fake).sum().backward()
    assert fake.grad is not None, "between steps it is the model itself"
    for _ in loader:
        with pytest.raises(tacit.InputError, match="asks for a gradient"):
            module(fake)
        break


class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)

    def forward(self, x: Any) -> dict[str, Any]:
        body = torch.tanh(self.body(x))
        return {"first": self.first(body), "others": (self.second(body), "a text"), "unused": body.mean(0)}


def test_a_model_may_give_several_tensors() -> None:
    def loss(module: Any, x: Any, y: Any) -> Any:
        given = module(x)
        return cross_entropy(given["first"], y) + given["others"][0].square().mean()

    assert_one_step_is_the_clipped_mean(TwoHeads(), points(200), loss)


class TimeFirst(nn.Module):
    """Gives [time, batch, classes]."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.out(torch.stack([x, 2 * x, -x]))


def test_the_batch_may_be_the_second_dimension() -> None:
    def loss(module: Any, x: Any, y: Any) -> Any:
        return cross_entropy(module(x).flatten(0, 1), y.repeat(3))

    assert_one_step_is_the_clipped_mean(TimeFirst(), points(200), loss, batch_first=False)


def test_layers_have_the_names_and_states_of_both() -> None:
    pairs: list[tuple[Any, Any]] = [(DPLSTM, nn.LSTM), (DPGRU, nn.GRU), (DPRNN, nn.RNN)]
    for ours, theirs in pairs:
        layer = ours(4, 8, 2, True, True, bidirectional=True)
        plain = theirs(4, 8, num_layers=2, batch_first=True, bidirectional=True)
        plain.load_state_dict(layer.state_dict())
        x = torch.randn(3, 5, 4)
        torch.testing.assert_close(layer(x)[0], plain(x)[0])
    attention = DPMultiheadAttention(8, 2)
    nn.MultiheadAttention(8, 2).load_state_dict(attention.state_dict())
    bias = SequenceBias(8, batch_first=True)
    assert bias(torch.zeros(3, 5, 8)).shape == (3, 6, 8)
    assert torch.equal(SequenceBias(8)(torch.zeros(5, 3, 8))[:5], torch.zeros(5, 3, 8))


class LastOutput(nn.Module):
    """Names characters by the last output of a recurrence."""

    def __init__(self, recurrence: type[nn.Module]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 4)
        self.rnn = recurrence(4, 8, num_layers=1, bidirectional=False, batch_first=True)
        self.out_layer = nn.Linear(8, 3)

    def forward(self, x: Any, hidden: Any = None) -> Any:
        return self.out_layer(self.rnn(self.embedding(x), hidden)[0][:, -1])


@pytest.mark.parametrize("recurrence", [DPLSTM, DPGRU, DPRNN])
@pytest.mark.filterwarnings("ignore:gradients are taken one example")
def test_a_recurrent_network_trains(recurrence: type[nn.Module]) -> None:
    dataset = TensorDataset(torch.randint(11, (40, 5)), torch.zeros(40).long())
    model = LastOutput(recurrence)
    assert_one_step_is_the_clipped_mean(model, dataset, lambda module, x, y: cross_entropy(module(x), y))


def test_ghost_clipping_gives_the_criterion_too() -> None:
    criterion = nn.CrossEntropyLoss()
    module, optimizer, given, loader = private(
        points(), network(), PrivacyEngine(), grad_sample_mode="ghost", criterion=criterion
    )
    assert given is criterion
    for x, y in loader:
        optimizer.zero_grad()
        given(module(x), y).backward()
        optimizer.step()


def test_bounds_may_be_given_by_parameter() -> None:
    model = network()
    _, optimizer, _ = private(points(), model, PrivacyEngine(), max_grad_norm=[0.5] * 4, clipping="per_layer")
    assert math.isclose(optimizer.max_grad_norm, 1.0)
    for bounds in ([0.5] * 3, [0.5, 0.5, 0.5, 0.4]):
        with pytest.raises(tacit.InputError, match="one for each that is trained"):
            private(points(), model, PrivacyEngine(), max_grad_norm=bounds, clipping="per_layer")


class Numbers(Dataset[Any]):
    """Each example is its own place."""

    def __len__(self) -> int:
        return 120

    def __getitem__(self, place: int) -> Any:
        return torch.full((4,), float(place)), place % 2


@pytest.mark.parametrize("workers", [0, 2])
def test_examples_are_read_as_the_loader_would(workers: int) -> None:
    dataset, model = Numbers(), network()
    module, optimizer, loader = private(
        dataset, model, PrivacyEngine(), data_loader=DataLoader(dataset, batch_size=40, num_workers=workers)
    )
    for _ in range(2):
        with BatchMemoryManager(data_loader=loader, max_physical_batch_size=8, optimizer=optimizer) as parts:
            for x, y in parts:
                assert x.shape[1:] == (4,) and len(x) <= 8
                assert torch.equal(y, x[:, 0].long() % 2) and torch.equal(x[:, 0].sort().values, x[:, 0])
                cross_entropy(module(x), y).backward()
                optimizer.step()
    assert loader.batch_size == 40 and loader.num_workers == workers


class Doubled(TensorDataset):
    """Gives other examples than its tensors hold."""

    def __getitem__(self, place: Any) -> Any:
        x, y = super().__getitem__(place)
        return 2 * x, y


def doubled_and_ones(examples: Any) -> Any:
    x, y = torch.utils.data.default_collate(examples)
    return 2 * x, torch.ones_like(y)


@pytest.mark.filterwarnings("ignore:collate_fn must give")
def test_tensors_are_read_past_neither_their_dataset_nor_its_collate_fn() -> None:
    x, y = torch.full((120, 4), 3.0), torch.zeros(120).long()
    for loader, label in [
        (DataLoader(Doubled(x, y), batch_size=60), 0),
        (DataLoader(TensorDataset(x, y), batch_size=60, collate_fn=doubled_and_ones), 1),
    ]:
        module, optimizer, batches = private(loader.dataset, network(), PrivacyEngine(), data_loader=loader)
        for given, labels in batches:
            assert bool((given == 6).all()) and bool((labels == label).all())
            cross_entropy(module(given), labels).backward()
            optimizer.step()


def test_an_engine_adds_up_all_that_it_did(ledgers: Path) -> None:
    engine, model = PrivacyEngine(accountant="rdp", secure_mode=False), network()
    assert engine.get_epsilon(DELTA) == 0 and len(engine.accountant) == 0
    module, optimizer, loader = private(points(), model, engine)
    train(module, optimizer, loader)
    one = engine.get_epsilon(DELTA)
    # What is private already is made so anew.
    module, optimizer, loader = private(points(), module, engine, optimizer=optimizer, data_loader=loader)
    train(module, optimizer, loader)
    assert one < engine.get_epsilon(DELTA) < 2 * one
    assert engine.accountant.history == [(1.0, 0.2, 5), (1.0, 0.2, 5)]
    assert engine.accountant.get_epsilon(delta=DELTA) == engine.get_epsilon(DELTA)
    # A target is for all of it.
    target = 2 * engine.get_epsilon(DELTA)
    module, last, loader = to_target(engine, epochs=1, epsilon=target, module=model)
    alone = get_noise_multiplier(target_epsilon=target, target_delta=DELTA, sample_rate=0.2, epochs=1)
    assert last.noise_multiplier > alone
    train(module, last, loader)
    assert 0.99 * target < engine.get_epsilon(DELTA) <= target
    with pytest.raises(tacit.InputError, match="already"):
        to_target(engine, epochs=1, epsilon=target / 2, module=model)


def test_a_checkpoint_goes_on_and_gives_nothing_back() -> None:
    engine, model = PrivacyEngine(), network()
    module, optimizer, loader = private(
        points(), model, engine, optimizer=torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)
    )
    train(module, optimizer, loader)
    early, file = engine.get_epsilon(DELTA), io.BytesIO()
    engine.save_checkpoint(path=file, module=module, optimizer=optimizer, checkpoint_dict={"epoch": 1})
    weight = model[0].weight.detach().clone()
    train(module, optimizer, loader)
    late = engine.get_epsilon(DELTA)

    file.seek(0)
    assert engine.load_checkpoint(path=file, module=module, optimizer=optimizer)["epoch"] == 1
    assert torch.equal(model[0].weight, weight) and engine.get_epsilon(DELTA) == late > early

    another, fresh = PrivacyEngine(), network()
    module, optimizer, loader = private(
        points(), fresh, another, optimizer=torch.optim.SGD(fresh.parameters(), lr=1.0, momentum=0.9)
    )
    file.seek(0)
    another.load_checkpoint(path=file, module=module, optimizer=optimizer)
    assert torch.equal(fresh[0].weight, weight) and another.get_epsilon(DELTA) == early
    assert "momentum_buffer" in optimizer.state_dict()["state"][0]
    train(module, optimizer, loader)
    assert another.get_epsilon(DELTA) == pytest.approx(late, rel=1e-6)
    another.accountant.load_state_dict({"history": [(1.0, 0.2, 5)], "mechanism": "prv"})
    assert another.get_epsilon(DELTA) > late
    with pytest.raises(tacit.InputError, match="no state"):
        another.accountant.load_state_dict({})


def test_a_checkpoint_keeps_schedulers() -> None:
    def begun() -> Any:
        engine = PrivacyEngine()
        module, optimizer, loader = private(points(), network(), engine, noise_multiplier=4.0)
        noise, clip = ExponentialNoise(optimizer, gamma=0.5), ExponentialGradClip(optimizer, gamma=0.5)
        return engine, module, optimizer, loader, {"noise_scheduler": noise, "grad_clip_scheduler": clip}

    engine, module, optimizer, loader, schedulers = begun()
    train(module, optimizer, loader)
    for each in schedulers.values():
        each.step()
    file = io.BytesIO()
    engine.save_checkpoint(path=file, module=module, optimizer=optimizer, **schedulers)
    file.seek(0)
    engine, module, optimizer, loader, schedulers = begun()
    left = engine.load_checkpoint(path=file, module=module, optimizer=optimizer, **schedulers)
    assert not any("scheduler" in name for name in left)
    assert (optimizer.noise_multiplier, optimizer.max_grad_norm) == (2.0, 0.5)
    train(module, optimizer, loader)
    schedulers["noise_scheduler"].step()
    assert optimizer.noise_multiplier == 1.0
    assert engine.accountant.history == [(2.0, 0.2, 5), (4.0, 0.2, 5)]


class Anything:
    """More than a tensor or plain value."""


def test_a_checkpoint_with_anything_in_it_is_read_where_it_is_trusted() -> None:
    engine, model, file = PrivacyEngine(), network(), io.BytesIO()
    engine.save_checkpoint(path=file, module=model, checkpoint_dict={"more": Anything()})
    file.seek(0)
    with pytest.raises(tacit.InputError, match=r'torch_load_kwargs=\{"weights_only": False\}'):
        engine.load_checkpoint(path=file, module=model)
    file.seek(0)
    trusted = engine.load_checkpoint(path=file, module=model, torch_load_kwargs={"weights_only": False})
    assert isinstance(trusted["more"], Anything)


def test_a_copy_of_a_private_model_is_the_model_itself() -> None:
    model = network()
    module, optimizer, loader = private(points(), model, PrivacyEngine())
    train(module, optimizer, loader)
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    for another in (copy.deepcopy(module), torch.load(file, weights_only=False)):
        assert type(another) is nn.Sequential and another is not model
        assert all(torch.equal(another.state_dict()[name], each) for name, each in model.state_dict().items())
    assert b"tacit" not in file.getvalue()
    average = torch.optim.swa_utils.AveragedModel(module)
    average.update_parameters(module)
    train(module, optimizer, loader)
    assert not torch.equal(next(average.parameters()), next(model.parameters()))


def test_what_has_no_meaning_is_refused_before_anything_is_charged(ledgers: Path) -> None:
    empty = TensorDataset(torch.zeros(0, 4), torch.zeros(0).long())
    for changed, text in [
        ({"data_loader": DataLoader(points(50), batch_size=51)}, "sample rate would be over 1"),
        ({"data_loader": DataLoader(empty, batch_size=1)}, "empty"),
        ({"data_loader": DataLoader(points(), 50, sampler=SubsetRandomSampler(range(100)))}, "sampler of its own"),
        ({"data_loader": DataLoader(points(), batch_sampler=[[1], [2]])}, "sampler of its own"),
        ({"grad_sample_mode": "no_op"}, "no way to clip here"),
        ({"wrap_model": False}, "wrapped"),
        ({"noise_multiplier": 1e9}, "between 1/16 and 512"),
        ({"max_grad_norm": -1.0}, "bound"),
    ]:
        with pytest.raises(tacit.InputError, match=re.escape(text)):
            private(points(), network(), PrivacyEngine(), **changed)
    model = network()
    with pytest.raises(tacit.InputError, match="several times"):
        private(points(), model, PrivacyEngine(), optimizer=torch.optim.LBFGS(model.parameters()))
    for epsilon in (1e-6, -1.0, 1e9):
        with pytest.raises(tacit.InputError):
            to_target(PrivacyEngine(), epochs=1, epsilon=epsilon)
    assert not ledgers.exists()
    _, optimizer, _ = private(points(), network(), PrivacyEngine())
    with pytest.raises(tacit.InputError, match="make_private gave back"):
        BatchMemoryManager(
            data_loader=DataLoader(points()), max_physical_batch_size=4, optimizer=optimizer  # type: ignore[arg-type]
        )


def test_padding_to_the_longest_is_warned_of() -> None:
    dataset = Numbers()
    loader = DataLoader(dataset, batch_size=40, collate_fn=torch.utils.data.default_collate)
    private(dataset, network(), PrivacyEngine(), data_loader=loader)
    model = network()
    with pytest.warns(UserWarning, match="whoever else is in the batch") as record:
        PrivacyEngine().make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
            data_loader=DataLoader(dataset, batch_size=40, collate_fn=list),
            noise_multiplier=1.0,
            max_grad_norm=1.0,
        )
    assert record[0].filename == __file__

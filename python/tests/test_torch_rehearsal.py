"""What one call tries before anything is charged: that examples do not move each other, and labels."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
from training_loops import fitted, network, points, private, to_target, train

import tacit
from tacit.torch import BatchMemoryManager, PrivacyEngine

pytestmark = pytest.mark.usefixtures("ledgers")

cross_entropy = nn.functional.cross_entropy


class Before(nn.Module):
    """Does something to inputs before the first parameter."""

    def __init__(self, change: Any) -> None:
        super().__init__()
        self.change, self.layers = change, network()

    def forward(self, x: Any) -> Any:
        return self.layers(self.change(x))


class RunningMean(nn.Module):
    mean: Any

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.full((4,), 100.0))

    def forward(self, x: Any) -> Any:
        self.mean = 0.999 * self.mean + 0.001 * x.mean(0)
        return x


class Counting(nn.Module):
    """Keeps something that no example decides."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("noise", torch.zeros(4))

    def forward(self, x: Any) -> Any:
        self.calls += 1
        self.noise = torch.randn(4)
        return nn.functional.dropout(x, 0.1) + 0 * self.noise


def test_a_model_that_mixes_before_its_first_parameter_is_refused(ledgers: Path) -> None:
    for change, text in [
        (lambda x: (x - x.mean(0)) / x.std(0), "changes what the model gives for others"),
        (lambda x: x / x.abs().max(), "changes what the model gives for others"),
        (lambda x: x[torch.argsort(x[:, 0])], "changes what the model gives for others"),
        (RunningMean(), "keeps something of the examples"),
    ]:
        with pytest.raises(tacit.InputError, match=text):
            fitted(Before(change), points())
    assert not ledgers.exists()


def test_what_no_example_decides_is_no_mixing() -> None:
    counting = Counting()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fitted(Before(counting), points(), batch_size=100).steps == 10
    # The rehearsal leaves the model as it was.
    assert int(counting.calls) == 10


def test_a_model_that_chance_decides_beyond_reach_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="does not give the same twice"):
        fitted(Before(lambda x: x * random.SystemRandom().random()), points())


def in_pairs(output: Any, y: Any) -> Any:
    return (output - output.flip(0)).square().mean() + cross_entropy(output, y)


def test_a_loss_that_mixes_examples_is_refused(ledgers: Path) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
    x, _ = points().tensors
    dataset = TensorDataset(x, torch.arange(500) % 4)
    # Of a mean over all classes these weights would not show.
    for loss in (
        nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 2.0, 1.0])),
        nn.CrossEntropyLoss(weight=torch.tensor([1.0, 1.0, 1.0, 1.1])),
        nn.CrossEntropyLoss(ignore_index=2),
        nn.CrossEntropyLoss(reduction="sum"),
        in_pairs,
    ):
        with pytest.raises(tacit.InputError, match="changes the losses of others"):
            fitted(model, dataset, loss=loss)
    # A label that is to be left out is none of the classes.
    masked = TensorDataset(x, (torch.arange(500) % 5).where(torch.arange(500) % 5 < 4, -100))
    with pytest.raises(tacit.InputError, match="changes the losses of others"):
        fitted(model, masked)
    numbers = TensorDataset(x, x)
    with pytest.raises(tacit.InputError, match="changes the losses of others"):
        fitted(model, numbers, loss=lambda output, y: (output - y).square().sum().sqrt())
    assert not ledgers.exists()


def test_losses_that_mix_none_are_taken() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
    x, _ = points().tensors
    weight = torch.tensor([1.0, 2.0, 2.0, 1.0])

    def weighted(output: Any, y: Any) -> Any:
        return (weight[y] * cross_entropy(output, y, reduction="none")).mean()

    assert fitted(model, TensorDataset(x, torch.arange(500) % 4), loss=weighted).steps > 0
    assert fitted(model, TensorDataset(x, x), loss=nn.functional.mse_loss).steps > 0
    assert fitted(model, TensorDataset(x, x.sigmoid()), loss=nn.BCEWithLogitsLoss()).steps > 0


def test_labels_are_looked_at_whatever_the_loss(ledgers: Path) -> None:
    x, y = points().tensors

    def smoothed(output: Any, y: Any) -> Any:
        return cross_entropy(output, y, label_smoothing=0.1)

    with pytest.raises(tacit.InputError, match="out of range"):
        fitted(network(), TensorDataset(x, y + 1), loss=smoothed)
    # Each place of a sequence has a label, and classes are in the last dimension.
    sequences = TensorDataset(x.repeat(1, 3).reshape(500, 3, 4), (y + 1)[:, None].repeat(1, 3))
    with pytest.raises(tacit.InputError, match="out of range"):
        fitted(network(), sequences, loss=lambda output, y: cross_entropy(output.transpose(1, 2), y))
    assert not ledgers.exists()


def test_labels_that_are_no_places_are_taken() -> None:
    x, y = points().tensors

    def hinge(output: Any, y: Any) -> Any:
        return (1 - y * (output[:, 1] - output[:, 0])).clamp(min=0).mean()

    assert fitted(network(), TensorDataset(x, 2 * y - 1), loss=hinge).steps > 0
    many = TensorDataset(x.repeat(1, 3).reshape(500, 3, 4), y[:, None].repeat(1, 3))
    assert fitted(network(), many, loss=lambda output, y: cross_entropy(output.transpose(1, 2), y)).steps > 0


class Codes(nn.Module):
    """Looks the first feature up, which rows that are made up do not have."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors, self.out = nn.Embedding(5, 4), nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.out(self.vectors(x[:, 0].long()) + x)


class Packed(nn.Module):
    """Takes sequences that end in zeros, and none that is empty."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors, self.out = nn.Embedding(9, 4), nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        lengths = (x != 0).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.vectors(x), lengths, batch_first=True, enforce_sorted=False
        )
        sums, lengths = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
        return self.out(sums.sum(1) / lengths[:, None])


class Sequences(Dataset[Any]):
    def __len__(self) -> int:
        return 500

    def __getitem__(self, place: int) -> Any:
        sequence = torch.zeros(6, dtype=torch.long)
        sequence[: 1 + place % 6] = 1 + place % 8
        return sequence, place % 2


@pytest.mark.filterwarnings("ignore:gradients are taken one example")
def test_models_that_take_no_made_up_rows_are_trained() -> None:
    x, y = points().tensors
    x[:, 0] = torch.arange(500) % 5
    assert fitted(Codes(), TensorDataset(x, y)).steps > 0
    assert fitted(Packed(), Sequences()).steps > 0


def test_a_step_that_cannot_be_taken_is_refused(ledgers: Path) -> None:
    x, y = points().tensors
    with pytest.raises(tacit.InputError, match="the rehearsal: a step failed .*RuntimeError"):
        fitted(network(), TensorDataset(x[:, :3], y))
    assert not ledgers.exists()


def targeted(dataset: Dataset[Any], model: nn.Module, engine: PrivacyEngine, **more: Any) -> Any:
    return to_target(engine, module=model, **more)


def test_what_is_foreseen_of_a_loop_is_refused_before_anything_is_charged(ledgers: Path) -> None:
    x, y = points().tensors
    for model, dataset, options, text in [
        (network(), TensorDataset(x, y + 1), {}, "a label is out of range: the model tells 2 classes apart"),
        (network(), TensorDataset(x, y - 1), {"criterion": nn.CrossEntropyLoss()}, "out of range"),
        (Before(lambda x: x - x.mean(0)), points(), {}, "changes what the model gives for others"),
        (Before(RunningMean()), points(), {}, "keeps something of the examples"),
        (network(), points(), {"criterion": nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))}, "losses of others"),
    ]:
        for make in (private, targeted):
            with pytest.raises(tacit.InputError, match=text):
                make(dataset, model, PrivacyEngine(), data_loader=DataLoader(dataset, batch_size=100), **options)
    assert not ledgers.exists()


def from_one(output: Any, y: Any) -> Any:
    return cross_entropy(output, y - 1)


class Framed(nn.Module):
    """Takes rows of the loader's in another shape, as the loop gives them."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = network()

    def forward(self, frames: Any, offset: Any) -> Any:
        return self.layers(frames[0] + offset)


def test_a_loop_that_does_otherwise_is_left_alone() -> None:
    x, y = points().tensors
    counting = Counting()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Labels that it changes, which a criterion tells of; those that a loss leaves out.
        private(TensorDataset(x, y + 1), network(), PrivacyEngine(), criterion=from_one)
        private(TensorDataset(x, y.where(y > 0, -100)), network(), PrivacyEngine())
        # Another way to call the model.
        module, optimizer, loader = private(points(), Framed(), PrivacyEngine())
        for rows, labels in loader:
            cross_entropy(module(rows[None], 1.0), labels).backward()
            optimizer.step()
        # What a model keeps for itself is as it was before.
        model, optimizer, loader = to_target(PrivacyEngine(), module=Before(counting))
        state = torch.get_rng_state()
        batches = iter(loader)
        next(batches)
    assert int(counting.calls) == 0 and torch.equal(torch.get_rng_state(), state)


class Named(Dataset[Any]):
    """Holds names of its classes, and gives their numbers."""

    def __init__(self, targets: Any) -> None:
        self.targets = targets

    def __len__(self) -> int:
        return 100

    def __getitem__(self, place: int) -> Any:
        return torch.randn(4), place % 2


class WithLabels(nn.Module):
    """Called without labels it tells classes, and nothing to train by."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = network()

    def forward(self, x: Any, y: Any = None) -> Any:
        outputs = self.layers(x)
        return outputs.argmax(1) if y is None else outputs


def test_what_only_looks_like_classes_is_left_alone() -> None:
    x, y = points(100).tensors
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        private(TensorDataset(x, 18 + torch.arange(100) % 70), network(), PrivacyEngine())
        unlike: list[Any] = [["cat", "dog"] * 50, [{}] * 100, [None] * 100, [], list(range(100, 200)), lambda: None]
        for targets in unlike:
            private(Named(targets), network(), PrivacyEngine())
        private(points(), WithLabels(), PrivacyEngine())
        # A loss that is given here for what the loop makes of its arguments.
        one = nn.Sequential(nn.Linear(4, 1))
        private(TensorDataset(x, y.float()), one, PrivacyEngine(), criterion=nn.MSELoss())
        private(points(), network(), PrivacyEngine(), criterion=nn.CrossEntropyLoss(reduction="none"))
        # Numbers that are far off do not go through this one.
        table = Before(lambda x: nn.functional.one_hot((x + 20).long(), 40)[:, :, 0].float())
        private(points(), table, PrivacyEngine())


class Keeping(nn.Module):
    """Keeps something of the first batch that it sees, and refuses made-up words."""

    first: Any

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(9, 2)
        self.register_buffer("first", None)

    def forward(self, words: Any) -> Any:
        if not words.any():
            raise ValueError("no words")
        if self.first is None:
            self.first = words.float().mean(0)
            self.seen = words
        return self.table(words).sum(1)


class Remembering(nn.Module):
    """Keeps a mean of what it saw for the next batch, in no buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.layers, self.mean = network(), torch.zeros(4)

    def forward(self, x: Any) -> Any:
        before, self.mean = self.mean, 0.9 * self.mean + 0.1 * x.detach().mean(0)
        return self.layers(x - before)


class Ranged(nn.Module):
    """Takes no number that is far off, and mixes the others."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = network()

    def forward(self, x: Any) -> Any:
        if x.abs().max() > 10:
            raise ValueError("out of range")
        return self.layers(x - x.mean(0))


class Property(Named):
    @property
    def targets(self) -> Any:
        raise RuntimeError("not loaded")

    @targets.setter
    def targets(self, value: Any) -> None:
        pass


@pytest.mark.parametrize("dataset", [Named(3), Property(None), TensorDataset(torch.randn(100, 4), torch.arange(100).to(torch.uint16))])
def test_odd_labels_do_not_hide_what_mixes(dataset: Any, ledgers: Path) -> None:
    with pytest.raises(tacit.InputError, match="changes what the model gives for others"):
        private(dataset, Before(lambda x: x - x.mean(0)), PrivacyEngine())
    with pytest.raises(tacit.InputError, match="changes what the model gives for others"):
        private(dataset, Ranged(), PrivacyEngine())
    with pytest.raises(tacit.InputError, match="keeps something of the examples"):
        private(dataset, Remembering(), PrivacyEngine())
    with pytest.raises(tacit.InputError, match="does not know its shape"):
        private(dataset, nn.Sequential(nn.LazyLinear(2)), PrivacyEngine())
    assert not ledgers.exists()


def test_a_rehearsal_leaves_nothing_of_an_example(ledgers: Path) -> None:
    model = Keeping()
    dataset = TensorDataset(torch.randint(1, 9, (100, 6)), torch.arange(100) % 2)
    with pytest.raises(tacit.InputError, match="keeps something of the examples"):
        private(dataset, model, PrivacyEngine())
    assert model.first is None and not hasattr(model, "seen") and not ledgers.exists()


class Words(Dataset[Any]):
    """Of different lengths."""

    def __len__(self) -> int:
        return 100

    def __getitem__(self, place: int) -> Any:
        return torch.arange(1, 2 + place % 12), torch.tensor(place % 2)


def padded(examples: list[Any]) -> Any:
    words, labels = zip(*examples, strict=True)
    return nn.utils.rnn.pad_sequence(words, batch_first=True), torch.stack(labels)


class Sums(nn.Module):
    def __init__(self, change: Any = lambda words: words) -> None:
        super().__init__()
        self.change, self.table = change, nn.Embedding(13, 2, padding_idx=0)

    def forward(self, words: Any) -> Any:
        return self.table(self.change(words)).sum(1)


@pytest.mark.filterwarnings("ignore:collate_fn must give each example")
def test_examples_may_be_of_different_lengths() -> None:
    loader = DataLoader(Words(), batch_size=20, collate_fn=padded)
    assert train(*private(Words(), Sums(), PrivacyEngine(), data_loader=loader)) > 0
    in_order = Sums(lambda words: words.sort(0, descending=True).values)
    with pytest.raises(tacit.InputError, match="changes what the model gives for others"):
        private(Words(), in_order, PrivacyEngine(), data_loader=loader)


class Wide(nn.Module):
    """Half a gigabyte of addresses for each row."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = network()

    def forward(self, x: Any) -> Any:
        return self.layers(x) + 0 * torch.empty(len(x), 2**27)[:, :1].nan_to_num()


@pytest.mark.parametrize("make", [private, targeted])
def test_a_batch_that_does_not_fit_is_refused_before_it_is_charged(make: Any, folder: Path) -> None:
    clinic = tacit.open(folder, analyst="ana")
    before = clinic.budget()
    dataset = points(50_000)
    engine = PrivacyEngine(workspace=folder, account="clinic/ana")
    module, optimizer, loader = make(dataset, Wide(), engine, data_loader=DataLoader(dataset, batch_size=20_000))
    with pytest.raises(tacit.InputError, match=r"do not fit into memory\s+take batches in smaller parts"):
        next(iter(loader))
    assert clinic.budget() == before
    with BatchMemoryManager(data_loader=loader, max_physical_batch_size=4, optimizer=optimizer) as parts:
        assert len(next(iter(parts))[0]) == 4
    assert clinic.budget() != before


def crowded(x: Any) -> Any:
    if len(x) > 4:
        raise torch.OutOfMemoryError
    return x


def test_parts_may_be_smaller_than_what_is_tried_on() -> None:
    module, optimizer, loader = private(points(100), Before(crowded), PrivacyEngine())
    with pytest.raises(tacit.InputError, match="do not fit into memory"):
        next(iter(loader))
    with BatchMemoryManager(data_loader=loader, max_physical_batch_size=4, optimizer=optimizer) as parts:
        assert train(module, optimizer, parts) > 0


def test_a_target_is_charged_when_its_first_batch_is_drawn(folder: Path) -> None:
    clinic = tacit.open(folder, analyst="ana")
    before = clinic.budget()
    engine = PrivacyEngine(workspace=folder, account="clinic/ana")
    module, optimizer, loader = to_target(engine)
    assert clinic.budget() == before and engine.get_epsilon(1e-5) == 0
    assert optimizer.noise_multiplier == engine.noise_multiplier and optimizer.max_grad_norm == 1
    train(module, optimizer, loader)
    assert clinic.budget() != before and engine.get_epsilon(1e-5) > 0
    # Who could not pay is told at once.
    with pytest.raises(tacit.BudgetExceeded, match="too little left"):
        to_target(PrivacyEngine(workspace=folder, account="clinic/ana"), epsilon=200)

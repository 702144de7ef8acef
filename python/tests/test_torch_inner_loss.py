"""Losses that a model takes itself."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset
from training_loops import assert_one_step_is_the_clipped_mean, points, private

import tacit
from tacit.torch import PrivacyEngine

pytestmark = pytest.mark.usefixtures("ledgers")

cross_entropy = nn.functional.cross_entropy


class WithItsLoss(nn.Module):
    """As models of a hub are: given labels, it gives the loss first."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.classifier = nn.Linear(4, 6), nn.Linear(6, 2)

    def forward(self, inputs: Any, labels: Any = None) -> dict[str, Any]:
        states = torch.tanh(self.body(inputs))
        logits = self.classifier(states)
        rows = {"logits": logits, "states": states}
        return rows if labels is None else {"loss": self.loss(rows, labels), **rows}

    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return cross_entropy(rows["logits"], labels)


class OfItsStates(WithItsLoss):
    """Takes a loss of two tensors, of which one is made of the other."""

    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return super().loss(rows, labels) + rows["states"].square().mean()


class OfItsWeights(WithItsLoss):
    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return super().loss(rows, labels) + self.classifier.weight.square().sum()


class OfPairs(WithItsLoss):
    """Tells examples from each other."""

    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return cross_entropy(rows["states"] @ rows["states"].detach().t(), torch.arange(len(labels)))


class OverExamples(WithItsLoss):
    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return nn.functional.nll_loss(rows["logits"].log_softmax(0), labels)


class OfRanks(WithItsLoss):
    """Tells one example from all others, by a number for each."""

    def forward(self, inputs: Any, labels: Any = None) -> dict[str, Any]:
        scores = super().forward(inputs)["logits"].sum(1)
        return {"loss": cross_entropy(scores.view(1, -1), labels[:1]), "scores": scores}


class TwoByTwo(WithItsLoss):
    """Puts halves of two examples side by side, as wide as one."""

    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        even = len(labels) // 2 * 2
        return cross_entropy(rows["states"][:even, :3].reshape(-1, 6), labels[: even // 2])


class Broadcast(WithItsLoss):
    """Compares each example with all, as shapes that differ do."""

    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return nn.functional.mse_loss(rows["logits"][:, :1].expand(-1, len(labels)), labels.float().expand(len(labels), -1))


class Added(WithItsLoss):
    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return cross_entropy(rows["logits"], labels, reduction="sum")


class Shortened(WithItsLoss):
    """Leaves the first example out."""

    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return cross_entropy(rows["logits"][1:], labels[1:])


class Hooked(WithItsLoss):
    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        rows["logits"].register_hook(lambda gradient: 3 * gradient)
        return super().loss(rows, labels)


class Weighted(WithItsLoss):
    """In its classes."""

    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return cross_entropy(rows["logits"], labels, weight=torch.tensor([1.0, 3.0]))


class Alone(WithItsLoss):
    """Gives its loss and nothing else."""

    def forward(self, inputs: Any, labels: Any = None) -> dict[str, Any]:
        return {"loss": super().forward(inputs, labels)["loss"]}


class Squared(WithItsLoss):
    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        return nn.functional.mse_loss(rows["logits"][:, :1].squeeze(1), labels.float())


class Binary(WithItsLoss):
    def loss(self, rows: dict[str, Any], labels: Any) -> Any:
        targets = nn.functional.one_hot(labels, 2).float()
        return nn.functional.binary_cross_entropy_with_logits(rows["logits"], targets)


@pytest.mark.parametrize("model", [WithItsLoss, Squared, Binary, Hooked, Weighted])
def test_a_loss_within_the_model_is_taken(model: type[WithItsLoss]) -> None:
    # A bound that clips, and one that does not, so that a wrong scale would show.
    for bound in (0.05, 8.0):
        assert_one_step_is_the_clipped_mean(
            model(), points(200), lambda module, x, y: module(inputs=x, labels=y)["loss"], bound
        )


def test_a_loss_within_the_model_is_taken_with_others() -> None:
    def both(module: Any, x: Any, y: Any) -> Any:
        given = module(inputs=x, labels=y)
        return 2 * given["loss"] + given["logits"].square().mean()

    assert_one_step_is_the_clipped_mean(WithItsLoss(), points(200), both)
    # One that cannot be taken, and is not, hinders nobody.
    assert_one_step_is_the_clipped_mean(
        OfItsWeights(), points(200), lambda module, x, y: cross_entropy(module(inputs=x, labels=y)["logits"], y)
    )


class OfWords(nn.Module):
    """As models of a language are: a loss over all words but those whose label is -100."""

    def __init__(self) -> None:
        super().__init__()
        self.classifier = nn.Linear(1, 2)

    def forward(self, inputs: Any, labels: Any) -> Any:
        logits = self.classifier(inputs.unsqueeze(-1))
        shifted = logits[..., :-1, :].contiguous()
        return cross_entropy(shifted.view(-1, 2), labels[..., 1:].reshape(-1)), logits


def test_a_loss_within_the_model_is_of_each_examples_own_words() -> None:
    x, _ = points(200).tensors
    labels = torch.ones(200, 4).long().where(torch.rand(200, 4) < 0.3, -100)
    labels[:, 1] = 0

    def loss(model: Any, x: Any, y: Any) -> Any:
        return model(x, y)[0]

    # An example at a time it is that as well.
    for bound in (0.05, 2.0):
        assert_one_step_is_the_clipped_mean(OfWords(), TensorDataset(x, labels), loss, bound)
    # Nor do those weigh on others that are filled up, as a collate_fn does.
    wide = nn.functional.pad(x, (0, 60)), nn.functional.pad(labels, (0, 60), value=-100)
    model = OfWords()
    state = copy.deepcopy(model.state_dict())
    assert_one_step_is_the_clipped_mean(model, TensorDataset(x, labels), loss, 2.0)
    moved = [parameter.detach().clone() for parameter in model.parameters()]
    model.load_state_dict(state)
    assert_one_step_is_the_clipped_mean(model, TensorDataset(*wide), loss, 2.0)
    for one, other in zip(moved, model.parameters(), strict=True):
        torch.testing.assert_close(one, other.detach(), atol=16 * 2 / 16 / 200, rtol=0)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (Alone, "one number for the whole batch"),
        (OfItsWeights, "it is not known what each example gives"),
        (OfItsStates, "it is not known what each example gives"),
        (Added, "a sum of losses"),
        (Shortened, "each row by itself"),
        (OfPairs, "each row by itself"),
        (OverExamples, "each row by itself"),
        (OfRanks, "each row by itself"),
        (TwoByTwo, "each row by itself"),
        (Broadcast, "each row by itself"),
    ],
)
def test_a_loss_within_the_model_whose_rows_cannot_be_told_is_refused(model: type[nn.Module], text: str) -> None:
    module, optimizer, loader = private(points(), model(), PrivacyEngine())
    x, y = next(iter(loader))
    with pytest.raises(tacit.InputError, match=text) as refused:
        module(inputs=x, labels=y)["loss"].backward()
        optimizer.step()
    assert "cross_entropy(model(**inputs).logits, labels)" in str(refused.value)


class Prototypes(nn.Module):
    """Gives a parameter beside its rows, as long as a batch."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.prototypes = nn.Linear(4, 3), nn.Parameter(torch.randn(100, 3))

    def forward(self, x: Any) -> Any:
        return self.layer(x), self.prototypes


def test_a_parameter_is_no_rows() -> None:
    module, optimizer, loader = private(points(), Prototypes(), PrivacyEngine(), poisson_sampling=False)
    rows, prototypes = module(next(iter(loader))[0])
    (rows @ prototypes.t()).square().mean().backward()
    with pytest.raises(tacit.InputError, match="of which no example has a row"):
        optimizer.step()

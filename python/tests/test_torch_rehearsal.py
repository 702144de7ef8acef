"""What one call tries before anything is charged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import Dataset, TensorDataset
from training_loops import fitted, network, points

import tacit

pytestmark = pytest.mark.usefixtures("ledgers")

cross_entropy = nn.functional.cross_entropy


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

"""Layers by the names that users of Opacus know.

PyTorch's own are trained as they are, so these are the same layers: arguments, outputs and state
dicts are those of both.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class DPLSTM(nn.LSTM):
    """torch.nn.LSTM."""


class DPGRU(nn.GRU):
    """torch.nn.GRU."""


class DPRNN(nn.RNN):
    """torch.nn.RNN, with its arguments in Opacus' order."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0,
        bidirectional: bool = False,
        *,
        nonlinearity: str = "tanh",
    ) -> None:
        super().__init__(
            input_size,
            hidden_size,
            num_layers=num_layers,
            nonlinearity=nonlinearity,
            bias=bias,
            batch_first=batch_first,
            dropout=dropout,
            bidirectional=bidirectional,
        )


class DPMultiheadAttention(nn.MultiheadAttention):
    """torch.nn.MultiheadAttention."""


class SequenceBias(nn.Module):
    """Puts one learnt vector at the end of each sequence."""

    def __init__(self, embed_dim: int, batch_first: bool = False) -> None:
        super().__init__()
        self.batch_first = batch_first
        self.bias = nn.Parameter(torch.empty(embed_dim))
        nn.init.normal_(self.bias)

    def forward(self, x: torch.Tensor) -> Any:
        """One vector longer than `x`: [batch, time, embed] where batch_first, else [time, batch, embed]."""
        examples, time = (x.shape[0], 1) if self.batch_first else (x.shape[1], 0)
        shape = (examples, 1, -1) if self.batch_first else (1, examples, -1)
        return torch.cat([x, self.bias.expand(shape)], time)


__all__ = ["DPGRU", "DPLSTM", "DPMultiheadAttention", "DPRNN", "SequenceBias"]

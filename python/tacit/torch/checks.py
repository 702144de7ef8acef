"""What is refused before anything is charged."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, TensorDataset
from torch.utils.data._utils.collate import default_collate

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.validators import ModuleValidator

_MODES = ("hooks", "functorch", "ew", "ghost")


def check_module(module: nn.Module) -> None:
    """A model that trains, in this process, and mixes no examples."""
    if isinstance(module, nn.parallel.DistributedDataParallel):
        raise InputError(
            "batches are drawn and clipped in one process", "module", "give the model itself, not DistributedDataParallel"
        )
    if not module.training:
        raise InputError("the model is in eval mode", "module", "call model.train() first")
    ModuleValidator.validate(module, strict=True)


def check_options(
    *, poisson_sampling: bool, loss_reduction: str, noise_generator: object, grad_sample_mode: str, wrap_model: bool
) -> None:
    """Options of Opacus' that would make what is proved untrue, or have no meaning here."""
    if noise_generator is not None:
        raise InputError(
            "noise comes from the system's own generator, never from a caller's: whoever knows its seed "
            "can take the noise away",
            "noise_generator",
            "leave it out",
        )
    if not poisson_sampling:
        raise InputError(
            "batches are drawn by Poisson sampling, for which epsilon is proved", "poisson_sampling", "leave it True"
        )
    if loss_reduction not in ("mean", "sum"):
        raise InputError(f"'{loss_reduction}' is no reduction", "loss_reduction", "it is mean or sum")
    if grad_sample_mode not in _MODES:
        raise InputError(
            f"'{grad_sample_mode}' is no way to clip here", "grad_sample_mode", f"choose one of {', '.join(_MODES)}"
        )
    if not wrap_model:
        raise InputError("the model is wrapped", "wrap_model", "leave it True; to_standard_module() takes it out")


def plan_of(
    data_loader: DataLoader[Any],
    *,
    epochs: int,
    noise_multiplier: str,
    max_grad_norm: float | Sequence[float],
    clipping: str,
    parameters: int,
) -> _native.Plan:
    """Public facts alone: as many steps an epoch as the loader has batches."""
    examples, batches = _lengths(data_loader)
    _check_sampler(data_loader)
    if epochs < 1:
        raise InputError("there must be at least one epoch", "epochs")
    if isinstance(data_loader.dataset, TensorDataset) and data_loader.collate_fn is not default_collate:
        raise InputError("a TensorDataset is read whole, without a collate_fn", "data_loader", "leave it out")
    if data_loader.collate_fn is not default_collate:
        warnings.warn(
            "collate_fn must give each example the same whoever else is in the batch: pad to a fixed length, "
            "not to that of the longest",
            stacklevel=4,
        )
    bound = _bound(max_grad_norm, clipping, parameters)
    return _native.Plan(examples, f"1/{batches}", epochs * batches, noise_multiplier, bound, clipping)


def length_of(dataset: Any) -> int:
    """The number of examples, which is public."""
    try:
        examples = len(dataset)
    except TypeError as unknown:
        raise InputError(
            "the dataset does not say how long it is", "dataset", "give one that has a length"
        ) from unknown
    if examples == 0:
        raise InputError("the dataset is empty", "dataset")
    return examples


def _lengths(data_loader: DataLoader[Any]) -> tuple[int, int]:
    examples = length_of(data_loader.dataset)
    if data_loader.batch_size is not None and data_loader.batch_size > examples:
        raise InputError(
            f"batches of {data_loader.batch_size} from {examples} examples: the sample rate would be over 1",
            "data_loader",
            f"give a batch_size of at most {examples}",
        )
    return examples, len(data_loader)


def _check_sampler(data_loader: DataLoader[Any]) -> None:
    """Batches are drawn from the whole dataset. One who chose others must not get these instead."""
    if type(data_loader.batch_sampler) is BatchSampler and type(data_loader.sampler) in (SequentialSampler, RandomSampler):
        return
    raise InputError(
        "the loader has a sampler of its own, and batches are drawn by Poisson sampling from the whole dataset",
        "data_loader",
        "leave the sampler out; torch.utils.data.Subset(dataset, places) is a part of a dataset",
    )


def _bound(max_grad_norm: float | Sequence[float], clipping: str, parameters: int) -> float:
    """What one example may add. By layer, Opacus' users give a list with the bound of each."""
    if isinstance(max_grad_norm, (int, float)):
        return float(max_grad_norm)
    bounds = [float(each) for each in max_grad_norm]
    if clipping != "per_layer":
        raise InputError("one bound is for all parameters", "max_grad_norm", 'clipping="per_layer" takes a list')
    if len(bounds) != parameters or max(bounds) != min(bounds):
        raise InputError(
            "the bounds of parameters are equal, one for each that is trained",
            "max_grad_norm",
            f"the parameters are {parameters}; or give the one bound that they make up together",
        )
    return bounds[0] * math.sqrt(parameters)


def trained_parameters(module: nn.Module, optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """All that is trained. Whatever else the optimizer would move is not protected."""
    if isinstance(optimizer, torch.optim.LBFGS):
        raise InputError("LBFGS looks at a batch several times", "optimizer", "choose one that steps once a gradient")
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    known = {id(parameter) for parameter in trained}
    for group in optimizer.param_groups:
        if any(each.requires_grad and id(each) not in known for each in group["params"]):
            raise InputError(
                "the optimizer has parameters that are not the model's",
                "optimizer",
                "make it from model.parameters(), after ModuleValidator.fix",
            )
    return trained

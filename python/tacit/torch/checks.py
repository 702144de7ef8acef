"""What is refused before anything is charged."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler
from torch.utils.data._utils.collate import default_collate

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.options import LoopOptions, PlanOptions
from tacit.torch.validators import ModuleValidator

_MODES = ("hooks", "functorch", "ew", "ghost")
_ADAPTIVE = (
    "target_unclipped_quantile",
    "clipbound_learning_rate",
    "max_clipbound",
    "min_clipbound",
    "unclipped_num_std",
)


def check_module(module: nn.Module) -> None:
    """A model that trains, in this process, and mixes no examples."""
    if isinstance(module, nn.parallel.DistributedDataParallel):
        raise InputError(
            "batches are drawn and clipped in one process", "module", "give the model itself, not DistributedDataParallel"
        )
    if not module.training:
        raise InputError("the model is in eval mode", "module", "call model.train() first")
    ModuleValidator.validate(module, strict=True)


def check_options(options: LoopOptions) -> None:
    """Options of Opacus' that would make what is proved untrue, or have no meaning here."""
    if options.get("noise_generator") is not None:
        raise InputError(
            "noise comes from the system's own generator, never from a caller's: whoever knows its seed "
            "can take the noise away",
            "noise_generator",
            "leave it out",
        )
    if (reduction := options.get("loss_reduction", "mean")) not in ("mean", "sum"):
        raise InputError(f"'{reduction}' is no reduction", "loss_reduction", "it is mean or sum")
    if (mode := options.get("grad_sample_mode", "hooks")) not in _MODES:
        raise InputError(f"'{mode}' is no way to clip here", "grad_sample_mode", f"choose one of {', '.join(_MODES)}")
    if not options.get("wrap_model", True):
        raise InputError("the model is wrapped", "wrap_model", "leave it True; to_standard_module() takes it out")


def plan_of_epoch(
    data_loader: DataLoader[Any],
    *,
    noise_multiplier: str,
    max_grad_norm: float | Sequence[float],
    parameters: int,
    options: PlanOptions,
) -> _native.Plan:
    """Public facts alone: as many steps as the loader has batches."""
    examples, batches = _lengths(data_loader)
    _check_sampler(data_loader)
    if data_loader.collate_fn is not default_collate:
        warnings.warn(
            "collate_fn must give each example the same whoever else is in the batch: pad to a fixed length, "
            "not to that of the longest",
            stacklevel=5,
        )
    clipping = options.get("clipping", "flat")
    bound = _bound(max_grad_norm, clipping, parameters)
    is_poisson = options.get("poisson_sampling", True)
    rate = f"1/{batches}" if is_poisson else f"{data_loader.batch_size}/{examples}"
    kind = "flat" if clipping == "adaptive" else clipping
    plan = _native.Plan(examples, rate, batches, noise_multiplier, bound, kind)
    return _following_norms(_sampled(plan, is_poisson, options.get("largest_batch")), options)


def _sampled(plan: _native.Plan, is_poisson: bool, largest_batch: int | None) -> _native.Plan:
    """With batches as they were asked for."""
    if largest_batch is None:
        return plan if is_poisson else plan.with_fixed_size()
    if not is_poisson:
        raise InputError("batches of a fixed size are never larger", "largest_batch", "leave it out")
    if largest_batch < 1:
        raise InputError("the largest batch has at least one example", "largest_batch")
    return plan.truncated_at(largest_batch)


def in_mixed_precision(of_epoch: _native.Plan, of_all: _native.Plan, delta: float, options: PlanOptions) -> _native.Plan:
    """With half precision allowed, where that was asked for: batches then have a largest size."""
    if not options.get("mixed_precision", False):
        if "loss_scale" in options:
            raise InputError("losses are scaled in mixed precision alone", "loss_scale", "give mixed_precision=True as well")
        return of_epoch
    if of_epoch.largest_batch is None:
        of_epoch = of_epoch.truncated_at(of_all.largest_batch_for(delta / 100))
    return of_epoch.in_mixed_precision(float(options.get("loss_scale", 1.0)))


def _following_norms(plan: _native.Plan, options: PlanOptions) -> _native.Plan:
    """With a bound that follows the norms, where that was asked for."""
    if options.get("clipping") != "adaptive":
        for name in _ADAPTIVE:
            if name in options:
                raise InputError("the bound does not follow the norms", name, 'give clipping="adaptive" as well')
        return plan
    deviation = options.get("unclipped_num_std")
    return plan.following_norms(
        options.get("target_unclipped_quantile"),
        options.get("clipbound_learning_rate"),
        # It is over the number of examples within the bound; the engine counts these less the others.
        None if deviation is None else repr(2 * deviation),
        options.get("min_clipbound"),
        options.get("max_clipbound"),
    )


def check_target(epsilon: float, delta: float, examples: int) -> None:
    """Numbers that can be kept to; warns of a delta that promises nobody anything."""
    if not (epsilon > 0 and math.isfinite(epsilon)):
        raise InputError(f"the target epsilon must be above 0 and finite, and is {epsilon:g}", "target epsilon", "take 1, say")
    if delta * examples >= 1:
        warnings.warn(
            f"delta {delta:g} is not less than one over the number of examples: publishing one of the {examples} "
            "would be allowed by it",
            stacklevel=4,
        )


def check_overflow(plan: _native.Plan, delta: float) -> None:
    """Batches that are cut off cost a delta of their own: a hundredth of the whole at most."""
    if (overflow := plan.overflow) > delta / 100:
        raise InputError(
            f"batches above the largest are too likely: they would cost a delta of {overflow:.2g}",
            "largest_batch",
            f"give at least {plan.largest_batch_for(delta / 100)}, which costs a hundredth of delta {delta:g}",
        )


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
        "the loader has a sampler of its own, and batches are drawn by the engine from the whole dataset",
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
    if any(isinstance(parameter, nn.UninitializedParameter) for parameter in trained):
        raise InputError("a layer does not know its shape yet", "module", "call the model once, on made-up rows")
    known = {id(parameter) for parameter in trained}
    for group in optimizer.param_groups:
        if any(each.requires_grad and id(each) not in known for each in group["params"]):
            raise InputError(
                "the optimizer has parameters that are not the model's",
                "optimizer",
                "make it from model.parameters(), after ModuleValidator.fix",
            )
    return trained

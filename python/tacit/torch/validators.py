"""Models whose examples do not meet each other, and change parameters by their gradients alone."""

from __future__ import annotations

import copy
import math

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm

from tacit.errors import InputError


def _complaint(name: str, module: nn.Module, *, may_be_frozen: bool) -> InputError | None:
    remedy = "ModuleValidator.fix(model) puts in its place what does not"
    if isinstance(module, _InstanceNorm):
        if not module.track_running_stats:
            return None
        what = "keeps statistics of all examples"
    elif isinstance(module, (nn.Embedding, nn.EmbeddingBag)):
        if module.max_norm is None:
            return None
        what = "with max_norm rewrites the vectors that examples look up, without noise"
    elif isinstance(module, _BatchNorm):
        if may_be_frozen and not module.training and module.running_mean is not None and module.running_var is not None:
            return None
        remedy += "; a pretrained one may stay in eval mode: call its eval() after each model.train()"
        what = "mixes the examples of a batch, so that no bound holds for one of them"
    else:
        return None
    return InputError(
        f"{type(module).__name__} {what}",
        name or "the model",
        remedy,
    )


def check_as_it_is(module: nn.Module) -> None:
    """Refuses layers that mix examples in the mode that they are in now. A layer that no trained
    parameter lies below is in no graph of gradients, so the layers themselves are looked at."""
    for name, each in module.named_modules():
        if (complaint := _complaint(name, each, may_be_frozen=True)) is not None:
            raise complaint


def _replacement(module: nn.Module) -> nn.Module:
    if isinstance(module, _BatchNorm):
        groups = math.gcd(32, module.num_features)
        return _standing_for(module, nn.GroupNorm(groups, module.num_features, module.eps, affine=module.affine))
    fixed = copy.deepcopy(module)
    if isinstance(module, _InstanceNorm):
        fixed.track_running_stats = False
        fixed.running_mean = fixed.running_var = fixed.num_batches_tracked = None
    else:
        fixed.max_norm = None
    return fixed


def _standing_for(old: _BatchNorm, new: nn.Module) -> nn.Module:
    """The new layer where the old one was, as precise, as frozen, and in its mode."""
    like = old.running_mean if old.weight is None else old.weight
    if like is not None:
        new.to(like.device, like.dtype)
    for name, parameter in new.named_parameters():
        parameter.requires_grad_(getattr(old, name).requires_grad)
    return new.train(old.training)


class ModuleValidator:
    """Finds layers that mix examples or change parameters by themselves, and replaces them."""

    @classmethod
    def validate(cls, module: nn.Module, *, strict: bool = False) -> list[InputError]:
        """What must not be trained privately. Raises the first of it where `strict`. A BatchNorm in eval
        mode, within a model that trains, is frozen: it mixes nothing."""
        may_be_frozen = module.training
        found = (_complaint(name, each, may_be_frozen=may_be_frozen) for name, each in module.named_modules())
        complaints = [complaint for complaint in found if complaint is not None]
        if strict and complaints:
            raise complaints[0]
        return complaints

    @classmethod
    def is_valid(cls, module: nn.Module) -> bool:
        """Whether nothing in it mixes examples."""
        return not cls.validate(module)

    @classmethod
    def fix(cls, module: nn.Module) -> nn.Module:
        """A copy with GroupNorm for BatchNorm, InstanceNorm without running statistics, embeddings without max_norm.
        Device, type and mode of a layer stay as they were, and so does what is frozen: of a model that trains,
        a BatchNorm in eval mode too.

        Parameters are other ones: make the optimizer after this.
        """
        may_be_frozen = module.training
        if _complaint("", module, may_be_frozen=may_be_frozen) is not None:
            return _replacement(module)
        fixed = copy.deepcopy(module)
        for name, each in list(fixed.named_modules()):
            if _complaint(name, each, may_be_frozen=may_be_frozen) is not None:
                parent, _, last = name.rpartition(".")
                setattr(fixed.get_submodule(parent), last, _replacement(each))
        return fixed

    @classmethod
    def fix_and_validate(cls, module: nn.Module) -> nn.Module:
        """The same, looked at once more."""
        fixed = cls.fix(module)
        cls.validate(fixed, strict=True)
        return fixed

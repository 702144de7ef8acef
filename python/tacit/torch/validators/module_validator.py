"""Models whose examples do not meet each other, and change parameters by their gradients alone."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm

from tacit.errors import InputError
from tacit.torch.validators.errors import UnsupportedModuleError

Validator: TypeAlias = Callable[..., list[InputError]]
Fixer: TypeAlias = Callable[..., nn.Module]

_INSTANCE_NORMS = {
    nn.BatchNorm1d: nn.InstanceNorm1d,
    nn.BatchNorm2d: nn.InstanceNorm2d,
    nn.BatchNorm3d: nn.InstanceNorm3d,
}


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
    return UnsupportedModuleError(f"{type(module).__name__} {what}", name or "the model", remedy)


def check_as_it_is(module: nn.Module) -> None:
    """Refuses layers that mix examples in the mode that they are in now. A layer that no trained
    parameter lies below is in no graph of gradients, so the layers themselves are looked at."""
    for name, each in module.named_modules():
        if (complaint := _complaint(name, each, may_be_frozen=True)) is not None:
            raise complaint


def _replacement(module: nn.Module, *, replace_bn_with_in: bool = False, **others: Any) -> nn.Module:
    if isinstance(module, _BatchNorm):
        features, eps, affine = module.num_features, module.eps, module.affine
        if replace_bn_with_in and type(module) in _INSTANCE_NORMS:
            return _standing_for(module, _INSTANCE_NORMS[type(module)](features, eps, affine=affine))
        return _standing_for(module, nn.GroupNorm(math.gcd(32, features), features, eps, affine=affine))
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

    VALIDATORS: ClassVar[dict[type[nn.Module], Validator]] = {}
    FIXERS: ClassVar[dict[type[nn.Module], Fixer]] = {}

    @classmethod
    def validate(cls, module: nn.Module, *, strict: bool = False) -> list[InputError]:
        """What must not be trained privately. Raises the first of it where `strict`. A BatchNorm in eval
        mode, within a model that trains, is frozen: it mixes nothing."""
        complaints: list[InputError] = []
        for name, each in module.named_modules():
            if (complaint := _complaint(name, each, may_be_frozen=module.training)) is not None:
                complaints.append(complaint)
            if (validator := cls.VALIDATORS.get(type(each))) is not None:
                complaints.extend(validator(each))
        if strict and complaints:
            raise complaints[0]
        return complaints

    @classmethod
    def is_valid(cls, module: nn.Module) -> bool:
        """Whether nothing in it mixes examples."""
        return not cls.validate(module)

    @classmethod
    def fix(cls, module: nn.Module, **how: Any) -> nn.Module:
        """A copy with GroupNorm for BatchNorm, InstanceNorm without running statistics, embeddings without max_norm.
        Device, type and mode of a layer stay as they were, and so does what is frozen: of a model that trains,
        a BatchNorm in eval mode too. `how` goes to fixers; replace_bn_with_in=True puts InstanceNorm for
        BatchNorm instead.

        Parameters are other ones: make the optimizer after this.
        """
        return cls._fixed(copy.deepcopy(module), module.training, how, {})

    @classmethod
    def fix_and_validate(cls, module: nn.Module, **how: Any) -> nn.Module:
        """The same, looked at once more."""
        fixed = cls.fix(module, **how)
        cls.validate(fixed, strict=True)
        return fixed

    @classmethod
    def _fixed(
        cls, module: nn.Module, may_be_frozen: bool, how: dict[str, Any], done: dict[nn.Module, nn.Module]
    ) -> nn.Module:
        """What goes in the place of a layer: itself, where there is nothing to fix. A layer that stands in two
        places is replaced by one in both."""
        if module in done:
            return done[module]
        done[module] = module
        if (fixer := cls.FIXERS.get(type(module))) is not None:
            done[module] = fixer(module, **how)
        elif _complaint("", module, may_be_frozen=may_be_frozen) is not None:
            done[module] = _replacement(module, **how)
        else:
            for name, layer in module._modules.items():
                if layer is not None:
                    module._modules[name] = cls._fixed(layer, may_be_frozen, how, done)
        return done[module]

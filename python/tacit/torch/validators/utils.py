"""Validators and fixers of a user's own layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from torch import nn

from tacit.torch.validators.module_validator import Fixer, ModuleValidator, Validator

V = TypeVar("V", bound=Validator)
F = TypeVar("F", bound=Fixer)
Layers = type[nn.Module] | Sequence[type[nn.Module]]


def register_module_validator(
    target_class_or_classes: Layers, validator_class: type[ModuleValidator] = ModuleValidator
) -> Callable[[V], V]:
    """Look at layers of exactly these classes by the decorated function as well: it gives a list of
    errors. What Tacit finds by itself stands, whatever the function says."""

    def register(validator: V) -> V:
        validator_class.VALIDATORS.update(dict.fromkeys(_listed(target_class_or_classes), validator))
        return validator

    return register


def register_module_fixer(
    target_class_or_classes: Layers, validator_class: type[ModuleValidator] = ModuleValidator
) -> Callable[[F], F]:
    """Replace layers of exactly these classes by what the decorated function gives for each."""

    def register(fixer: F) -> F:
        validator_class.FIXERS.update(dict.fromkeys(_listed(target_class_or_classes), fixer))
        return fixer

    return register


def _listed(classes: Layers) -> Sequence[type[nn.Module]]:
    return classes if isinstance(classes, Sequence) else [classes]

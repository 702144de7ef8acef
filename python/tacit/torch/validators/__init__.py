"""Models whose examples do not meet each other, and change parameters by their gradients alone."""

from tacit.torch.validators.module_validator import ModuleValidator, check_as_it_is
from tacit.torch.validators.utils import register_module_fixer, register_module_validator

__all__ = ["ModuleValidator", "check_as_it_is", "register_module_fixer", "register_module_validator"]

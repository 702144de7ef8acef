"""What a validator finds, by the names that users of Opacus catch."""

from tacit.errors import InputError


class UnsupportedModuleError(InputError):
    """A layer cannot be trained privately as it is."""


# Here one kind serves: its text says what is wrong and what to do.
UnsupportedError = UnsupportedModuleError
ShouldReplaceModuleError = UnsupportedModuleError
IllegalModuleConfigurationError = UnsupportedModuleError

__all__ = [
    "IllegalModuleConfigurationError",
    "ShouldReplaceModuleError",
    "UnsupportedError",
    "UnsupportedModuleError",
]

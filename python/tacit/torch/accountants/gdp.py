"""Where users of Opacus look for it."""

from tacit.torch.accountants import GaussianAccountant

__all__ = ["GaussianAccountant"]

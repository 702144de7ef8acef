"""Where users of Opacus look for it."""

from tacit.torch.accountants import PRVAccountant

__all__ = ["PRVAccountant"]

"""Where users of Opacus look for it."""

from tacit.torch.accountants import RDPAccountant

__all__ = ["RDPAccountant"]

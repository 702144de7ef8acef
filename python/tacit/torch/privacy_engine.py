"""Where users of Opacus look for it."""

from tacit.torch.engine import PrivacyEngine

__all__ = ["PrivacyEngine"]

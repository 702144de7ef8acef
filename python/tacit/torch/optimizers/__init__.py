"""Where users of Opacus look for it."""

from tacit.torch.optimizer import PrivateOptimizer

DPOptimizer = PrivateOptimizer

__all__ = ["DPOptimizer"]

"""Where users of Opacus look for it."""

from tacit.torch.optimizers import DPOptimizer

__all__ = ["DPOptimizer"]

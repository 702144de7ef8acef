"""Where users of Opacus look for it."""

from tacit.torch.grad_sample import GradSampleModule

__all__ = ["GradSampleModule"]

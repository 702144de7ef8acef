"""Where users of Opacus look for it."""

from tacit.torch.data_loader import BatchMemoryManager

__all__ = ["BatchMemoryManager"]

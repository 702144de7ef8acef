"""Where users of Opacus look for it."""

from tacit.torch.data_loader import BatchMemoryManager, PrivateLoader
from tacit.torch.optimizer import PrivateOptimizer


def wrap_data_loader(*, data_loader: PrivateLoader, max_batch_size: int, optimizer: PrivateOptimizer) -> PrivateLoader:
    """What BatchMemoryManager gives: batches in parts."""
    with BatchMemoryManager(
        data_loader=data_loader, max_physical_batch_size=max_batch_size, optimizer=optimizer
    ) as parts:
        return parts


__all__ = ["BatchMemoryManager", "wrap_data_loader"]

"""Private training of PyTorch models, by the names that Opacus' users know.

    from tacit.torch import PrivacyEngine

    engine = PrivacyEngine()
    model, optimizer, loader = engine.make_private_with_epsilon(
        module=model, optimizer=optimizer, data_loader=loader, epochs=10,
        target_epsilon=2.9, target_delta=1e-5, max_grad_norm=1.0,
    )
    for _ in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
    print(engine.get_epsilon(1e-5))

Here one example is the unit: what is promised holds for one example more or less.
"""

import torch

try:
    from tacit.torch import _native as _native
except ModuleNotFoundError as missing:
    raise ImportError(
        "this installation of tacit was built without PyTorch: install it again from a clone where "
        "'scripts/setup test' was run (docs/python.md)"
    ) from missing

if torch.__version__.split("+")[0] != _native.torch_version:
    raise ImportError(
        f"tacit.torch was built for PyTorch {_native.torch_version}, and this is {torch.__version__}: "
        "install that version, or build tacit again"
    )

from tacit.torch.engine import PrivacyEngine
from tacit.torch.steps import BatchMemoryManager, PrivateLoader, PrivateModule, PrivateOptimizer
from tacit.torch.validator import ModuleValidator

__all__ = [
    "BatchMemoryManager",
    "ModuleValidator",
    "PrivacyEngine",
    "PrivateLoader",
    "PrivateModule",
    "PrivateOptimizer",
]

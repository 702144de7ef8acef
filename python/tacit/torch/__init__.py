"""Private training of PyTorch models.

    from tacit.torch import fit

    fit(model, dataset, torch.nn.functional.cross_entropy,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.5), epsilon=2.9, delta=1e-5,
        epochs=10, batch_size=512)

PrivacyEngine makes a loop of your own private, by the names that Opacus' users know. One example is
the unit: what is promised holds for one example more or less.
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

from tacit.torch.average import WeightAverage
from tacit.torch.data_loader import BatchMemoryManager, PrivateLoader
from tacit.torch.engine import PrivacyEngine
from tacit.torch.fit import Training, fit
from tacit.torch.grad_sample import GradSampleModule
from tacit.torch.means import NoisyLoss, Normalization
from tacit.torch.module import PrivateModule
from tacit.torch.optimizer import PrivateOptimizer
from tacit.torch.validators import ModuleValidator

__all__ = [
    "BatchMemoryManager",
    "GradSampleModule",
    "ModuleValidator",
    "NoisyLoss",
    "Normalization",
    "PrivacyEngine",
    "PrivateLoader",
    "PrivateModule",
    "PrivateOptimizer",
    "Training",
    "WeightAverage",
    "fit",
]

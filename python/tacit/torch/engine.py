"""Makes a training loop private."""

from __future__ import annotations

import getpass
import itertools
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.collate import default_collate

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.steps import PrivateLoader, PrivateModule, PrivateOptimizer, Steps
from tacit.torch.validator import ModuleValidator

_numbers = itertools.count(1)


class PrivacyEngine:
    """What Opacus' engine of this name does, paid for in a ledger.

    workspace and account ("DATASET" or "DATASET/ANALYST") say which account pays. Without them each
    training gets an account of its own in a ledger of yours, and its place is said. `accountant` and
    `secure_mode` are taken and change nothing: epsilon comes from privacy loss distributions, and
    noise is always drawn exactly from a generator that the system keys.
    """

    def __init__(
        self,
        *,
        accountant: str = "prv",
        secure_mode: bool = True,
        workspace: str | os.PathLike[str] | None = None,
        account: str | None = None,
    ) -> None:
        if (workspace is None) != (account is None):
            raise InputError(
                "a workspace pays from an account, and an account lies in a workspace",
                "PrivacyEngine",
                'for example: PrivacyEngine(workspace="clinic", account="clinic/ana")',
            )
        self._workspace = workspace
        self._account = account
        self._plan: _native.Plan | None = None
        self._steps: Steps | None = None
        self._payer: _native.Account | None = None

    def make_private(
        self,
        *,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        data_loader: DataLoader[Any],
        noise_multiplier: float,
        max_grad_norm: float,
        loss_reduction: str = "mean",
        poisson_sampling: bool = True,
        clipping: str = "flat",
        noise_generator: None = None,
        grad_sample_mode: str = "hooks",
        batch_first: bool = True,
        delta: float = 1e-5,
        max_epochs: int = 100,
    ) -> tuple[PrivateModule, PrivateOptimizer, PrivateLoader]:
        """The three things a loop needs, private: each epoch is charged when its first batch is drawn.

        Without a workspace the account is opened for `max_epochs`, at `delta`. The loss must be a mean
        (or sum, as loss_reduction says) of what each example gives by itself. `grad_sample_mode` is
        taken and changes nothing.
        """
        _check(module, poisson_sampling, loss_reduction, noise_generator)
        plan = _plan(data_loader, 1, repr(float(noise_multiplier)), max_grad_norm, clipping)
        account = self._open_account(plan.with_steps(plan.steps * max_epochs), delta)
        return self._wrap(module, optimizer, data_loader, plan, account, loss_reduction, block=False)

    def make_private_with_epsilon(
        self,
        *,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        data_loader: DataLoader[Any],
        target_epsilon: float,
        target_delta: float,
        epochs: int,
        max_grad_norm: float,
        loss_reduction: str = "mean",
        poisson_sampling: bool = True,
        clipping: str = "flat",
        noise_generator: None = None,
        grad_sample_mode: str = "hooks",
        batch_first: bool = True,
    ) -> tuple[PrivateModule, PrivateOptimizer, PrivateLoader]:
        """The same with the least noise that keeps `epochs` to the target; all are charged at once."""
        _check(module, poisson_sampling, loss_reduction, noise_generator)
        some_noise = _plan(data_loader, epochs, "1", max_grad_norm, clipping)
        plan = some_noise.calibrated_to(target_epsilon, target_delta)
        account = self._open_account(plan, target_delta)
        return self._wrap(module, optimizer, data_loader, plan, account, loss_reduction, block=True)

    def get_epsilon(self, delta: float) -> float:
        """Of the steps taken so far."""
        if self._plan is None or self._steps is None or self._steps.taken == 0:
            return 0.0
        return self._plan.with_steps(self._steps.taken).epsilon(delta)

    @property
    def noise_multiplier(self) -> float:
        """Of the training that was made private last."""
        if self._plan is None:
            raise InputError("nothing was made private yet", "noise_multiplier")
        return self._plan.noise_multiplier

    @property
    def steps_taken(self) -> int:
        """Of that training, so far."""
        return 0 if self._steps is None else self._steps.taken

    @property
    def account(self) -> str:
        """Who pays for that training."""
        if self._payer is None:
            raise InputError("nothing was made private yet", "account")
        return self._payer.name

    def _open_account(self, plan: _native.Plan, delta: float) -> _native.Account:
        who = getpass.getuser()
        if self._workspace is not None and self._account is not None:
            return _native.workspace_account(os.fspath(self._workspace), self._account, who)
        file = _default_ledger()
        name = f"run-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{next(_numbers)}"
        epsilon = plan.epsilon(delta)
        account = _native.file_account(str(file), name, who, epsilon, delta, plan)
        print(
            f"tacit: training is charged to the account {name} of {file}\n"
            f"  the {plan.steps} steps that it pays for have epsilon {epsilon:.4g} at delta {delta:g}",
            file=sys.stderr,
        )
        return account

    def _wrap(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        data_loader: DataLoader[Any],
        plan: _native.Plan,
        account: _native.Account,
        loss_reduction: str,
        *,
        block: bool,
    ) -> tuple[PrivateModule, PrivateOptimizer, PrivateLoader]:
        parameters = _parameters(module, optimizer)
        note = f"private training of a {type(module).__name__}"
        steps = Steps(
            lambda: account.begin(plan, parameters, note),
            may_begin_again=not block,
            scale_by_size=loss_reduction == "mean",
        )
        if block:
            steps.begin()
        self._plan, self._steps, self._payer = plan, steps, account
        private_optimizer = PrivateOptimizer(optimizer, steps)
        loader = PrivateLoader(data_loader, steps, private_optimizer)
        return PrivateModule(module, steps), private_optimizer, loader


def _check(module: nn.Module, poisson_sampling: bool, loss_reduction: str, noise_generator: object) -> None:
    if noise_generator is not None:
        raise InputError(
            "noise comes from the system's own generator, never from a caller's: whoever knows its seed "
            "can take the noise away",
            "noise_generator",
            "leave it out",
        )
    if not poisson_sampling:
        raise InputError(
            "batches are drawn by Poisson sampling, for which epsilon is proved", "poisson_sampling", "leave it True"
        )
    if loss_reduction not in ("mean", "sum"):
        raise InputError(f"'{loss_reduction}' is no reduction", "loss_reduction", "it is mean or sum")
    if not module.training:
        raise InputError("the model is in eval mode", "module", "call model.train() first")
    ModuleValidator.validate(module, strict=True)


def _plan(
    data_loader: DataLoader[Any], epochs: int, noise_multiplier: str, max_grad_norm: float, clipping: str
) -> _native.Plan:
    """Public facts alone: as many steps an epoch as the loader has batches."""
    try:
        examples, batches = len(data_loader.dataset), len(data_loader)  # type: ignore[arg-type]
    except TypeError as unknown:
        raise InputError(
            "the dataset does not say how long it is", "data_loader", "give one that has a length"
        ) from unknown
    if epochs < 1:
        raise InputError("there must be at least one epoch", "epochs")
    if not isinstance(max_grad_norm, (int, float)):
        raise InputError("one bound is for all parameters", "max_grad_norm", 'clipping="per_layer" divides it')
    if data_loader.num_workers > 0:
        warnings.warn("examples are read in this process; num_workers is not used", stacklevel=3)
    if isinstance(data_loader.dataset, TensorDataset) and data_loader.collate_fn is not default_collate:
        raise InputError("a TensorDataset is read whole, without a collate_fn", "data_loader", "leave it out")
    return _native.Plan(examples, f"1/{batches}", epochs * batches, noise_multiplier, float(max_grad_norm), clipping)


def _parameters(module: nn.Module, optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """All that is trained. Whatever else the optimizer would move is not protected."""
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    known = {id(parameter) for parameter in trained}
    for group in optimizer.param_groups:
        if any(each.requires_grad and id(each) not in known for each in group["params"]):
            raise InputError(
                "the optimizer has parameters that are not the model's",
                "optimizer",
                "make it from model.parameters(), after ModuleValidator.fix",
            )
    return trained


def _default_ledger() -> Path:
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "tacit" / "training.sqlite"

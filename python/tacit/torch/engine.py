"""Makes a training loop private."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import IO, Any

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from tacit.errors import InputError
from tacit.torch import _native
from tacit.torch.accountants import Accountant
from tacit.torch.accounts import Payer
from tacit.torch.checks import check_options, length_of
from tacit.torch.data_loader import PrivateLoader
from tacit.torch.means import FeatureRanges, LossReadings, NoisyLoss, Normalization, features_of, tell_constants
from tacit.torch.module import PrivateModule
from tacit.torch.optimizer import PrivateOptimizer
from tacit.torch.planned_training import Loop, PlannedTraining
from tacit.torch.steps import Losses, Steps
from tacit.torch.validators import ModuleValidator


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
        self.accountant = Accountant()
        self.secure_mode = True
        self.payer = Payer(workspace, account)
        self._steps: Steps | None = None
        self._plan: _native.Plan | None = None
        self._account: _native.Account | None = None

    def make_private(
        self,
        *,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        criterion: Any = None,
        data_loader: DataLoader[Any] | PrivateLoader,
        noise_multiplier: float,
        max_grad_norm: float | Sequence[float],
        batch_first: bool = True,
        loss_reduction: str = "mean",
        poisson_sampling: bool = True,
        clipping: str = "flat",
        noise_generator: None = None,
        grad_sample_mode: str = "hooks",
        wrap_model: bool = True,
        rand_on_empty: bool = False,
        delta: float = 1e-5,
        max_epochs: int = 100,
    ) -> Any:
        """Model, optimizer and loader, private: each epoch is charged when its first batch is drawn.

        Without a workspace the account is opened for `max_epochs`, at `delta`. The loss must be a mean
        (or sum, as loss_reduction says) of what each example gives by itself. `grad_sample_mode` changes
        nothing but that "ghost" gives the criterion back too, before the loader, as Opacus does.
        `rand_on_empty` is taken and changes nothing: the loop does not see empty batches.
        """
        check_options(
            poisson_sampling=poisson_sampling,
            loss_reduction=loss_reduction,
            noise_generator=noise_generator,
            grad_sample_mode=grad_sample_mode,
            wrap_model=wrap_model,
        )
        training = PlannedTraining.of(
            Loop.of(module, optimizer, data_loader),
            Losses(loss_reduction == "mean", batch_first),
            epochs=1,
            noise_multiplier=repr(float(noise_multiplier)),
            max_grad_norm=max_grad_norm,
            clipping=clipping,
        )
        noise, rate, steps = training.law
        account = self.payer.open([(noise, rate, steps * max_epochs)], delta)
        private = self.begin(training, account, may_begin_again=True)
        return _with_criterion(private, criterion) if grad_sample_mode == "ghost" else private

    def make_private_with_epsilon(
        self,
        *,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        criterion: Any = None,
        data_loader: DataLoader[Any] | PrivateLoader,
        target_epsilon: float,
        target_delta: float,
        epochs: int,
        max_grad_norm: float | Sequence[float],
        batch_first: bool = True,
        loss_reduction: str = "mean",
        poisson_sampling: bool = True,
        clipping: str = "flat",
        noise_generator: None = None,
        grad_sample_mode: str = "hooks",
        wrap_model: bool = True,
        rand_on_empty: bool = False,
    ) -> Any:
        """The same with the least noise that keeps `epochs` to the target, together with all that this
        engine did before; all are charged at once."""
        check_options(
            poisson_sampling=poisson_sampling,
            loss_reduction=loss_reduction,
            noise_generator=noise_generator,
            grad_sample_mode=grad_sample_mode,
            wrap_model=wrap_model,
        )
        some_noise = PlannedTraining.of(
            Loop.of(module, optimizer, data_loader),
            Losses(loss_reduction == "mean", batch_first),
            epochs=epochs,
            noise_multiplier="1",
            max_grad_norm=max_grad_norm,
            clipping=clipping,
        )
        training = some_noise.calibrated_to(target_epsilon, target_delta, self.accountant.exact_history)
        account = self.payer.open([training.law], target_delta)
        private = self.begin(training, account, may_begin_again=False)
        return _with_criterion(private, criterion) if grad_sample_mode == "ghost" else private

    def normalization(
        self,
        dataset: Dataset[Any],
        *,
        low: float | Sequence[float],
        high: float | Sequence[float],
        epsilon: float,
        delta: float,
    ) -> Normalization:
        """Means and standard deviations of features, to normalize them by, for `epsilon` at `delta`.

        Features lie between `low` and `high` (what is outside counts as the end), one number for all or
        one for each: each channel of an image, each number of a row. All examples are read. A training
        of this engine keeps to its target together with this.
        """
        examples = length_of(dataset)
        features = len(features_of(dataset[0]))
        ranges = FeatureRanges.of(low, high, features)
        once = _native.Plan(examples, "1", 1, "1", 1.0, "flat").calibrated_to(epsilon, delta, [])
        noise, rate = once.law
        plan = _native.MeansPlan(examples, rate, 1, 2 * features, noise)
        account = self.payer.open([(noise, rate, 1)], delta)
        means = account.begin_means(plan, "constants to normalize features by")
        self.accountant.begin(noise, rate).steps = 1
        mean, std = ranges.constants(tell_constants(means, dataset, ranges))
        return Normalization(
            mean=mean,
            std=std,
            noise=(plan.standard_deviation * ranges.half).tolist(),
            epsilon=_native.epsilon([(noise, rate, 1)], delta),
            delta=delta,
            account=account.name,
        )

    def get_epsilon(self, delta: float) -> float:
        """Of all that this engine has done so far."""
        return self.accountant.get_epsilon(delta)

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
        if self._account is None:
            raise InputError("nothing was made private yet", "account")
        return self._account.name

    def is_compatible(self, *, module: nn.Module, optimizer: object = None, data_loader: object = None) -> bool:
        """Whether nothing in the model mixes examples."""
        return ModuleValidator.is_valid(module)

    def validate(self, *, module: nn.Module, optimizer: object = None, data_loader: object = None) -> None:
        """Raises what in the model mixes examples."""
        ModuleValidator.validate(module, strict=True)

    @classmethod
    def get_compatible_module(cls, module: nn.Module) -> nn.Module:
        """A copy that mixes none."""
        return ModuleValidator.fix_and_validate(module)

    def save_checkpoint(
        self,
        *,
        path: str | os.PathLike[str] | IO[bytes],
        module: nn.Module,
        optimizer: torch.optim.Optimizer | None = None,
        checkpoint_dict: dict[str, Any] | None = None,
        module_state_dict_kwargs: dict[str, Any] | None = None,
        torch_save_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Model, optimizer and what was spent. Never a key of noise or of sampling: whoever goes on
        draws anew."""
        checkpoint = dict(checkpoint_dict or {})
        checkpoint["module_state_dict"] = module.state_dict(**(module_state_dict_kwargs or {}))
        checkpoint["privacy_accountant_state_dict"] = self.accountant.state_dict()
        if optimizer is not None:
            checkpoint["optimizer_state_dict"] = optimizer.state_dict()
        torch.save(checkpoint, path, **(torch_save_kwargs or {}))

    def load_checkpoint(
        self,
        *,
        path: str | os.PathLike[str] | IO[bytes],
        module: nn.Module,
        optimizer: torch.optim.Optimizer | None = None,
        module_load_dict_kwargs: dict[str, Any] | None = None,
        torch_load_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Read them back; what was spent is added to what this engine knows of, and epsilon is of both.
        Steps that are paid for and were not taken do not come back: they are paid for anew."""
        checkpoint: dict[str, Any] = torch.load(path, **(torch_load_kwargs or {}))
        module.load_state_dict(checkpoint["module_state_dict"], **(module_load_dict_kwargs or {}))
        self.accountant.load_state_dict(checkpoint["privacy_accountant_state_dict"])
        state = checkpoint.pop("optimizer_state_dict", None)
        if optimizer is not None and state is not None:
            optimizer.load_state_dict(state)
        elif (optimizer is None) != (state is None):
            warnings.warn("the state of an optimizer is only in the checkpoint or only asked for", stacklevel=2)
        return checkpoint

    def begin(
        self, training: PlannedTraining, account: _native.Account, *, may_begin_again: bool
    ) -> tuple[PrivateModule, PrivateOptimizer, PrivateLoader]:
        """What a loop needs, private; charged now, unless it may begin again and again."""

        def begin() -> _native.Run:
            return account.begin(training.plan, training.parameters, training.note)

        run = None if may_begin_again else begin()
        more = begin if may_begin_again else None
        steps = Steps(more, self.accountant.begin(*training.plan.law), training.losses, run=run)
        return self._wrap(training, account, steps)

    def begin_or_resume(
        self, training: PlannedTraining, account: _native.Account, folder: _native.RunFolder
    ) -> tuple[PrivateModule, PrivateOptimizer, PrivateLoader]:
        """The same of a run that outlives its process; what the ledger counted before is taken."""
        run = account.begin_or_resume(training.plan, training.parameters, folder, training.note)
        taken = self.accountant.begin(*training.plan.law)
        taken.steps = run.position
        return self._wrap(training, account, Steps(None, taken, training.losses, run=run))

    def begin_with_readings(
        self, training: PlannedTraining, account: _native.Account, asked: NoisyLoss
    ) -> tuple[tuple[PrivateModule, PrivateOptimizer, PrivateLoader], LossReadings]:
        """The same with noisy losses, told as the training goes on; all is charged now."""
        plan = training.plan
        run, means = account.begin_with_means(plan, training.parameters, asked.plan(plan), training.note)
        noise, rate, times = asked.law(plan)
        self.accountant.begin(noise, rate).steps = times
        steps = Steps(None, self.accountant.begin(*plan.law), training.losses, run=run)
        return self._wrap(training, account, steps), LossReadings(asked, means, plan.steps)

    def _wrap(
        self, training: PlannedTraining, account: _native.Account, steps: Steps
    ) -> tuple[PrivateModule, PrivateOptimizer, PrivateLoader]:
        self._plan, self._steps, self._account = training.plan, steps, account
        loop = training.loop
        optimizer = PrivateOptimizer(loop.optimizer, steps, training.plan)
        return PrivateModule(loop.module, steps), optimizer, PrivateLoader(loop.loader, steps, optimizer)


def _with_criterion(
    private: tuple[PrivateModule, PrivateOptimizer, PrivateLoader], criterion: Any
) -> tuple[PrivateModule, PrivateOptimizer, Any, PrivateLoader]:
    """Any loss will do as it is."""
    module, optimizer, loader = private
    return module, optimizer, nn.CrossEntropyLoss() if criterion is None else criterion, loader

"""Makes a training loop private."""

from __future__ import annotations

import json
import os
import pickle
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, Unpack, overload

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from tacit.errors import BudgetExceeded, InputError
from tacit.torch import _native
from tacit.torch.accountants import create_accountant, history_of, laws_of
from tacit.torch.accounts import Payer
from tacit.torch.checks import check_options, length_of
from tacit.torch.data_loader import PrivateLoader
from tacit.torch.loop_rehearsal import LoopRehearsal
from tacit.torch.means import FeatureRanges, LossReadings, NoisyLoss, Normalization, features_of, tell_constants
from tacit.torch.module import PrivateModule
from tacit.torch.optimizer import PrivateOptimizer
from tacit.torch.options import LoopOptions, LossOptions, check_names
from tacit.torch.planned_training import Loop, PlannedTraining
from tacit.torch.runs import PaidRun, Runs, RunsByEpochs
from tacit.torch.schedulers import Scheduler
from tacit.torch.steps import Losses, Steps
from tacit.torch.validators import ModuleValidator

Private: TypeAlias = tuple[PrivateModule, PrivateOptimizer, PrivateLoader]
Three: TypeAlias = Literal["hooks", "functorch", "ew"]
"""The modes in which three things come back; "ghost" gives the criterion back too."""


class PrivacyEngine:
    """What Opacus' engine of this name does, paid for in a ledger.

    workspace and account ("DATASET" or "DATASET/ANALYST") say which account pays. Without them each
    training gets an account of its own in a ledger of yours, and its place is said. `accountant` and
    `secure_mode` are taken and change nothing: whatever the name, epsilon comes from privacy loss
    distributions, and noise is always drawn exactly from a generator that the system keys.
    """

    def __init__(
        self,
        *,
        accountant: str = "prv",
        secure_mode: bool = True,
        workspace: str | os.PathLike[str] | None = None,
        account: str | None = None,
    ) -> None:
        self.accountant = create_accountant(accountant)
        self.secure_mode = True
        self.payer = Payer(workspace, account)
        self._steps: Steps | None = None
        self._training: PlannedTraining | None = None
        self._readings: LossReadings | None = None
        self._account: _native.Account | None = None
        self._delta = 1e-5

    @overload
    def make_private(
        self,
        *,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        data_loader: DataLoader[Any] | PrivateLoader,
        noise_multiplier: float,
        max_grad_norm: float | Sequence[float],
        delta: float = ...,
        max_epochs: int = ...,
        grad_sample_mode: Three = ...,
        **options: Unpack[LossOptions],
    ) -> Private: ...
    @overload
    def make_private(self, *, grad_sample_mode: str, **others: Any) -> Any: ...
    def make_private(  # type: ignore[misc]  # the second form leaves arguments unchecked
        self,
        *,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        data_loader: DataLoader[Any] | PrivateLoader,
        noise_multiplier: float,
        max_grad_norm: float | Sequence[float],
        delta: float = 1e-5,
        max_epochs: int = 100,
        grad_sample_mode: str = "hooks",
        **options: Unpack[LossOptions],
    ) -> Any:
        """Model, optimizer and loader, private: each epoch is charged when its first batch is drawn.

        Without a workspace the account is opened for `max_epochs`, at `delta`. The loss must be a mean
        (or sum, as loss_reduction says) of what each example gives by itself. What else can be asked for
        is in tacit.torch.options. `grad_sample_mode` changes nothing but that "ghost" gives the
        criterion back too, before the loader, as Opacus does. `rand_on_empty` is taken and changes
        nothing: the loop does not see empty batches.
        """
        check_names(options, LossOptions, "make_private")
        how = LoopOptions(**options, grad_sample_mode=grad_sample_mode)
        training = self._planned(
            Loop.of(module, optimizer, data_loader),
            how,
            epochs=max_epochs,
            delta=delta,
            noise_multiplier=repr(float(noise_multiplier)),
            max_grad_norm=max_grad_norm,
        )
        rehearsal = _rehearsed(training, how)
        account = self.payer.open(training.history, delta, enough_for=f", for {max_epochs} epochs (max_epochs)")
        runs = self._runs_by_epochs(training, account, max_epochs)
        return _with_criterion(self._wrap(training, account, runs, delta, try_memory=rehearsal.try_memory), how)

    @overload
    def make_private_with_epsilon(
        self,
        *,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        data_loader: DataLoader[Any] | PrivateLoader,
        target_epsilon: float,
        target_delta: float,
        epochs: int,
        max_grad_norm: float | Sequence[float],
        grad_sample_mode: Three = ...,
        **options: Unpack[LossOptions],
    ) -> Private: ...
    @overload
    def make_private_with_epsilon(self, *, grad_sample_mode: str, **others: Any) -> Any: ...
    def make_private_with_epsilon(  # type: ignore[misc]  # the second form leaves arguments unchecked
        self,
        *,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        data_loader: DataLoader[Any] | PrivateLoader,
        target_epsilon: float,
        target_delta: float,
        epochs: int,
        max_grad_norm: float | Sequence[float],
        grad_sample_mode: str = "hooks",
        **options: Unpack[LossOptions],
    ) -> Any:
        """The same with the least noise that keeps `epochs` to the target, together with all that this
        engine did before; all are charged when the first batch is drawn."""
        check_names(options, LossOptions, "make_private_with_epsilon")
        how = LoopOptions(**options, grad_sample_mode=grad_sample_mode)
        some_noise = self._planned(
            Loop.of(module, optimizer, data_loader),
            how,
            epochs=epochs,
            delta=target_delta,
            noise_multiplier="1",
            max_grad_norm=max_grad_norm,
        )
        training = some_noise.calibrated_to(target_epsilon, target_delta, self.accountant.exact_history)
        rehearsal = _rehearsed(training, how)
        account = self.payer.open(training.history, target_delta)
        account.check_room(training.plan)
        runs = PaidRun(
            account,
            lambda: account.begin(training.plan, training.parameters, training.note),
            training.plan,
            self.accountant.begin(),
            training.schedules,
        )
        return _with_criterion(self._wrap(training, account, runs, target_delta, try_memory=rehearsal.try_memory), how)

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
        self.accountant.check_neighbours(once.neighbours)
        plan = _native.MeansPlan(examples, "1", 1, 2 * features, once.noise_text)
        laws = laws_of(plan)
        account = self.payer.open(history_of(laws), delta)
        means = account.begin_means(plan, "constants to normalize features by")
        self.accountant.did(laws, means.entry)
        mean, std = ranges.constants(tell_constants(means, dataset, ranges))
        return Normalization(
            mean=mean,
            std=std,
            noise=(plan.standard_deviation * ranges.half).tolist(),
            epsilon=_native.epsilon(history_of(laws), delta),
            delta=delta,
            account=account.name,
        )

    def get_epsilon(self, delta: float) -> float:
        """Of all that this engine has done so far, had it been fixed beforehand: docs/python.md."""
        return self.accountant.get_epsilon(delta)

    @property
    def noise_multiplier(self) -> float:
        """Of the training that was made private last."""
        if self._training is None:
            raise InputError("nothing was made private yet", "noise_multiplier")
        return self._training.plan.noise_multiplier

    @property
    def run(self) -> _native.Run:
        """Of that training, the run that was begun last."""
        if self._steps is None or not self._steps.runs.done:
            raise InputError("no step was paid for yet", "run", "draw a batch first")
        return self._steps.runs.done[-1]

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

    def certificate(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """What was proved of the model of that training, for whoever holds it: docs/certificate.md says
        what it holds. It covers all that this engine did, whatever get_epsilon counts: earlier trainings,
        those of a checkpoint, constants to normalize by, noisy losses; each as it was paid for. It says
        nothing of examples. Written to `path` where one is given."""
        account, training, steps = self._account, self._training, self._steps
        if account is None or training is None or steps is None:
            raise InputError("nothing was made private yet", "certificate")
        run, readings = self.run, self._readings
        with_it = readings is not None and readings.means.entry == run.entry
        covered = [entry for entry in self.accountant.entries if entry != run.entry]
        # How earlier trainings were done is not remembered: they may rest on all that is assumed.
        known = {each.entry for each in steps.runs.done} | ({readings.means.entry} if readings is not None else set())
        has_earlier = not known.issuperset(covered)
        text = account.certificate(
            run,
            self._delta,
            any(parameter.dtype != torch.float64 for parameter in training.parameters),
            has_earlier or readings is not None,
            training.facts,
            readings.plan if readings is not None and with_it else None,
            covered,
        )
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        proved: dict[str, Any] = json.loads(text)
        return proved

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
        noise_scheduler: Scheduler | None = None,
        grad_clip_scheduler: Scheduler | None = None,
        checkpoint_dict: dict[str, Any] | None = None,
        module_state_dict_kwargs: dict[str, Any] | None = None,
        torch_save_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Model, optimizer, schedulers and what was spent. Never a key of noise or of sampling: whoever goes on
        draws anew."""
        checkpoint = dict(checkpoint_dict or {})
        checkpoint["module_state_dict"] = module.state_dict(**(module_state_dict_kwargs or {}))
        checkpoint["privacy_accountant_state_dict"] = self.accountant.state_dict()
        if optimizer is not None:
            checkpoint["optimizer_state_dict"] = optimizer.state_dict()
        for name, scheduler in _named(noise_scheduler, grad_clip_scheduler):
            checkpoint[name] = scheduler.state_dict()
        torch.save(checkpoint, path, **(torch_save_kwargs or {}))

    def load_checkpoint(
        self,
        *,
        path: str | os.PathLike[str] | IO[bytes],
        module: nn.Module,
        optimizer: torch.optim.Optimizer | None = None,
        noise_scheduler: Scheduler | None = None,
        grad_clip_scheduler: Scheduler | None = None,
        module_load_dict_kwargs: dict[str, Any] | None = None,
        torch_load_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Read them back; what was spent is added to what this engine knows of, and epsilon is of both.
        Steps that are paid for and were not taken do not come back: they are paid for anew."""
        checkpoint = _loaded(path, torch_load_kwargs or {})
        module.load_state_dict(checkpoint["module_state_dict"], **(module_load_dict_kwargs or {}))
        self.accountant.load_state_dict(checkpoint["privacy_accountant_state_dict"])
        state = checkpoint.pop("optimizer_state_dict", None)
        if optimizer is not None and state is not None:
            optimizer.load_state_dict(state)
        elif (optimizer is None) != (state is None):
            warnings.warn("the state of an optimizer is only in the checkpoint or only asked for", stacklevel=2)
        for name, scheduler in _named(noise_scheduler, grad_clip_scheduler):
            if name in checkpoint:
                scheduler.load_state_dict(checkpoint.pop(name))
        return checkpoint

    def _runs_by_epochs(self, training: PlannedTraining, account: _native.Account, max_epochs: int) -> RunsByEpochs:
        """Charged an epoch at a time."""

        def begin(plan: _native.Plan) -> _native.Run:
            try:
                return account.begin(plan, training.parameters, training.note)
            except BudgetExceeded as refused:
                if self.payer.workspace is not None:
                    raise
                raise BudgetExceeded(
                    f"the account of this training was opened for {max_epochs} epochs, with the noise it began with",
                    account.name,
                    f"say beforehand how many it will be: make_private(..., max_epochs={2 * max_epochs})",
                ) from refused

        return RunsByEpochs(begin, training.of_epoch, self.accountant.begin(), training.schedules)

    def begin(
        self,
        training: PlannedTraining,
        account: _native.Account,
        delta: float,
        *,
        folder: _native.RunFolder | None = None,
        noisy_loss: NoisyLoss | None = None,
    ) -> tuple[Private, LossReadings | None]:
        """What a loop needs, private, after it was rehearsed; all of it charged now. Of a `folder` it
        outlives its process, and what the ledger counted before is taken. With noisy losses, told as the
        training goes on."""
        plan, parameters, note = training.plan, training.parameters, training.note
        readings = None
        if noisy_loss is None:
            run = (
                account.begin(plan, parameters, note)
                if folder is None
                else account.begin_or_resume(plan, parameters, folder, note)
            )
        else:
            of_means = noisy_loss.plan(plan)
            run, means = (
                account.begin_with_means(plan, parameters, of_means, note)
                if folder is None
                else account.begin_or_resume_with_means(plan, parameters, of_means, folder, note)
            )
            self.accountant.did(laws_of(of_means), means.entry)
            readings = LossReadings(noisy_loss, of_means, means, plan.steps)
        runs = PaidRun(account, lambda: run, plan, self.accountant.begin(), training.schedules)
        runs.with_a_step_left()
        return self._wrap(training, account, runs, delta, readings=readings), readings

    def _planned(self, loop: Loop, options: LoopOptions, **numbers: Any) -> PlannedTraining:
        """Refuses, by name, what cannot be private or has no meaning."""
        check_options(options)
        losses = Losses(options.get("loss_reduction", "mean") == "mean", options.get("batch_first", True))
        training = PlannedTraining.of(loop, losses, options=options, **numbers)
        self.accountant.check_neighbours(training.plan.neighbours)
        return training

    def _wrap(
        self,
        training: PlannedTraining,
        account: _native.Account,
        runs: Runs,
        delta: float,
        *,
        readings: LossReadings | None = None,
        try_memory: Callable[[int | None], None] = lambda most_rows: None,
    ) -> Private:
        steps = Steps(runs, training.losses, try_memory)
        self._training, self._steps, self._account, self._delta = training, steps, account, delta
        self._readings = readings
        loop = training.loop
        optimizer = PrivateOptimizer(loop.optimizer, steps, training.parameters)
        return PrivateModule(loop.module, steps), optimizer, PrivateLoader(loop.loader, steps, optimizer)


def _rehearsed(training: PlannedTraining, options: LoopOptions) -> LoopRehearsal:
    """As far as it can be before the size of parts is known."""
    loop = training.loop
    rehearsal = LoopRehearsal(loop.module, loop.loader, training.plan, training.losses, options.get("criterion"))
    rehearsal.try_few()
    return rehearsal


def _with_criterion(private: Private, options: LoopOptions) -> Any:
    """Any loss will do as it is."""
    if options.get("grad_sample_mode") != "ghost":
        return private
    module, optimizer, loader = private
    criterion = options.get("criterion")
    return module, optimizer, nn.CrossEntropyLoss() if criterion is None else criterion, loader


def _named(noise: Scheduler | None, clip: Scheduler | None) -> list[tuple[str, Scheduler]]:
    """The schedulers that there are, by their names in a checkpoint."""
    both = {"noise_scheduler_state_dict": noise, "grad_clip_scheduler_state_dict": clip}
    return [(name, scheduler) for name, scheduler in both.items() if scheduler is not None]


def _loaded(path: str | os.PathLike[str] | IO[bytes], how: dict[str, Any]) -> dict[str, Any]:
    try:
        checkpoint: dict[str, Any] = torch.load(path, **how)
    except pickle.UnpicklingError as refused:
        if not how.get("weights_only", True):
            raise
        raise InputError(
            "PyTorch reads nothing but tensors and plain values, unless it is told that the file can be trusted",
            "load_checkpoint",
            'where it can, give torch_load_kwargs={"weights_only": False}: reading it may run any code',
        ) from refused
    return checkpoint

"""An optimizer that steps with clipped and noisy gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from tacit.errors import InputError
from tacit.torch.accountants import TakenSteps
from tacit.torch.by_hand import made_by_engine
from tacit.torch.steps import Steps


class PrivateOptimizer(torch.optim.Optimizer):
    """The optimizer, which it wraps: state and groups of parameters are the other's."""

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        steps: Steps | None = None,
        trained: Iterable[torch.Tensor] = (),
        **by_hand: Any,
    ) -> None:
        """`trained`: the parameters whose gradients get noise."""
        if steps is None:
            raise made_by_engine("DPOptimizer")
        # The base class is for those who ask what it is; it holds nothing.
        self.original_optimizer = optimizer
        self._steps = steps
        self._trained = {id(parameter) for parameter in trained}
        self._hooks: list[Callable[[PrivateOptimizer], None]] = []
        self._after: list[Callable[[], None]] = []

    @property
    def noise_multiplier(self) -> float:
        """Of the next step, or of the one under way. Schedulers may set it, where what is paid for lets
        them (tacit.torch.schedulers)."""
        return self._steps.runs.noise_multiplier

    @noise_multiplier.setter
    def noise_multiplier(self, value: float) -> None:
        self._steps.runs.change("noise", value)

    @property
    def max_grad_norm(self) -> float:
        """The bound of the next step, or of the one under way. The same of it."""
        return self._steps.runs.max_grad_norm

    @max_grad_norm.setter
    def max_grad_norm(self, value: float) -> None:
        self._steps.runs.change("clip", value)

    @property
    def expected_batch_size(self) -> float:
        """What sums of gradients are divided by."""
        return self._steps.runs.expected_batch_size

    @property
    def taken(self) -> TakenSteps:
        """The steps so far, as an accountant has them."""
        return self._steps.runs.taken

    def check_may_change(self, what: str) -> None:
        """Refuses a scheduler of "noise" or "clip" where all steps are paid for without one."""
        self._steps.runs.check_may_change(what)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # type: ignore[override]
        """Add the batch, or the part of it, that was drawn; step where it was the last part."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        if self._steps.add():
            self._step_with_noise()
        return loss

    def step_without_examples(self) -> None:
        """The step of a batch that drew nobody: noise alone."""
        self._step_with_noise()

    def signal_skip_step(self, do_skip: bool = True) -> None:
        """Refused: which part of a batch is its last one is known here."""
        raise InputError(
            "a step is taken after the last part of a batch, which the loader knows",
            "optimizer.signal_skip_step",
            "cut batches by BatchMemoryManager(data_loader=..., max_physical_batch_size=..., optimizer=...)",
        )

    def attach_step_hook(self, hook: Callable[[PrivateOptimizer], None]) -> None:
        """Call `hook` before each step, when its noisy gradients are in place."""
        self._hooks.append(hook)

    def attach_after_step(self, hook: Callable[[], None]) -> None:
        """Call `hook` after each step, those of empty batches too: WeightAverage.update is such a one."""
        self._after.append(hook)

    def _step_with_noise(self) -> None:
        self._steps.finish()
        for hook in self._hooks:
            hook(self)
        self._refuse_gradients_without_noise()
        self.original_optimizer.step()
        for after in self._after:
            after()

    def _refuse_gradients_without_noise(self) -> None:
        # Parameters may have been unfrozen, or added, since the training was made private.
        for group in self.original_optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None and id(parameter) not in self._trained:
                    raise InputError(
                        f"a parameter of shape {tuple(parameter.shape)} has a gradient to which no noise was added: "
                        "it was frozen, or not there, when the training was made private",
                        "optimizer.step",
                        "call make_private again after unfreezing or adding parameters, or leave it without a gradient",
                    )

    @property
    def _step_supports_amp_scaling(self) -> bool:
        # What a GradScaler asks for before it steps.
        raise InputError(
            "a GradScaler follows overflows of private gradients, of which nothing is proved",
            "optimizer.step",
            "call optimizer.step() itself; bfloat16 needs no scale, and float16 has loss_scale",
        )

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.original_optimizer.zero_grad(set_to_none)

    def state_dict(self) -> dict[str, Any]:
        state: dict[str, Any] = self.original_optimizer.state_dict()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.original_optimizer.load_state_dict(state_dict)

    def __repr__(self) -> str:
        return f"PrivateOptimizer({self.original_optimizer!r})"

    def __getattr__(self, name: str) -> Any:
        if name == "original_optimizer":
            raise AttributeError(name)
        return getattr(self.original_optimizer, name)

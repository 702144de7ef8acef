"""Names and import paths of Opacus': they mean what is here, or say what does."""

from __future__ import annotations

from typing import Any, assert_type

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader
from training_loops import DELTA, network, points, private, to_target, train

import tacit
from tacit.torch import GradSampleModule, PrivacyEngine
from tacit.torch.accountants import (
    Accountant,
    GaussianAccountant,
    IAccountant,
    PRVAccountant,
    RDPAccountant,
    create_accountant,
)
from tacit.torch.accountants.rdp import RDPAccountant as RDPAccountantByPath
from tacit.torch.accountants.utils import get_noise_multiplier
from tacit.torch.data_loader import DPDataLoader
from tacit.torch.distributed import DifferentiallyPrivateDistributedDataParallel as DPDDP
from tacit.torch.grad_sample import register_grad_sampler
from tacit.torch.grad_sample.functorch import make_functional
from tacit.torch.grad_sample.grad_sample_module import GradSampleModule as GradSampleModuleByPath
from tacit.torch.optimizers import DPOptimizer
from tacit.torch.optimizers.optimizer import DPOptimizer as DPOptimizerByPath
from tacit.torch.privacy_engine import PrivacyEngine as PrivacyEngineByPath
from tacit.torch.utils.batch_memory_manager import wrap_data_loader
from tacit.torch.utils.uniform_sampler import UniformWithReplacementSampler

pytestmark = pytest.mark.usefixtures("ledgers")


def test_all_accountants_are_one_and_reckon_by_hand() -> None:
    assert {IAccountant, RDPAccountant, PRVAccountant, GaussianAccountant} == {Accountant}
    accountant = create_accountant("rdp")
    with pytest.raises(tacit.InputError, match="no accountant"):
        PrivacyEngine(accountant="guess")
    noise = get_noise_multiplier(target_epsilon=2.0, target_delta=DELTA, sample_rate=0.1, steps=20)
    for _ in range(20):
        accountant.step(noise_multiplier=noise, sample_rate=0.1)
    [(told, rate, steps)] = accountant.history
    assert told == pytest.approx(noise) and (rate, steps) == (0.1, 20) and len(accountant) == 1
    assert 1.98 < accountant.get_epsilon(DELTA) <= 2.0
    accountant.step(noise_multiplier=2 * noise, sample_rate=0.1)
    assert len(accountant) == 2
    other = RDPAccountant()
    other.history = [(noise, 0.1, 20), (2 * noise, 0.1, 1)]
    assert other.get_epsilon(DELTA) == accountant.get_epsilon(DELTA)
    other.history = []
    assert other.get_epsilon(DELTA) == 0 and len(other) == 0
    other.load_state_dict(accountant.state_dict())
    assert other.get_epsilon(DELTA) == accountant.get_epsilon(DELTA)


def test_what_trainings_took_is_not_assigned_away() -> None:
    engine = PrivacyEngine()
    module, optimizer, loader = private(points(), network(), engine)
    train(module, optimizer, loader)
    spent = engine.get_epsilon(DELTA)
    with pytest.raises(tacit.InputError, match="stay taken"):
        engine.accountant.history = []
    engine.accountant.step(noise_multiplier=1.0, sample_rate=0.2)
    assert engine.get_epsilon(DELTA) > spent
    with pytest.raises(tacit.InputError, match="stay taken"):
        engine.accountant.history = []


def test_a_hook_enters_steps_as_they_were_taken() -> None:
    engine, other = PrivacyEngine(), RDPAccountant()
    module, optimizer, loader = to_target(engine, noise_schedule=lambda epoch: 0.5**epoch)
    optimizer.attach_step_hook(other.get_optimizer_hook_fn(sample_rate=0.01))
    optimizer.attach_step_hook(engine.accountant.get_optimizer_hook_fn(sample_rate=0.2))
    train(module, optimizer, loader, epochs=2)
    assert len(other) == 2 and other.history == engine.accountant.history
    assert sum(steps for _, _, steps in other.history) == 10
    fixed, steps, batches = private(points(), network(), PrivacyEngine(), poisson_sampling=False)
    steps.attach_step_hook(other.get_optimizer_hook_fn(sample_rate=0.2))
    with pytest.raises(tacit.InputError, match="does not add up"):
        train(fixed, steps, batches)


def one_epoch(module: GradSampleModule, optimizer: DPOptimizer, loader: DPDataLoader) -> None:
    """With hints as a script for Opacus has them."""
    parts = wrap_data_loader(data_loader=loader, max_batch_size=16, optimizer=optimizer)
    for x, y in parts:
        assert len(x) <= 16
        nn.functional.cross_entropy(module(x), y).backward()
        optimizer.step()


def test_what_is_made_private_is_of_the_kinds_that_users_know() -> None:
    assert RDPAccountantByPath is RDPAccountant and PrivacyEngineByPath is PrivacyEngine
    assert GradSampleModuleByPath is GradSampleModule and DPOptimizerByPath is DPOptimizer

    @register_grad_sampler(nn.Linear)
    def unused(layer: nn.Module, activations: Any, backprops: Any) -> Any:
        raise AssertionError

    engine, model = PrivacyEngine(), network()
    module, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=DataLoader(points(), batch_size=100),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
    )
    # For the reader of types.
    assert_type(module, GradSampleModule)
    assert_type(optimizer, DPOptimizer)
    assert_type(loader, DPDataLoader)
    assert isinstance(module, GradSampleModule) and not isinstance(module, DPDDP)
    assert isinstance(optimizer, DPOptimizer) and isinstance(loader, DPDataLoader)
    one_epoch(module, optimizer, loader)
    assert engine.steps_taken == 5


def test_what_cannot_be_had_says_what_can() -> None:
    model, loader = network(), DataLoader(points(), batch_size=100)
    _, optimizer, _ = private(points(), network(), PrivacyEngine())
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    refused: list[tuple[Any, str]] = [
        (lambda: UniformWithReplacementSampler(num_samples=500, sample_rate=0.2), r"DataLoader\(dataset, batch_size="),
        (lambda: DPDDP(model), "the model itself"),
        (lambda: make_functional(model), "leave grad_sample_mode out"),
        (lambda: optimizer.signal_skip_step(do_skip=True), "BatchMemoryManager"),
        (lambda: GradSampleModule(model), "make_private"),
        (lambda: DPOptimizer(sgd, noise_multiplier=1.0, max_grad_norm=1.0, expected_batch_size=100), "make_private"),
        (lambda: DPDataLoader.from_data_loader(loader), "make_private"),
    ]
    for make, text in refused:
        with pytest.raises(tacit.InputError, match=text):
            make()

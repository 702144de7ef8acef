"""Names and import paths of Opacus': they mean what is here, or say what does."""

from __future__ import annotations

import pytest
from training_loops import DELTA, network, points, private, to_target, train

import tacit
from tacit.torch import PrivacyEngine
from tacit.torch.accountants import (
    Accountant,
    GaussianAccountant,
    IAccountant,
    PRVAccountant,
    RDPAccountant,
    create_accountant,
)
from tacit.torch.accountants.utils import get_noise_multiplier

pytestmark = pytest.mark.usefixtures("ledgers")


def test_all_accountants_are_one_and_reckon_by_hand() -> None:
    assert {IAccountant, RDPAccountant, PRVAccountant, GaussianAccountant} == {Accountant}
    accountant = create_accountant("rdp")
    with pytest.raises(tacit.InputError, match="no accountant"):
        PrivacyEngine(accountant="guess")
    noise = get_noise_multiplier(target_epsilon=2.0, target_delta=DELTA, sample_rate=0.1, steps=20)
    for _ in range(20):
        accountant.step(noise_multiplier=noise, sample_rate=0.1)
    assert accountant.history == [(pytest.approx(noise), 0.1, 20)] and len(accountant) == 1
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

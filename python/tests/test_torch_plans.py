"""Other batches, ways to clip and schedules: what they do, and what is accounted for them."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from training_loops import DELTA, fitted, network, points, private, to_target, train

import tacit
from tacit.torch import NoisyLoss, PrivacyEngine
from tacit.torch.schedulers import (
    ExponentialGradClip,
    ExponentialNoise,
    LambdaGradClip,
    LambdaNoise,
    StepGradClip,
    StepNoise,
)

pytestmark = pytest.mark.usefixtures("ledgers")


def sizes(module: Any, optimizer: Any, loader: Any) -> list[int]:
    out = []
    for x, y in loader:
        nn.functional.cross_entropy(module(x), y).backward()
        optimizer.step()
        out.append(len(x))
    return out


def test_batches_of_a_fixed_size_have_their_own_law() -> None:
    engine = PrivacyEngine()
    module, optimizer, loader = to_target(engine, poisson_sampling=False)
    for _ in range(3):
        assert sizes(module, optimizer, loader) == [100] * 5
    assert 7.9 < engine.get_epsilon(DELTA) <= 8
    guarantee = engine.certificate()["guarantee"]
    assert guarantee["neighbours"] == "replace" and guarantee["accountant"] == "rdp"
    # One example replaced moves the sum by twice the bound, and the mean over 100 of 500 examples is
    # less hidden than by Poisson batches of the same noise.
    poisson = PrivacyEngine()
    to_target(poisson)
    assert engine.noise_multiplier > poisson.noise_multiplier
    # What is about one replaced and what is about one more or less do not add up.
    with pytest.raises(tacit.InputError, match="does not add up"):
        private(points(), network(), engine)
    with pytest.raises(tacit.InputError, match="does not add up"):
        engine.normalization(points(), low=0, high=1, epsilon=1, delta=DELTA)


def test_a_workspace_for_other_neighbours_does_not_pay_for_them(folder: Path) -> None:
    clinic = tacit.open(folder, analyst="ana")
    before = clinic.budget()
    with pytest.raises(tacit.InputError, match="holds for replace neighbours, the dataset is kept for add_remove"):
        to_target(PrivacyEngine(workspace=folder, account="clinic/ana"), poisson_sampling=False)
    assert clinic.budget() == before


def noise_of_one_step(**options: Any) -> float:
    """The standard deviation of a step with one batch of all 50 examples, whose gradients are 0."""
    model = nn.Linear(40, 50, bias=False)
    dataset = TensorDataset(torch.zeros(50, 40), torch.zeros(50).long())
    before = model.weight.detach().clone()
    module, optimizer, loader = private(
        dataset, model, PrivacyEngine(), data_loader=DataLoader(dataset, batch_size=50), **options
    )
    train(module, optimizer, loader)
    return float((model.weight.detach() - before).std())


def test_its_noise_hides_twice_the_bound() -> None:
    # Of 2,000 coordinates: 6.2 standard deviations are a tenth, and a false alarm in 10^9 runs.
    assert noise_of_one_step() == pytest.approx(1 / 50, rel=0.1)
    assert noise_of_one_step(poisson_sampling=False) == pytest.approx(2 / 50, rel=0.1)


def test_larger_batches_may_be_left_empty() -> None:
    engine = PrivacyEngine()
    with pytest.raises(tacit.InputError, match="too likely") as refused:
        to_target(engine, largest_batch=120)
    number = re.search(r"give at least (\d+)", str(refused.value))
    assert number is not None
    least = int(number[1])
    assert 140 < least < 200
    module, optimizer, loader = to_target(engine, largest_batch=least)
    assert all(size <= least for _ in range(3) for size in sizes(module, optimizer, loader))
    assert 7.9 < engine.get_epsilon(DELTA) <= 8
    assert f"truncated at {least}" in engine.certificate()["mechanism"]["sampler"]
    # The delta of its own is small.
    plain = PrivacyEngine()
    to_target(plain)
    assert engine.noise_multiplier == pytest.approx(plain.noise_multiplier, rel=0.01)


def test_a_bound_follows_the_norms() -> None:
    engine = PrivacyEngine()
    module, optimizer, loader = private(
        points(4000),
        network(),
        engine,
        clipping="adaptive",
        max_grad_norm=50.0,
        min_clipbound=0.5,
        max_clipbound=60.0,
        target_unclipped_quantile=0.5,
        clipbound_learning_rate=1.0,
        data_loader=DataLoader(points(4000), batch_size=400),
    )
    assert optimizer.max_grad_norm == 50
    seen = [optimizer.max_grad_norm]
    for _ in range(3):
        train(module, optimizer, loader)
        seen.append(optimizer.max_grad_norm)
    # By a factor of e^-0.5 a step, while all are within: each epoch goes on where the one before ended.
    assert seen[0] > 20 * seen[1] and seen[1] > seen[2] >= 0.5 and seen[3] >= 0.5
    # The votes have a share of the same noise.
    plain = PrivacyEngine()
    loader = DataLoader(points(4000), batch_size=400)
    module, optimizer, loader = private(points(4000), network(), plain, data_loader=loader)
    train(module, optimizer, loader, epochs=3)
    assert engine.get_epsilon(DELTA) == pytest.approx(plain.get_epsilon(DELTA))
    proved = engine.certificate()
    assert "quantile 0.5, rate 1, count noise 40 between 0.5 and 60" in proved["mechanism"]["adaptive clip"]
    assert "assumption C" in str(proved["assumptions"])


def test_automatic_clipping_takes_all_gradients_alike() -> None:
    # One example with a tiny gradient: it is stretched to the bound, flat clipping leaves it.
    dataset = TensorDataset(torch.full((200, 4), 1e-1), torch.zeros(200).long())

    def moved(clipping: str) -> float:
        model = nn.Linear(4, 2, bias=False)
        nn.init.zeros_(model.weight)
        train(
            *private(
                dataset,
                model,
                PrivacyEngine(),
                clipping=clipping,
                noise_multiplier=1 / 16,
                data_loader=DataLoader(dataset, batch_size=200),
            )
        )
        return float(model.weight.detach().norm())

    assert moved("automatic") > 0.85 and moved("flat") < 0.2


def test_noise_that_was_declared_changes_by_epoch_and_is_accounted_as_it_was() -> None:
    engine = PrivacyEngine()
    module, optimizer, loader = to_target(engine, noise_schedule=lambda epoch: 0.5**epoch)
    first = optimizer.noise_multiplier
    scheduler = ExponentialNoise(optimizer, gamma=0.5)
    for epoch in range(3):
        assert optimizer.noise_multiplier == pytest.approx(first * 0.5**epoch)
        train(module, optimizer, loader)
        scheduler.step()
    assert [(rate, steps) for _, rate, steps in engine.accountant.history] == [(0.2, 5)] * 3
    assert [noise for noise, _, _ in engine.accountant.history] == pytest.approx([first, first / 2, first / 4])
    assert 7.9 < engine.get_epsilon(DELTA) <= 8
    assert "noise schedule" in engine.certificate()["mechanism"]


def test_a_scheduler_that_was_not_declared_is_refused_where_all_is_paid_for() -> None:
    _, optimizer, _ = to_target(PrivacyEngine())
    with pytest.raises(tacit.InputError, match=r"noise_schedule=lambda epoch: 0\.99\*\*epoch"):
        ExponentialNoise(optimizer, gamma=0.9)
    with pytest.raises(tacit.InputError, match="clip_schedule"):
        ExponentialGradClip(optimizer, gamma=0.9)
    module, optimizer, loader = to_target(PrivacyEngine(), noise_schedule=lambda epoch: 0.5**epoch)
    other = ExponentialNoise(optimizer, gamma=0.9)
    train(module, optimizer, loader)
    with pytest.raises(tacit.InputError, match="as was declared and paid for"):
        other.step()
    with pytest.raises(tacit.InputError, match="adds no noise"):
        StepNoise(torch.optim.SGD(network().parameters(), lr=1), step_size=1, gamma=0.5)  # type: ignore[arg-type]


def test_epochs_that_are_paid_for_one_by_one_follow_schedulers() -> None:
    engine = PrivacyEngine()
    module, optimizer, loader = private(points(), network(), engine, noise_multiplier=4.0)
    noise = StepNoise(optimizer, step_size=2, gamma=0.5)
    clip = LambdaGradClip(optimizer, scheduler_function=lambda epoch: 1 / (1 + epoch))
    bounds = []
    for epoch in range(4):
        bounds.append(optimizer.max_grad_norm)
        for place, (x, y) in enumerate(loader):
            if place == 1:
                with pytest.raises(tacit.InputError, match="after an epoch"):
                    optimizer.noise_multiplier = 1.0
            nn.functional.cross_entropy(module(x), y).backward()
            optimizer.step()
        noise.step()
        clip.step()
    assert bounds == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert engine.accountant.history == [(4.0, 0.2, 10), (2.0, 0.2, 10)]
    state = noise.state_dict()
    assert state["last_epoch"] == 4 and "optimizer" not in state
    noise.load_state_dict(state)
    with pytest.raises(tacit.TacitError):
        optimizer.noise_multiplier = -1.0


def test_a_bound_that_is_scheduled_clips_to_it() -> None:
    # The mean of 400 like gradients is the bound's length, and noise is a hundredth of it.
    dataset = TensorDataset(torch.ones(400, 4), torch.zeros(400).long())
    model = nn.Linear(4, 2, bias=False)
    module, optimizer, loader = private(
        dataset,
        model,
        PrivacyEngine(),
        noise_multiplier=1.0,
        max_grad_norm=0.1,
        data_loader=DataLoader(dataset, batch_size=400),
        clip_schedule=lambda epoch: [1.0, 0.5, 2.0][epoch],
        max_epochs=3,
    )
    LambdaNoise(optimizer, noise_lambda=lambda epoch: 1.0)
    StepGradClip(optimizer, step_size=5, gamma=0.5)
    for factor in (1.0, 0.5, 2.0):
        assert optimizer.max_grad_norm == pytest.approx(0.1 * factor)
        before = model.weight.detach().clone()
        train(module, optimizer, loader)
        # Eight coordinates: their noise is 0.1 factor / 400 each, and 10 deviations of it are 7%.
        assert float((model.weight.detach() - before).norm()) == pytest.approx(0.1 * factor, rel=0.08)


def test_a_rate_may_be_scheduled() -> None:
    engine = PrivacyEngine()
    module, optimizer, loader = to_target(engine, rate_schedule=lambda epoch: [0.5, 1, 2][epoch])
    seen = [sum(sizes(module, optimizer, loader)) / 5 for _ in range(3)]
    assert [rate for _, rate, _ in engine.accountant.history] == pytest.approx([0.1, 0.2, 0.4])
    # Means of 5 binomial numbers around 50, 100 and 200, at 8 standard deviations.
    assert all(abs(mean - size) < 8 * math.sqrt(size / 5) for mean, size in zip(seen, (50, 100, 200), strict=True))
    assert 7.9 < engine.get_epsilon(DELTA) <= 8


def test_one_call_takes_the_same_options() -> None:
    model, dataset = network(), points(2000)
    told = fitted(
        model,
        dataset,
        epochs=3,
        clip=4.0,
        clipping="adaptive",
        poisson_sampling=False,
        noise_schedule=lambda epoch: 1 - epoch / 10,
    )
    x, y = dataset.tensors
    assert (model(x).argmax(1) == y).float().mean() > 0.8 and 7.9 < told.epsilon <= 8
    assert {"noise schedule", "adaptive clip"} <= set(told.certificate["mechanism"])


def test_what_has_no_meaning_is_refused_before_anything_is_charged(ledgers: Path) -> None:
    for options, text in [
        ({"largest_batch": 90}, "above the expected one"),
        ({"largest_batch": 0}, "at least one example"),
        ({"largest_batch": 200, "poisson_sampling": False}, "never larger"),
        ({"clipping": "adaptive", "target_unclipped_quantile": 1.5}, "quantile"),
        ({"clipping": "adaptive", "min_clipbound": 2.0}, "begins beyond"),
        ({"clipping": "adaptive", "unclipped_num_std": 0.01}, "more noise"),
        ({"clipping": "adaptive", "clip_schedule": lambda epoch: 1 / (1 + epoch)}, "has no schedule"),
        ({"unclipped_num_std": 10.0}, 'clipping="adaptive"'),
        ({"noise_schedule": lambda epoch: -1.0}, "factor of epoch 0"),
        ({"noise_schedule": lambda epoch: 1e-9**epoch}, "noise"),
        ({"rate_schedule": lambda epoch: 10.0}, "rate"),
        ({"noise_schedule": lambda epoch: 1 / (1 + epoch), "max_epochs": 1000}, "256"),
        ({"max_epochs": 0}, "at least one epoch"),
    ]:
        with pytest.raises(tacit.InputError, match=re.escape(text)):
            private(points(), network(), PrivacyEngine(), **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'poison'"):
        private(points(), network(), PrivacyEngine(), poison=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'poison'"):
        to_target(PrivacyEngine(), poison=True)
    with pytest.raises(tacit.InputError, match="does not add up"):
        fitted(network(), points(), poisson_sampling=False, noisy_loss=NoisyLoss(bound=1, deviation=1))
    assert not ledgers.exists()

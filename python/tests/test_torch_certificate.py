"""What a model that was trained in private comes with: its certificate, and averaged weights."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from training_loops import DELTA, fitted, network, points, private, to_target, train

import tacit
from tacit.torch import NoisyLoss, PrivacyEngine, WeightAverage

pytestmark = pytest.mark.usefixtures("ledgers")


def test_an_engine_certifies_all_epochs_that_were_paid_for(tmp_path: Path) -> None:
    engine = PrivacyEngine()
    with pytest.raises(tacit.InputError, match="nothing was made private"):
        engine.certificate()
    module, optimizer, loader = private(points(), network(), engine)
    with pytest.raises(tacit.InputError, match="draw a batch first"):
        engine.certificate()
    train(module, optimizer, loader)
    one = engine.certificate()
    assert one["covered"] == [] and float(one["guarantee"]["epsilon"]) == pytest.approx(
        engine.get_epsilon(DELTA), abs=2e-6
    )
    train(module, optimizer, loader, epochs=2)
    file = tmp_path / "certificate.json"
    proved = engine.certificate(file)
    assert json.loads(file.read_text()) == proved
    assert proved["tacit"] == tacit.__version__ and proved["dataset"] == engine.account
    assert proved["mechanism"]["clip"] == "flat 1" and proved["mechanism"]["steps"] == "5"
    assert proved["training"] == {"model": "Sequential", "parameters": "114", "optimizer": "SGD"}
    # Of all three epochs, each with an entry of its own.
    assert float(proved["guarantee"]["epsilon"]) == pytest.approx(engine.get_epsilon(DELTA), abs=2e-6)
    entries = [each["ledger"]["entry"] for each in proved["covered"]] + [proved["ledger"]["entry"]]
    assert len(set(entries)) == 3 and entries == sorted(entries)
    assert "assumption A" in str(proved["assumptions"])


def proved_epsilon(engine: PrivacyEngine) -> float:
    return float(engine.certificate()["guarantee"]["epsilon"])


def test_a_certificate_covers_whatever_the_engine_did() -> None:
    engine, model, dataset = PrivacyEngine(), network(), points()
    engine.normalization(dataset, low=-4, high=4, epsilon=1, delta=DELTA)
    module, optimizer, loader = private(dataset, model, engine)
    train(module, optimizer, loader)
    # What is private already goes on in another training.
    module, optimizer, loader = private(dataset, module, engine, optimizer=optimizer, data_loader=loader)
    train(module, optimizer, loader)
    assert proved_epsilon(engine) == pytest.approx(engine.get_epsilon(DELTA), abs=2e-6)
    notes = [each["ledger"]["note"] for each in engine.certificate()["covered"]]
    assert notes == ["constants to normalize features by", "private training of a Sequential"]
    # An engine that goes on from its checkpoint answers for all of it.
    file = io.BytesIO()
    engine.save_checkpoint(path=file, module=module)
    another, fresh = PrivacyEngine(), network()
    module, optimizer, loader = private(dataset, fresh, another)
    file.seek(0)
    another.load_checkpoint(path=file, module=module)
    train(module, optimizer, loader)
    assert len(another.certificate()["covered"]) == 3
    assert proved_epsilon(another) == pytest.approx(another.get_epsilon(DELTA), abs=2e-6)


def test_a_training_that_took_no_step_is_left_out() -> None:
    engine = PrivacyEngine()
    to_target(engine)
    module, optimizer, loader = to_target(engine)
    train(module, optimizer, loader, epochs=3)
    assert proved_epsilon(engine) == pytest.approx(engine.get_epsilon(DELTA), abs=2e-6)


def test_what_was_loaded_without_entries_is_not_certified() -> None:
    engine = PrivacyEngine()
    train(*private(points(), network(), engine))
    engine.accountant.load_state_dict({"history": [(1.0, 0.2, 5)], "mechanism": "prv"})
    with pytest.raises(tacit.InputError, match="would leave it out"):
        engine.certificate()
    assert engine.get_epsilon(DELTA) > 0


def test_in_double_precision_less_is_assumed() -> None:
    engine = PrivacyEngine()
    dataset = points()
    dataset.tensors = (dataset.tensors[0].double(), dataset.tensors[1])
    train(*private(dataset, network().double(), engine))
    assumed = str(engine.certificate()["assumptions"])
    assert "one example at a time" in assumed and "single precision" not in assumed


def test_noisy_losses_are_covered() -> None:
    plain = fitted(network(), points(2000)).certificate
    told = fitted(network(), points(2000), noisy_loss=NoisyLoss(bound=5.0, deviation=0.1, times=4))
    proved = told.certificate
    assert plain["covered"] == [] and len(proved["covered"]) == 1
    assert "assumption B" in str(proved["assumptions"]) and "assumption B" not in str(plain["assumptions"])
    assert float(proved["guarantee"]["epsilon"]) == pytest.approx(told.epsilon, abs=2e-6)
    assert 7.9 < told.epsilon <= 8


def test_noisy_losses_with_an_entry_of_their_own_are_covered(tmp_path: Path) -> None:
    asked = NoisyLoss(bound=5.0, deviation=0.1, times=4)
    proved = fitted(network(), points(2000), noisy_loss=asked, checkpoint=tmp_path / "run").certificate
    assert len(proved["covered"]) == 1 and "ledger" in proved["covered"][0]
    assert "assumption B" in str(proved["assumptions"])


def test_weights_are_averaged_over_steps() -> None:
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    average = WeightAverage(model, decay=0.5)
    expected = 0.0
    for step in range(20):
        with torch.no_grad():
            model.weight.fill_(float(step))
        average.update()
        kept = min(0.5, (1 + step) / (10 + step))
        expected = kept * expected + (1 - kept) * step
    with average:
        assert float(model.weight.detach()) == pytest.approx(expected, rel=1e-5)
    assert float(model.weight.detach()) == 19
    other = WeightAverage(nn.Linear(1, 1, bias=False), decay=0.5)
    other.load_state_dict(average.state_dict())
    assert float(other.state_dict()["averages"][0]) == pytest.approx(expected, rel=1e-5)
    with pytest.raises(tacit.InputError, match="another model"):
        WeightAverage(nn.Linear(2, 1), decay=0.5).load_state_dict(average.state_dict())
    with pytest.raises(tacit.InputError, match="decay"):
        WeightAverage(model, decay=1.0)


def test_one_call_leaves_the_average_in_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    updates = 0
    last: list[Any] = []
    update, swap = WeightAverage.update, WeightAverage.swap

    def counted(average: WeightAverage) -> None:
        nonlocal updates
        updates += 1
        update(average)

    def kept(average: WeightAverage) -> None:
        last.append(model[0].weight.detach().clone())
        swap(average)

    monkeypatch.setattr(WeightAverage, "update", counted)
    monkeypatch.setattr(WeightAverage, "swap", kept)
    model = network()
    told = fitted(model, points(2000), weight_average=0.9)
    assert updates == told.steps == 20 and len(last) == 1
    assert not torch.equal(model[0].weight.detach(), last[0])
    with pytest.raises(tacit.InputError, match="decay"):
        fitted(network(), points(2000), weight_average=2.0)

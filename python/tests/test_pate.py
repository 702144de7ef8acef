"""Labels by noisy votes of teachers, from Python."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import run

import tacit
from tacit import pate
from tacit.pate.digest import digest

DELTA = 1e-5
PLAN = pate.Plan(classes=2, answers=20, scale=4)
AFFORDABLE = pate.Plan(classes=2, answers=20, scale=10)


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "tacit" / "training.sqlite"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """With the dataset `clinic` and the analyst `ana`."""
    folder = tmp_path / "clinic"
    folder.mkdir()
    (folder / "people.csv").write_text("person\n1\n")
    made = run(
        "init", folder, "--dataset", "clinic", "--neighbours", "add_remove", "--epsilon", "8", "--delta", "1e-4",
        "--analyst", "ana=6", "--table", f"people={folder / 'people.csv'}", "--unit", "people=person",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return folder


class Nearest:
    """Of two classes, the one whose mean is nearer."""

    def fit(self, inputs: list[float], labels: list[int]) -> None:
        classes = [[x for x, y in zip(inputs, labels, strict=True) if y == label] for label in (0, 1)]
        self.means = [sum(values) / len(values) for values in classes]

    def predict(self, inputs: list[float]) -> list[int]:
        return [min((0, 1), key=lambda label: abs(x - self.means[label])) for x in inputs]


def points(count: int, seed: int = 1) -> tuple[list[float], list[int]]:
    draw = random.Random(seed)
    labels = [place % 2 for place in range(count)]
    return [draw.gauss(3.0 * label, 1.0) for label in labels], labels


def label(**changed: Any) -> pate.Answers:
    arguments: dict[str, Any] = {"teacher": Nearest, "teachers": 50, "plan": PLAN, "delta": DELTA}
    public = changed.pop("public", points(40, seed=2)[0])
    return pate.label(changed.pop("private", points(1000)), public, **{**arguments, **changed})


def test_a_student_learns_what_teachers_know() -> None:
    answers = label()
    assert answers.places == list(range(20)) and answers.asked == 20
    student = answers.teach(Nearest(), points(40, seed=2)[0])
    inputs, labels = points(1000, seed=3)
    right = sum(guess == truth for guess, truth in zip(student.predict(inputs), labels, strict=True))
    assert right > 850


def test_the_whole_plan_is_charged_to_an_account_of_its_own(ledger: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = label()
    assert answers.account in capsys.readouterr().err and ledger.exists()
    assert answers.epsilon == PLAN.epsilon(DELTA)
    assert answers.certificate["ledger"]["account"] == answers.account
    assert float(answers.certificate["guarantee"]["epsilon"]) == pytest.approx(answers.epsilon, abs=2e-6)
    assert answers.certificate["votes"]["mechanism"] == "GNMax"


def test_only_sure_teachers_answer() -> None:
    plan = pate.Plan(classes=2, answers=10, scale=4, questions=30, threshold=40, test_deviation=2)
    answers = label(plan=plan)
    assert len(answers.places) <= 10 and answers.asked == 30
    assert answers.certificate["votes"]["answers"] == len(answers.labels)
    unanimous = pate.ask(
        lambda parts: [[1, 1] for _ in parts], questions=2, units=range(100), teachers=50,
        plan=plan, delta=DELTA,
    )  # fmt: skip
    assert unanimous.labels == [1, 1]
    torn = pate.ask(
        lambda parts: [[number % 2] * 2 for number, _ in enumerate(parts)], questions=2, units=range(100),
        teachers=50, plan=plan, delta=DELTA,
    )  # fmt: skip
    assert torn.labels == []
    with pytest.raises(tacit.InputError, match="no answer"):
        torn.teach(Nearest(), [1.0, 2.0])


def test_the_cost_in_hindsight_is_released_with_noise_and_the_other_kept_out() -> None:
    plan = pate.Plan(classes=2, answers=20, scale=40, hindsight=pate.Hindsight(order=20, rho=0.1))
    answers = pate.ask(
        lambda parts: [[1] * 20 for _ in parts], questions=20, units=range(1000), teachers=900, plan=plan, delta=DELTA
    )
    assert answers.unsanitised_epsilon is not None and answers.hindsight_epsilon is not None
    assert answers.unsanitised_epsilon < answers.epsilon
    assert answers.unsanitised_epsilon < answers.hindsight_epsilon
    told = answers.certificate["hindsight"]
    assert float(told["epsilon"]) == pytest.approx(answers.hindsight_epsilon, abs=2e-6)
    assert "unsanitised" not in json.dumps(answers.certificate) + repr(answers)


def test_units_stay_together() -> None:
    units = [f"person {place % 30}" for place in range(300)]
    seen: list[list[int]] = []

    def ballots(parts: list[list[int]]) -> list[list[int]]:
        seen.extend(parts)
        return [[0] for _ in parts]

    pate.ask(ballots, questions=1, units=units, teachers=7, plan=PLAN, delta=DELTA)
    assert sorted(place for part in seen for place in part) == list(range(300))
    people = [{units[place] for place in part} for part in seen]
    assert sum(map(len, people)) == 30


def teachers_of(units: Any) -> list[int]:
    """The teacher of each example, of a thousand teachers."""
    seen: dict[int, int] = {}

    def ballots(parts: list[list[int]]) -> list[list[int]]:
        seen.update({place: number for number, part in enumerate(parts) for place in part})
        return [[0] for _ in parts]

    pate.ask(ballots, questions=1, units=units, teachers=1000, plan=PLAN, delta=DELTA)
    return [seen[place] for place in range(len(units))]


@dataclass(frozen=True)
class Patient:
    number: int
    spelling: str = field(compare=False)


EQUAL: dict[str, Any] = {
    "numbers": lambda: [1, 1.0, True, Decimal("1.00")],
    "zeros": lambda: [0.0, -0.0],
    "objects": lambda: [Patient(1, "one"), Patient(1, "eins")],
    "NumPy's texts": lambda: ["a", pytest.importorskip("numpy").str_("a")],
    "NumPy's numbers": lambda: [7, *pytest.importorskip("numpy").array([7, 7])],
    "an array": lambda: pytest.importorskip("numpy").array([7, 7]),
    "a tensor": lambda: pytest.importorskip("torch").tensor([7, 7]),
    "tensors": lambda: [7, *pytest.importorskip("torch").tensor([7, 7])],
    "Arrow": lambda: pytest.importorskip("pyarrow").chunked_array([["a", "a"], ["a"]]),
}


@pytest.mark.parametrize("units", EQUAL)
def test_equal_units_are_one_however_they_are_written(units: str) -> None:
    assert len(set(teachers_of(EQUAL[units]()))) == 1


def test_units_that_only_look_alike_are_not_one() -> None:
    assert len(set(teachers_of([1, "1", 1.5, "01", (1,)]))) > 1


@pytest.mark.parametrize(
    ("unit", "what"),
    [
        (None, "no unit"),
        (float("nan"), "no unit"),
        (("clinic", float("nan")), "no unit"),
        (Decimal("nan"), "no unit"),
        ([1], "cannot be compared"),
    ],
)
def test_a_unit_that_nobody_can_name_is_refused(unit: Any, what: str, ledger: Path) -> None:
    with pytest.raises(tacit.InputError, match=what):
        teachers_of([1, unit])
    assert not ledger.exists()


def test_a_unit_that_pandas_misses_is_refused(ledger: Path) -> None:
    pandas = pytest.importorskip("pandas")
    for units in (pandas.Series([1, None], dtype="Int64"), [pandas.NaT], pandas.Series(["a", None])):
        with pytest.raises(tacit.InputError, match="no unit"):
            teachers_of(units)
    assert not ledger.exists()


@pytest.mark.parametrize("library", ["random", "numpy.random", "torch"])
def test_teachers_share_no_generator(library: str) -> None:
    source = pytest.importorskip(library)
    seed = source.manual_seed if library == "torch" else source.seed
    drawn: list[float] = []

    def draw() -> float:
        return float(source.rand((), dtype=source.float64) if library == "torch" else source.random())

    class Draws(Nearest):
        def fit(self, inputs: list[float], labels: list[int]) -> None:
            drawn.append([draw() for _ in range(len(inputs) + 1)][0])
            super().fit(inputs, labels)

    left = []
    for _ in range(2):
        seed(7)
        label(teacher=Draws)
        left.append(draw())
    assert len(drawn) == len(set(drawn)) == 2 * 51
    seed(7)
    assert left == [draw()] * 2


class Stops(Nearest):
    """As a user does who stops the process, but not before it is paid."""

    tries = 0

    def fit(self, inputs: list[float], labels: list[int]) -> None:
        Stops.tries += 1
        random.random()
        if Stops.tries > 1:
            raise KeyboardInterrupt
        super().fit(inputs, labels)


def test_generators_are_as_they_were_also_after_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stops, "tries", 0)
    random.seed(7)
    with pytest.raises(KeyboardInterrupt):
        label(teacher=Stops)
    assert random.random() == random.Random(7).random()


def test_answers_that_are_kept_are_not_paid_for_again(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    first = label(keep=folder)

    def none(parts: list[list[int]]) -> list[list[int]]:
        raise AssertionError("teachers were asked again")

    again = pate.ask(none, questions=20, units=[], teachers=50, plan=PLAN, delta=DELTA, keep=folder)
    assert again == first and again.unsanitised_epsilon is None
    assert all("unsanitised" not in file.read_text() for file in folder.iterdir())
    with pytest.raises(tacit.InputError, match="teachers was 50, not 51"):
        pate.ask(none, questions=20, units=[], teachers=51, plan=PLAN, delta=DELTA, keep=folder)


def test_answers_that_are_kept_belong_to_their_public_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stops, "tries", 0)
    others = points(40, seed=3)[0]
    with pytest.raises(KeyboardInterrupt):
        label(teacher=Stops, keep=tmp_path / "answers")
    with pytest.raises(tacit.InputError, match="public"):
        label(keep=tmp_path / "answers", public=others)
    first = label(keep=tmp_path / "answers")
    assert label(keep=tmp_path / "answers") == first
    assert label(keep=tmp_path / "answers", public=[*points(20, seed=2)[0], *others]) == first  # the same 20
    with pytest.raises(tacit.InputError, match="public"):
        label(keep=tmp_path / "answers", public=others)


def test_a_digest_is_of_what_inputs_hold() -> None:
    text = "".join(["tex", "t"])
    assert digest(["text", "text"]) == digest(["text", text]) != digest(["text", "texts"])
    assert digest([(1.0, "a")]) != digest([(1.0, "b")])
    numpy = pytest.importorskip("numpy")
    array = numpy.arange(6.0).reshape(2, 3)
    assert digest(array) == digest(numpy.asfortranarray(array)) == digest(array.repeat(2, axis=0)[::2])
    assert len({digest(each) for each in (array, array.T, array + 1, array.astype("f4"), array.reshape(3, 2))}) == 5
    assert digest([array[0], array[1]]) == digest(list(array.copy())) != digest(list(array + 1))
    assert digest(array.astype(object)) == digest(array.astype(object)) != digest((array + 1).astype(object))


def test_a_digest_of_tensors() -> None:
    torch = pytest.importorskip("torch")
    for kind in (torch.float32, torch.bfloat16, torch.bool, torch.int64):
        tensor = torch.tensor([[0, 1, 1], [1, 0, 0]], dtype=kind)
        assert digest(tensor) == digest(tensor.T.contiguous().T) == digest(tensor.clone())
        assert len({digest(tensor), digest(tensor.T), digest(tensor.logical_not().to(kind))}) == 3
    assert digest(torch.tensor(1.0)) != digest(torch.tensor(2.0))


@pytest.mark.parametrize("library", ["pandas.DataFrame", "polars.DataFrame", "pyarrow.table"])
def test_a_digest_of_frames(library: str) -> None:
    module, _, kind = library.partition(".")
    frame = getattr(pytest.importorskip(module), kind)
    columns = {"x": [1.0, 2.0], "name": ["a", "b"]}
    assert digest(frame(columns)) == digest(frame({"x": [1.0, 2.0], "name": ["a", "".join(["b"])]}))
    others: list[dict[str, Any]] = [columns, {**columns, "x": [1.0, 3.0]}, {"x": [1.0, 2.0], "names": ["a", "b"]}]
    assert len({digest(frame(each)) for each in others}) == 3


def test_inputs_that_have_no_digest_are_not_kept(tmp_path: Path, ledger: Path) -> None:
    arguments: dict[str, Any] = {"questions": 1, "units": range(9), "teachers": 3, "plan": PLAN, "delta": DELTA}
    with pytest.raises(tacit.InputError, match="told from others"):
        pate.ask(lambda parts: [], **arguments, keep=tmp_path / "answers", public=[lambda: 0])
    assert not ledger.exists()


def test_a_run_that_died_before_teachers_were_asked_goes_on_at_no_charge(tmp_path: Path, workspace: Path) -> None:
    arguments: dict[str, Any] = {
        "questions": 20, "units": range(100), "teachers": 50, "delta": DELTA, "keep": tmp_path / "answers",
        "plan": AFFORDABLE, "workspace": workspace, "account": "clinic/ana",
    }  # fmt: skip

    def dies(parts: list[list[int]]) -> list[list[int]]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pate.ask(dies, **arguments)
    charged = tacit.open(workspace, analyst="ana").budget().spent
    with pytest.raises(tacit.InputError, match="questions"):
        pate.ask(dies, **{**arguments, "questions": 19})
    answers = pate.ask(lambda parts: [[1] * 20 for _ in parts], **arguments)
    assert len(answers.labels) == 20
    assert tacit.open(workspace, analyst="ana").budget().spent == charged


def test_a_workspace_pays_and_refuses(workspace: Path) -> None:
    pays = {"workspace": workspace, "account": "clinic/ana"}
    assert label(**pays, plan=AFFORDABLE).account == "clinic/ana"
    before = tacit.open(workspace, analyst="ana").budget().spent
    with pytest.raises(tacit.BudgetExceeded):
        label(**pays, plan=pate.Plan(classes=2, answers=20, scale=1))
    assert tacit.open(workspace, analyst="ana").budget().spent == before


class Fails(Nearest):
    """As it does on parts that lack a class, but on all private parts."""

    tries = 0

    def fit(self, inputs: list[float], labels: list[int]) -> None:
        Fails.tries += 1
        if Fails.tries > 1:
            raise ZeroDivisionError
        super().fit(inputs, labels)


def test_a_teacher_that_fails_on_its_part_gives_no_vote() -> None:
    answers = label(teacher=Fails)
    assert len(answers.labels) == 20


class Torn(list[float]):
    """Not all of it can be read."""

    def __getitem__(self, place: Any) -> Any:
        if place == 7:
            raise OSError
        return super().__getitem__(place)


def test_a_teacher_whose_part_cannot_be_read_gives_no_vote() -> None:
    inputs, labels = points(1000)
    assert len(label(private=(Torn(inputs), labels)).labels) == 20


def test_private_data_may_be_an_arrow_table() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parts = []

    class OfTable(Nearest):
        def fit(self, inputs: Any, labels: Any) -> None:
            parts.append(len(inputs))
            super().fit(inputs["x"].to_pylist(), [int(each) for each in labels])

        def predict(self, inputs: Any) -> list[int]:
            return super().predict(inputs["x"].to_pylist())

    inputs, labels = points(1000)
    public = pyarrow.table({"x": points(40, seed=2)[0]})
    answers = label(private=(pyarrow.table({"x": inputs}), labels), public=public, teacher=OfTable)
    assert len(answers.labels) == 20 and sum(parts[1:]) == 1000
    chunked = pyarrow.chunked_array([labels[:500], labels[500:]])
    assert len(label(private=(inputs, chunked), teacher=OfChunked).labels) == 20


class OfChunked(Nearest):
    def fit(self, inputs: list[float], labels: Any) -> None:
        super().fit(inputs, labels.to_pylist() if hasattr(labels, "to_pylist") else labels)


class GivesScores(Nearest):
    def predict(self, inputs: list[float]) -> list[int]:
        return [7 for _ in inputs]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"teacher": GivesScores}, "predict does not give"),
        ({"plan": pate.Plan(classes=1, answers=3, scale=4)}, "needs two classes"),
        ({"plan": pate.Plan(classes=2, answers=3, scale=0)}, "not above 0"),
        ({"plan": pate.Plan(classes=2, answers=3, scale=4, threshold=3)}, "threshold and noise"),
        ({"plan": pate.Plan(classes=2, answers=3, scale=4, noise="none")}, "is no noise"),
        ({"plan": pate.Plan(classes=2, answers=3, scale=4, questions=-1)}, "no number of things"),
        ({"teachers": 0}, "number of teachers"),
        ({"account": "clinic"}, "a workspace pays"),
        ({"units": range(999)}, "one unit for each input"),
        ({"private": (dict(enumerate(points(10)[0], start=1)), points(10)[1])}, "rows of dict cannot be taken"),
        ({"private": (set(range(10)), points(10)[1])}, "rows of set cannot be taken"),
    ],
)
def test_what_has_no_meaning_is_refused_before_anything_is_charged(
    changed: dict[str, Any], what: str, ledger: Path
) -> None:
    with pytest.raises(tacit.InputError, match=what):
        label(**changed)
    assert not ledger.exists()


def test_labels_out_of_range_are_refused(ledger: Path) -> None:
    inputs, labels = points(10)
    with pytest.raises(tacit.InputError, match="whole numbers from 0 to 1"):
        pate.label((inputs, [*labels[1:], 2]), inputs, teacher=Nearest, teachers=5, plan=PLAN, delta=DELTA)
    with pytest.raises(tacit.InputError, match="one label for each input"):
        pate.label((inputs, labels[1:]), inputs, teacher=Nearest, teachers=5, plan=PLAN, delta=DELTA)
    assert not ledger.exists()


def test_laplace_noise_is_ln_max() -> None:
    answers = label(plan=pate.Plan(classes=2, answers=3, scale=20, noise="laplace"))
    assert answers.certificate["votes"]["mechanism"] == "LNMax"
    assert answers.unsanitised_epsilon is not None

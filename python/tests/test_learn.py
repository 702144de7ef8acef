"""Estimators over frames and over a workspace, and that scikit-learn's ways work on them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.learn import PCA, KMeans, LinearRegression, LogisticRegression, NaiveBayes

pandas = pytest.importorskip("pandas")


@pytest.fixture(autouse=True)
def _ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(scope="module")
def people() -> Any:
    """3,000 people; the old earn more, and are sick more often than not."""
    draw = random.Random(3)
    ages = [draw.uniform(20, 80) for _ in range(3000)]
    return pandas.DataFrame(
        {
            "age": ages,
            "income": [age / 2 + draw.gauss(0, 2) for age in ages],
            "sex": [draw.choice(["F", "M"]) for _ in ages],
            "sick": [draw.random() < 1 / (1 + 2.718 ** (-(age - 50) / 5)) for age in ages],
        }
    )


BOUNDS: Any = {"age": (20, 80), "income": (0, 50)}


def test_logistic_regression_of_a_frame(people: Any) -> None:
    model = LogisticRegression(
        epsilon=2, delta=1e-5, bounds={"age": (20, 80)}, categories={"sex": ["F", "M"]}
    ).fit(people, "sick")
    assert model.terms_ == ["age", "sex=F", "sex=M"]
    assert model.coef_.shape == model.coef_halfwidth_.shape == (1, 3)
    assert 0.05 < model.coef_[0, 0] < 0.4
    assert list(model.classes_) == [False, True]
    assert model.score(people, people["sick"]) > 0.8
    sure = model.predict_proba({"age": [20, 80], "sex": ["F", "M"]})
    assert sure[0, 1] < 0.2 < 0.8 < sure[1, 1]
    assert model.model_["guarantee"]["epsilon"] == "2"


def test_classes_are_told_as_they_were_given(people: Any) -> None:
    grades = ["high" if age > 50 else "low" for age in people["age"]]
    model = NaiveBayes(epsilon=2, bounds={"age": (20, 80)}, classes=["high", "low"])
    model.fit(people, grades)
    assert set(model.predict(people[:50])) == {"high", "low"}
    assert model.score(people, grades) > 0.9
    assert model.theta_.shape == model.theta_halfwidth_.shape == (2, 1)


def test_linear_regression_and_components(people: Any) -> None:
    line = LinearRegression(epsilon=2, bounds=BOUNDS).fit(people[["age", "income"]], "income")
    assert abs(line.coef_[0] - 0.5) < 0.2 and line.coef_halfwidth_[0] > 0
    assert line.score(people, people["income"]) > 0.6
    components = PCA(1, epsilon=2, bounds=BOUNDS, scaled=True).fit(people)
    assert components.transform(people).shape == (3000, 1)


class Streamed:
    """Something of another library, of which nothing is known but that it can be read as Arrow."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def _written(people: Any, path: Path) -> Path:
    if path.suffix == ".csv":
        people.to_csv(path, index=False)
    else:
        people.to_parquet(path, index=False)
    return path


WAYS: dict[str, Any] = {
    "pandas": lambda people, folder: people,
    "pandas' own types": lambda people, folder: people.astype({"age": "Float64", "sex": "category", "sick": "boolean"}),
    "polars": lambda people, folder: pytest.importorskip("polars").DataFrame(people.to_dict("list")),
    "polars, lazy": lambda people, folder: pytest.importorskip("polars").DataFrame(people.to_dict("list")).lazy(),
    "Arrow": lambda people, folder: pytest.importorskip("pyarrow").Table.from_pandas(people),
    "a stream": lambda people, folder: Streamed(pytest.importorskip("pyarrow").Table.from_pandas(people)),
    "a dict": lambda people, folder: people.to_dict("list"),
    "CSV": lambda people, folder: _written(people, folder / "people.csv"),
    "Parquet": lambda people, folder: _written(people, folder / "people.parquet"),
    "a file by name": lambda people, folder: str(_written(people, folder / "people.parquet")),
}


@pytest.mark.parametrize("way", WAYS)
def test_all_models_take_what_has_columns(way: str, people: Any, tmp_path: Path) -> None:
    rows = WAYS[way](people, tmp_path)
    clusters = KMeans(2, epsilon=4, bounds=BOUNDS).fit(rows)
    assert clusters.cluster_centers_.shape == (2, 2)
    assert set(clusters.predict(rows)) == {0, 1} and clusters.score(rows) < 0
    line = LinearRegression(epsilon=2, bounds=BOUNDS).fit(rows, "income")
    assert abs(line.coef_[0] - 0.5) < 0.2 and line.score(rows, people["income"]) > 0.6
    assert PCA(1, epsilon=2, bounds=BOUNDS, scaled=True).fit_transform(rows).shape == (3000, 1)
    for kind in (LogisticRegression, NaiveBayes):
        model: Any = kind(epsilon=2, delta=1e-5, bounds={"age": (20, 80)}, categories={"sex": ["F", "M"]})
        model.fit(rows, "sick")
        assert model.score(rows, people["sick"]) > 0.8
        shares = model.predict_proba(rows)
        assert shares.shape == (3000, 2) and np.allclose(shares.sum(axis=1), 1)
        told = model.predict(rows)
        assert told.dtype == bool and np.array_equal(told, shares[:, 1] > shares[:, 0])


def test_logistic_regression_of_many_classes(people: Any) -> None:
    grades = ["low" if age < 40 else "mid" if age < 60 else "top" for age in people["age"]]
    model = LogisticRegression(
        epsilon=4, delta=1e-5, bounds={"age": (20, 80)}, categories={"sex": ["F", "M"]}, classes=["top", "low", "mid"]
    ).fit(people, grades)
    assert sorted(model.classes_) == ["low", "mid", "top"]
    assert model.coef_.shape == model.coef_halfwidth_.shape == (3, 3) and model.intercept_.shape == (3,)
    assert np.allclose(model.coef_.sum(axis=0), 0)
    shares = model.predict_proba(people)
    assert shares.shape == (3000, 3) and np.allclose(shares.sum(axis=1), 1)
    assert list(model.predict(people)) == [model.classes_[i] for i in shares.argmax(axis=1)]
    assert model.score(people, grades) > 0.7


def test_logistic_regression_reads_rows_again_that_memory_does_not_hold(people: Any) -> None:
    model = LogisticRegression(epsilon=4, delta=1e-5, bounds={"age": (20, 80)}, steps=10, memory=0)
    assert model.get_params()["memory"] == 0
    assert model.fit(people, "sick").score(people, people["sick"]) > 0.8
    with pytest.raises(tacit.InputError, match="no such memory"):
        model.set_params(memory=99999999999999).fit(people, "sick")


def test_values_that_are_equal_are_the_same_class(people: Any) -> None:
    # Columns with gaps are of floats, in which 1 is 1.0.
    frame = people.assign(sick=people["sick"].astype(float), female=(people["sex"] == "F").astype(float))
    model = LogisticRegression(
        epsilon=2, delta=1e-5, bounds={"age": (20, 80)}, categories={"female": [0, 1]}, classes=[0, 1]
    ).fit(frame, "sick")
    assert model.model_["rows"] > 2500
    assert model.score(frame, people["sick"]) > 0.8
    effect = model.coef_[0, model.terms_.index("female=1")] - model.coef_[0, model.terms_.index("female=0")]
    odds = [np.log(p[1] / p[0]) for p in model.predict_proba({"age": [50, 50], "female": [1.0, 0.0]})]
    assert odds[0] - odds[1] == pytest.approx(effect)


def test_a_table_of_a_workspace_is_charged_to_its_ledger(clinic: tacit.Workspace) -> None:
    model = LinearRegression(
        epsilon=1, columns=["hour"], workspace=clinic.folder, analyst="ana", max_rows=4
    )
    model.fit("visits", "minutes")
    spent = clinic.budget().spent
    assert model.charged_ and model.entry_
    model.fit("visits", "minutes")  # on record
    assert clinic.budget().spent == spent
    with pytest.raises(tacit.BudgetExceeded):
        model.set_params(epsilon=1000).fit("visits", "minutes")


def test_what_is_told_needs_bounds_and_is_no_feature(clinic: tacit.Workspace) -> None:
    model = LinearRegression(
        epsilon=1, bounds={"hour": (9, 12), "minutes": (0, 60)}, workspace=clinic.folder, analyst="ana", max_rows=4
    )
    assert list(model.fit("visits", "minutes").feature_names_in_) == ["hour"]


def test_a_column_y_that_is_not_the_y_given_is_refused(people: Any) -> None:
    frame = people.rename(columns={"income": "y"})
    bounds: Any = {"age": (20, 80), "y": (0, 50)}
    with pytest.raises(tacit.InputError, match="column 'y'"):
        LogisticRegression(epsilon=2, delta=1e-5, bounds=bounds).fit(frame, people["sick"])
    with pytest.raises(tacit.InputError, match="column 'y'"):
        LinearRegression(epsilon=2, bounds=bounds).fit(frame, people["age"])
    assert list(LinearRegression(epsilon=2, bounds=bounds).fit(frame, frame["y"]).feature_names_in_) == ["age"]
    with pytest.raises(tacit.InputError, match="the column 'Y' once"):
        LinearRegression(epsilon=2, bounds=bounds).fit(people.rename(columns={"income": "Y"}), people["income"])


@pytest.mark.parametrize("name", ["row", "public", "a,b", "age:rows.sex", "unit", 'a "b"'])
def test_a_unit_is_a_column_whatever_its_name_is(name: str, people: Any) -> None:
    # Each a and b together are one row's, and each unit has ten rows.
    frame = people.assign(a=range(3000), b=range(3000), **{name: [i // 10 for i in range(3000)]})
    with pytest.raises(tacit.InputError, match="max-rows"):
        PCA(epsilon=8, bounds=BOUNDS, unit=name).fit(frame)
    assert PCA(epsilon=8, bounds=BOUNDS, unit=name, max_rows=1).fit(frame).model_["rows"] == pytest.approx(300, abs=60)


def test_equal_units_are_one_and_others_are_not(people: Any) -> None:
    def rows(units: list[Any]) -> float:
        frame = {"age": people["age"], "income": people["income"], "who": units}
        told: float = PCA(epsilon=8, bounds=BOUNDS, unit="who", max_rows=1).fit(frame).model_["rows"]
        return told

    assert rows(["0" * (i % 3) + str(1 + i // 3) for i in range(3000)]) > 2500  # 1, 01 and 001
    assert rows([(1 if i % 2 else 1.0) * (1 + i // 10) for i in range(3000)]) < 400
    assert rows([None if i % 2 else f"person\n{i}" for i in range(3000)]) == pytest.approx(1500, abs=100)
    with pytest.raises(tacit.InputError, match="no column 'whom'"):
        PCA(epsilon=8, bounds=BOUNDS, unit="whom", max_rows=1).fit(people)


@pytest.mark.parametrize("name", ["row", "public", "age,sex", "age:rows.sex"])
def test_a_file_has_no_units_of_names_that_mean_something_else(name: str, people: Any, tmp_path: Path) -> None:
    file = _written(people.assign(**{name: [i // 10 for i in range(3000)]}), tmp_path / "people.parquet")
    with pytest.raises(tacit.InputError, match="cannot be in a column named"):
        PCA(epsilon=8, bounds=BOUNDS, unit=name, max_rows=1).fit(file)
    assert not list((tmp_path / "data").glob("tacit/learn/*"))


def test_parameters_are_kept_as_given() -> None:
    model = KMeans(3, epsilon="0.5", bounds=BOUNDS)
    assert model.get_params()["bounds"] is BOUNDS
    again = KMeans(**model.get_params())
    assert again.get_params() == model.get_params()
    assert model.set_params(n_clusters=5).n_clusters == 5
    assert "epsilon='0.5'" in repr(model)
    with pytest.raises(ValueError, match="no parameter"):
        model.set_params(clusters=5)


def test_scikit_learn_can_clone_them() -> None:
    base = pytest.importorskip("sklearn.base")
    model = LogisticRegression(epsilon=2, bounds=BOUNDS, classes=[0, 1])
    assert base.clone(model).get_params() == model.get_params()


def test_what_is_refused_leaves_no_ledger(people: Any, tmp_path: Path) -> None:
    with pytest.raises(tacit.InputError, match="nothing bounds"):
        KMeans(2, columns=["age"]).fit(people)
    with pytest.raises(tacit.InputError, match="no column"):
        KMeans(2, bounds={"height": (0, 1)}).fit(people)
    with pytest.raises(tacit.InputError, match="between 2 and 64"):
        KMeans(1, bounds=BOUNDS).fit(people)
    with pytest.raises(tacit.InputError, match="call fit first"):
        KMeans(2).predict(people)
    with pytest.raises(tacit.InputError, match="to be told"):
        NaiveBayes(bounds=BOUNDS).fit(people)
    with pytest.raises(tacit.InputError, match="no file"):
        KMeans(2, bounds=BOUNDS).fit("people.csv")
    with pytest.raises(tacit.InputError, match="tables of its own"):
        KMeans(2, bounds=BOUNDS, workspace=tmp_path).fit(people)
    with pytest.raises(tacit.InputError, match="rows cannot be"):
        KMeans(2, bounds=BOUNDS).fit(3)
    file = _written(people, tmp_path / "people.csv")
    with pytest.raises(tacit.InputError, match="height"):
        KMeans(2, bounds={"height": (0, 1)}).fit(file)
    with pytest.raises(tacit.InputError, match="names a column"):
        NaiveBayes(bounds=BOUNDS).fit(file, people["sick"])
    assert not list((tmp_path / "data").glob("tacit/learn/*"))


def test_arrays_have_columns_by_number() -> None:
    points = np.array([[i % 2, i % 2] for i in range(400)], dtype=float)
    model = KMeans(2, epsilon=8, bounds={"x0": (0, 1), "x1": (0, 1)}).fit(points)
    assert len(set(model.predict(points[:2]))) == 2

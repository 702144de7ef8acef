"""The estimators. Parameters are kept as they were given, as scikit-learn's `clone` expects."""

from __future__ import annotations

import inspect
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from tacit.errors import InputError
from tacit.learn import _rows
from tacit._command import tacit
from tacit.workspace import Number

Bounds = Mapping[str, tuple[Number, Number]]
Categories = Mapping[str, Sequence[Any]] | Sequence[str]
Array = np.ndarray[Any, np.dtype[Any]]

# The ledger's own price of a request may be a little above the epsilon that the request states.
_ROOM = 2


def _text(number: Number) -> str:
    return str(number)


class _Estimator:
    """What all have: how rows are found, paid for and told about."""

    _kind: ClassVar[str]

    epsilon: Number
    delta: Number | None
    columns: Sequence[str] | None
    bounds: Bounds | None
    categories: Categories | None
    max_rows: int | None
    max_groups: int | None
    unit: str | None
    workspace: str | Path | None
    dataset: str | None
    analyst: str | None
    fresh: bool

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        for name, value in params.items():
            if name not in self._names():
                raise InputError(f"{type(self).__name__} has no parameter '{name}'", "set_params")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        plain = inspect.signature(type(self).__init__).parameters
        given = {n: v for n, v in self.get_params().items() if v is not plain[n].default}
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in given.items())})"

    def fit(self, rows: Any, y: Any = None) -> Self:
        """Pay, and make the model.

        rows: a data frame, an Arrow table, a dict of columns, an array, a file (CSV, Parquet, JSON); or, with
            a workspace, the name of a table or a SELECT of private rows.
        y: what is to be told: the name of a column, or the values themselves.

        Raises BudgetExceeded or InputError, which charge nothing, or WorldFailed.
        """
        if isinstance(rows, str) and self.workspace is not None:
            model = self._fit_declared(rows, y)
        elif isinstance(rows, (str, os.PathLike)):
            model = self._fit_file(Path(rows), y)
        else:
            model = self._fit_frame(_rows.columns_of(rows), y)
        self.model_ = model
        """The model as `tacit learn -o` writes it."""
        self.feature_names_in_ = np.array([f["name"] for f in model["features"]], dtype=object)
        self.n_features_in_ = len(model["features"])
        self.entry_ = model["guarantee"]["entry"]
        self.charged_ = model["charged"]
        self._take(model)
        return self

    def _fit_declared(self, rows: str, y: Any) -> dict[str, Any]:
        if y is not None and not isinstance(y, str):
            raise InputError("y names a column of the table", "fit")
        arguments = ["--workspace", str(self.workspace), "--from", rows]
        if self.dataset is not None:
            arguments += ["--dataset", self.dataset]
        if self.analyst is not None:
            arguments += ["--as", self.analyst]
        names = [name for name in self.columns or self.bounds or () if name != y]
        return self._asked(arguments, names, list(self.categories or ()), y, dict(self.bounds or {}))

    def _fit_frame(self, columns: _rows.Columns, y: Any) -> dict[str, Any]:
        columns = dict(columns)
        label = y if isinstance(y, str) or y is None else "y"
        if not isinstance(y, str) and y is not None:
            told = list(np.asarray(y).tolist())
            if not _rows.is_same(columns.get("y", told), told):
                raise InputError("rows have a column 'y' that is not the y given", "y", "rename the column")
            columns["y"] = told
        names, listed = self._told(label)
        for where, wanted in (("y", [label]), ("columns", names), ("categories", listed), ("unit", [self.unit])):
            for name in wanted:
                if name is not None and name not in columns:
                    raise InputError(f"there is no column '{name}'", where)
        unit = None
        if self.unit is not None:
            units = _rows.unit_texts(columns[self.unit])
            if self.unit not in {label, *names, *listed}:
                del columns[self.unit]
            unit = _rows.free_name("unit", columns)
            columns[unit] = list(units)
        for name, values in listed.items():
            columns[name] = list(_rows.coded(columns[name], values))
        with _rows.csv_file(columns) as path:
            return self._fit_rows(path, unit, label, names, {n: _rows.decoded(n, v) for n, v in listed.items()})

    def _fit_file(self, path: Path, y: Any) -> dict[str, Any]:
        if y is not None and not isinstance(y, str):
            raise InputError("y names a column of the file", "fit")
        if not path.is_file():
            raise InputError(
                f"there is no file '{path}'", "fit", "a table of a workspace needs workspace=FOLDER"
            )
        _rows.check_unit(self.unit)
        names, listed = self._told(y)
        sql = {n: _rows.named(n, v) for n, v in listed.items()}
        return self._fit_rows(path.resolve(), self.unit, y, names, sql)

    def _told(self, label: str | None) -> tuple[list[str], dict[str, Sequence[Any]]]:
        """The numbers that are read, and the values of categories and of the label where these are lists."""
        if self.workspace is not None:
            raise InputError("a workspace has tables of its own", "fit", "name one of them")
        names = [name for name in self.columns or self.bounds or () if name != label]
        for name in names:
            if name not in (self.bounds or {}):
                raise InputError(
                    f"nothing bounds the values of '{name}'", "bounds", f"give {{'{name}': (0, 100)}}"
                )
        categories = self.categories or {}
        if not isinstance(categories, Mapping):
            raise InputError(
                "the values of categories are not declared", "categories", "give {'sex': ['F', 'M']}"
            )
        return names, {**categories, **self._listed_label(label)}

    def _fit_rows(
        self,
        path: Path,
        unit: str | None,
        label: str | None,
        names: Sequence[str],
        listed: Mapping[str, str],
    ) -> dict[str, Any]:
        """`listed` has the SQL of categories and of a label of listed values."""
        select = [_rows.quoted(name) for name in names] + list(listed.values())
        if label is not None and label not in listed:
            select.append(_rows.quoted(label))
        epsilon = str(_ROOM * float(self.epsilon))
        delta = None if self.delta is None else str(_ROOM * float(self.delta))
        with _rows.workspace_of(path, unit, epsilon, delta) as folder:
            return self._asked(
                ["--workspace", str(folder), "--as", "frame",
                 "--from", f"SELECT {', '.join(select)} FROM rows"],
                [_rows.quoted(name) for name in names],
                [_rows.quoted(name) for name in self.categories or ()],
                None if label is None else _rows.quoted(label),
                {_rows.quoted(name): pair for name, pair in (self.bounds or {}).items()},
            )  # fmt: skip

    def _listed_label(self, label: str | None) -> dict[str, Sequence[Any]]:
        """What is to be told and the values it has, where these are a list."""
        return {}

    def _asked(
        self,
        arguments: list[str],
        names: Sequence[str],
        categories: Sequence[str],
        label: str | None,
        bounds: Mapping[str, tuple[Number, Number]],
    ) -> dict[str, Any]:
        arguments = ["learn", self._kind, *arguments, "--epsilon", _text(self.epsilon)]
        if self.delta is not None:
            arguments += ["--delta", _text(self.delta)]
        if names:
            arguments += ["--columns", ",".join(names)]
        if categories:
            arguments += ["--categories", ",".join(categories)]
        for name, (lower, upper) in bounds.items():
            arguments += ["--range", f"{name}={_text(lower)}..{_text(upper)}"]
        for option, most in (("--max-rows", self.max_rows), ("--max-groups", self.max_groups)):
            if most is not None:
                arguments += [option, str(most)]
        if self.fresh:
            arguments.append("--fresh")
        model: dict[str, Any] = tacit(*arguments, *self._options(label))
        return _unquoted(model)

    def _options(self, label: str | None) -> list[str]:
        return []

    def _take(self, model: dict[str, Any]) -> None:
        raise NotImplementedError

    def _applied(self, rows: Any) -> dict[str, list[Any]]:
        """What the model says of rows; free of charge."""
        if not hasattr(self, "model_"):
            raise InputError("the model is not made yet", type(self).__name__, "call fit first")
        if isinstance(rows, (str, os.PathLike)):
            return self._applied_to(Path(rows))
        columns = dict(_rows.columns_of(rows))
        if isinstance(self.categories, Mapping):
            for name in self.categories.keys() & columns.keys():
                columns[name] = _rows.as_listed(columns[name], self.categories[name])
        with _rows.csv_file(columns) as path:
            return self._applied_to(path)

    def _applied_to(self, path: Path) -> dict[str, list[Any]]:
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "model.json"
            model.write_text(json.dumps(self.model_), encoding="utf-8")
            said: dict[str, list[Any]] = tacit("learn", "apply", model, path)
        return said


def _unquoted(model: dict[str, Any]) -> dict[str, Any]:
    """Names as the caller has them: they were quoted to be SQL."""

    def plain(name: str) -> str:
        quoted = len(name) > 1 and name[0] == name[-1] == '"'
        return name[1:-1].replace('""', '"') if quoted else name

    told = [model[key] for key in ("label", "target") if isinstance(model.get(key), dict)]
    for part in (*model["features"], *model.get("categories", ()), *told):
        part["name"] = plain(part["name"])
    for score in (model, *model.get("scores", ())):
        for slope in score.get("slopes", ()):
            slope["feature"] = plain(slope["feature"])
    for score in model.get("scores", ()):
        for category in score["categories"]:
            category["name"] = plain(category["name"])
    return model


class _Classifier(_Estimator):
    """Tells one of a few public values."""

    classes: Sequence[Any] | None
    classes_: Array

    def _listed_label(self, label: str | None) -> dict[str, Sequence[Any]]:
        return {} if label is None else {label: self.classes or [False, True]}

    def _options(self, label: str | None) -> list[str]:
        if label is None:
            raise InputError("say what is to be told", "fit", "name a column: fit(rows, 'sick')")
        return ["--label", label]

    def _as_given(self, told: Any) -> Any:
        """A class as the caller named it: the command has texts, or its own values."""
        for each in self.classes or ():
            if _rows._cell(each) == _rows._cell(told):
                return each
        return told == "true" if self.classes is None and told in ("true", "false") else told

    def predict(self, rows: Any) -> Array:
        return np.array([self._as_given(told) for told in self._applied(rows)["predicted"]])

    def predict_proba(self, rows: Any) -> Array:
        said = self._applied(rows)
        return np.array([said[f"probability_{k + 1}"] for k in range(len(self.classes_))], dtype=float).T

    def score(self, rows: Any, y: Any) -> float:
        """The share of rows that are told rightly. Of private rows this is itself a release: keep it."""
        return float(np.mean(self.predict(rows) == np.asarray(y)))


class LogisticRegression(_Classifier):
    """Logistic regression by noisy gradients. Of two classes `coef_` is of the log odds of the second; of more
    it has a row for each class, whose probability is the share of its exponential.

    For a frame or file `bounds` name the numbers, `categories` the values of each category, `classes` the values of
    y (by default False and True). With a workspace all this may be declared there. Rows that take more than
    `memory` MiB do not stay in it, but are read again at each step (by default 1024).
    """

    _kind = "logistic"

    def __init__(
        self, *, epsilon: Number = 1, delta: Number | None = None, columns: Sequence[str] | None = None,
        bounds: Bounds | None = None, categories: Categories | None = None,
        classes: Sequence[Any] | None = None, steps: int | None = None, memory: int | None = None,
        max_rows: int | None = None, unit: str | None = None, workspace: str | Path | None = None,
        dataset: str | None = None, analyst: str | None = None, fresh: bool = False,
    ) -> None:  # fmt: skip
        self.epsilon, self.delta = epsilon, delta
        self.columns, self.bounds, self.categories, self.classes = columns, bounds, categories, classes
        self.steps, self.memory, self.max_rows, self.unit = steps, memory, max_rows, unit
        self.workspace, self.dataset, self.analyst, self.fresh = workspace, dataset, analyst, fresh
        self.max_groups = None

    def _options(self, label: str | None) -> list[str]:
        out = super()._options(label)
        for option, given in (("--steps", self.steps), ("--memory", self.memory)):
            if given is not None:
                out += [option, str(given)]
        return out

    def _take(self, model: dict[str, Any]) -> None:
        label = model["label"]
        scores = model.get("scores", [model])
        terms = [_terms(score) for score in scores]
        self.terms_ = list(terms[0])
        """What each of `coef_` is of: a number, or CATEGORY=VALUE."""
        self.coef_ = np.array([[term["value"] for term in each.values()] for each in terms])
        self.coef_halfwidth_ = np.array([[term["half_width"] for term in each.values()] for each in terms])
        self.intercept_ = np.array([score["intercept"]["value"] for score in scores])
        self.intercept_halfwidth_ = np.array([score["intercept"]["half_width"] for score in scores])
        told = label["values"] if "values" in label else [label["zero"], label["one"]]
        self.classes_ = np.array([self._as_given(one) for one in told])

    def predict_proba(self, rows: Any) -> Array:
        if len(self.classes_) > 2:
            return super().predict_proba(rows)
        one = np.array(self._applied(rows)["probability"], dtype=float)
        return np.stack([1 - one, one], axis=1)


def _terms(score: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What is added up, by name: numbers, and the values of categories."""
    out = {slope["feature"]: slope for slope in score["slopes"]}
    for category in score["categories"]:
        out |= {f"{category['name']}={effect['of']}": effect for effect in category["effects"]}
    return out


class NaiveBayes(_Classifier):
    """Naive Bayes: numbers are normal within a class, categories have a probability each."""

    _kind = "bayes"

    def __init__(
        self, *, epsilon: Number = 1, delta: Number | None = None, columns: Sequence[str] | None = None,
        bounds: Bounds | None = None, categories: Categories | None = None,
        classes: Sequence[Any] | None = None, max_rows: int | None = None,
        max_groups: int | None = None, unit: str | None = None, workspace: str | Path | None = None,
        dataset: str | None = None, analyst: str | None = None, fresh: bool = False,
    ) -> None:  # fmt: skip
        self.epsilon, self.delta = epsilon, delta
        self.columns, self.bounds, self.categories, self.classes = columns, bounds, categories, classes
        self.max_rows, self.max_groups, self.unit = max_rows, max_groups, unit
        self.workspace, self.dataset, self.analyst, self.fresh = workspace, dataset, analyst, fresh

    def _take(self, model: dict[str, Any]) -> None:
        told = model["classes"]
        self.classes_ = np.array([self._as_given(one["label"]) for one in told])
        self.class_prior_ = np.array([one["prior"] for one in told])
        self.class_count_ = np.array([one["size"] for one in told])
        self.class_count_halfwidth_ = np.array([one["size_half_width"] for one in told])
        self.theta_ = np.array([[number["mean"] for number in one["numbers"]] for one in told])
        self.theta_halfwidth_ = np.array(
            [[number["mean_half_width"] for number in one["numbers"]] for one in told]
        )
        self.var_ = np.array([[number["deviation"] ** 2 for number in one["numbers"]] for one in told])


class LinearRegression(_Estimator):
    """Least squares from noisy sums of products. `bounds` hold for the columns and for y."""

    _kind = "linear"

    def __init__(
        self, *, epsilon: Number = 1, delta: Number | None = None, columns: Sequence[str] | None = None,
        bounds: Bounds | None = None, method: str = "statistics", max_rows: int | None = None,
        unit: str | None = None, workspace: str | Path | None = None, dataset: str | None = None,
        analyst: str | None = None, fresh: bool = False,
    ) -> None:  # fmt: skip
        self.epsilon, self.delta, self.columns, self.bounds = epsilon, delta, columns, bounds
        self.method, self.max_rows, self.unit = method, max_rows, unit
        self.workspace, self.dataset, self.analyst, self.fresh = workspace, dataset, analyst, fresh
        self.categories = self.max_groups = None

    def _options(self, label: str | None) -> list[str]:
        if label is None:
            raise InputError("say what is to be explained", "fit", "name a column: fit(rows, 'income')")
        return ["--target", label, "--method", self.method]

    def _take(self, model: dict[str, Any]) -> None:
        self.coef_ = np.array([slope["value"] for slope in model["slopes"]])
        self.coef_halfwidth_ = np.array([slope["half_width"] for slope in model["slopes"]])
        self.intercept_ = float(model["intercept"]["value"])
        self.intercept_halfwidth_ = float(model["intercept"]["half_width"])

    def predict(self, rows: Any) -> Array:
        return np.array(self._applied(rows)["prediction"], dtype=float)

    def score(self, rows: Any, y: Any) -> float:
        """The share of the variance of y that is explained. Of private rows this is itself a release."""
        truth = np.asarray(y, dtype=float)
        left = float(np.sum((truth - self.predict(rows)) ** 2))
        return 1 - left / float(np.sum((truth - truth.mean()) ** 2))


class KMeans(_Estimator):
    """k-means over noisy counts and sums. Distances are measured in halves of each column's range."""

    _kind = "kmeans"

    def __init__(
        self, n_clusters: int = 8, *, epsilon: Number = 1, delta: Number | None = None,
        columns: Sequence[str] | None = None, bounds: Bounds | None = None, method: str | None = None,
        rounds: int | None = None, max_rows: int | None = None, max_groups: int | None = None,
        unit: str | None = None, workspace: str | Path | None = None, dataset: str | None = None,
        analyst: str | None = None, fresh: bool = False,
    ) -> None:  # fmt: skip
        self.n_clusters, self.epsilon, self.delta = n_clusters, epsilon, delta
        self.columns, self.bounds, self.method, self.rounds = columns, bounds, method, rounds
        self.max_rows, self.max_groups, self.unit = max_rows, max_groups, unit
        self.workspace, self.dataset, self.analyst, self.fresh = workspace, dataset, analyst, fresh
        self.categories = None

    def _options(self, label: str | None) -> list[str]:
        out = ["--clusters", str(self.n_clusters)]
        if self.method is not None:
            out += ["--method", self.method]
        if self.rounds is not None:
            out += ["--rounds", str(self.rounds)]
        return out

    def _take(self, model: dict[str, Any]) -> None:
        clusters = model["clusters"]
        self.cluster_centers_ = np.array([each["centre"] for each in clusters])
        self.cluster_centers_halfwidth_ = np.array([each["centre_half_widths"] for each in clusters])
        self.cluster_sizes_ = np.array([each["size"] for each in clusters])
        self.cluster_sizes_halfwidth_ = np.array([each["size_half_width"] for each in clusters])

    def predict(self, rows: Any) -> Array:
        return np.array(self._applied(rows)["cluster"])

    def score(self, rows: Any, y: Any = None) -> float:
        """Minus the sum of squared distances. Of private rows this is itself a release."""
        return -float(np.sum(np.array(self._applied(rows)["distance"], dtype=float) ** 2))


class PCA(_Estimator):
    """Principal components of a noisy covariance. `scaled` divides each column by half its range."""

    _kind = "pca"

    def __init__(
        self, n_components: int | None = None, *, epsilon: Number = 1, delta: Number | None = None,
        columns: Sequence[str] | None = None, bounds: Bounds | None = None, scaled: bool = False,
        max_rows: int | None = None, unit: str | None = None, workspace: str | Path | None = None,
        dataset: str | None = None, analyst: str | None = None, fresh: bool = False,
    ) -> None:  # fmt: skip
        self.n_components, self.epsilon, self.delta = n_components, epsilon, delta
        self.columns, self.bounds, self.scaled = columns, bounds, scaled
        self.max_rows, self.unit = max_rows, unit
        self.workspace, self.dataset, self.analyst, self.fresh = workspace, dataset, analyst, fresh
        self.categories = self.max_groups = None

    def _options(self, label: str | None) -> list[str]:
        return ["--scaled"] if self.scaled else []

    def _take(self, model: dict[str, Any]) -> None:
        kept = model["components"][: self.n_components]
        self.mean_ = np.array(model["means"])
        self.mean_halfwidth_ = np.array(model["mean_half_widths"])
        self.covariance_ = np.array(model["covariance"])
        self.components_ = np.array([each["direction"] for each in kept])
        self.explained_variance_ = np.array([each["variance"] for each in kept])
        self.explained_variance_ratio_ = np.array([each["share"] for each in kept])
        self.noise_floor_ = float(model["noise_floor"])
        """Variances below it may be noise alone."""

    def transform(self, rows: Any) -> Array:
        said = self._applied(rows)
        return np.array([said[f"component_{k + 1}"] for k in range(len(self.components_))]).T

    def fit_transform(self, rows: Any, y: Any = None) -> Array:
        return self.fit(rows).transform(rows)

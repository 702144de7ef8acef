"""Anonymized tables from Python, by the command that the package carries."""

from __future__ import annotations

import collections
import csv
from pathlib import Path

import pytest

import tacit

POLICY = """
[columns]
person = "identifier"
hour = "quasi-identifier"
minutes = {role = "quasi-identifier", hierarchy = {intervals = [5, 10, 20], from = 0, to = 60}}
paid = "other"
city = "quasi-identifier"
day = "other"
member = "other"

[privacy]
k = 5
suppression = 0.05
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    file = tmp_path / "policy.toml"
    file.write_text(POLICY)
    return file


def test_a_table_is_published_and_entered(clinic: tacit.Workspace, folder: Path, policy: Path) -> None:
    safe = folder / "safe.csv"
    with pytest.raises(tacit.InputError, match="accept"):
        clinic.anonymize(folder / "visits.csv", policy=policy, output=safe)
    assert not safe.exists()
    told = clinic.anonymize(folder / "visits.csv", policy=policy, output=safe, accept_no_dp=True, effort=1000)
    assert told["guarantee"] == "none proved" and told["rows"] == 400 and told["dataset"] == "clinic"
    with safe.open() as file:
        rows = list(csv.DictReader(file))
    assert "person" not in rows[0] and len(rows) == 400 - told["suppressed"]
    classes = collections.Counter((row["hour"], row["minutes"], row["city"]) for row in rows)
    assert min(classes.values()) >= 5
    # Later certificates name it.
    answer = clinic.query("SELECT count(*) AS n FROM visits", epsilon=0.1, max_rows=3)
    assert answer.certificate is not None
    assert [each["entry"] for each in answer.certificate["none_proved"]] == [int(told["entry"].split(":")[0])]


def test_a_declared_table_is_published_against_an_earlier_one(
    clinic: tacit.Workspace, folder: Path, policy: Path
) -> None:
    first, second = folder / "first.csv", folder / "second.csv"
    clinic.anonymize(table="visits", policy=policy, output=first, accept_no_dp=True, report=folder / "page.html")
    assert first.exists() and (folder / "page.html").exists()
    with pytest.raises(tacit.InputError):
        clinic.anonymize(policy=policy, output=second, accept_no_dp=True)
    with pytest.raises(tacit.TacitError, match="nobody|no.*account|declare|dataset"):
        clinic.anonymize(table="visits", policy=policy, output=second, accept_no_dp=True, dataset="nobody")
    assert not second.exists()

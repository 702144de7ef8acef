"""What teachers answered, and what is to be said of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from tacit.errors import InputError
from tacit.pate.arrays import filled_like, take

Student = TypeVar("Student", bound=Any)


@dataclass(frozen=True)
class Answers:
    """Labels that teachers gave to public inputs, by noisy votes."""

    places: list[int]
    """Of the public inputs that were answered."""
    labels: list[int]
    """Their labels."""
    asked: int
    """How many inputs teachers were asked about."""
    epsilon: float
    """Proved for the answers at `delta`, whatever the votes were: what the ledger charged."""
    delta: float
    hindsight_epsilon: float | None
    """Proved for the answers and this number together, in hindsight: it has noise of its own. None
    where it was not planned. Nothing is given back for it."""
    account: str
    """Who paid: DATASET, DATASET/ANALYST, or an account of its own."""
    certificate: dict[str, Any]
    """What was proved (docs/pate.md)."""
    unsanitised_epsilon: float | None = field(repr=False, compare=False)
    """What papers print: the cost in hindsight without noise. It depends on the votes and is itself
    private: NOT FOR RELEASE. None where answers were kept from before: it is in no file."""

    def teach(self, student: Student, public: Any) -> Student:
        """Fit a student on the answers; `public` are the inputs teachers were asked about."""
        if not self.places:
            raise InputError("teachers gave no answer", "teach", "plan for more questions, or a lower threshold")
        student.fit(take(public, self.places), filled_like(public, self.labels))
        return student

    def to_json(self, terms: dict[str, str]) -> str:
        """All that may be released, and what it is the answer to."""
        told = {name: value for name, value in asdict(self).items() if name != "unsanitised_epsilon"}
        return json.dumps({"format": _FORMAT, "terms": terms, "answers": told})

    @classmethod
    def from_json(cls, text: str, terms: dict[str, str]) -> Answers:
        """What `to_json` gave, under the same terms."""
        try:
            kept = json.loads(text)
            known, answers = kept["terms"], cls(**kept["answers"], unsanitised_epsilon=None)
        except (ValueError, KeyError, TypeError) as damaged:
            raise InputError("these are no answers of teachers", "keep", "name another folder") from damaged
        for name, value in terms.items():
            if known.get(name) != value:
                raise InputError(
                    f"answers that are kept here are of another run: {name} was {known.get(name)}, not {value}",
                    "keep",
                    "name another folder to pay for new answers",
                )
        return answers


_FORMAT = "tacit answers of teachers 1"

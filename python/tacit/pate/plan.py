"""What decides the privacy of votes."""

from __future__ import annotations

from dataclasses import dataclass

from tacit import _native
from tacit.errors import InputError
from tacit.workspace import Number, option_text


@dataclass(frozen=True)
class Hindsight:
    """How the cost that depends on votes is released. What is None has the library's default."""

    order: float | None = None
    """The Rényi order at which costs are added up: chosen before votes are seen."""
    smoothness: Number | None = None
    rho: Number | None = None
    """What it costs, as zero-concentrated differential privacy, beside `delta`."""
    delta: Number | None = None

    def native(self) -> tuple[float | None, str | None, str | None, str | None]:
        """As the library has it."""
        return (self.order, _text_or_none(self.smoothness), _text_or_none(self.rho), _text_or_none(self.delta))


@dataclass(frozen=True)
class Plan:
    """All that decides the privacy of votes. Public, and fixed before teachers are asked."""

    classes: int
    """Labels are whole numbers from 0 to classes - 1."""
    answers: int
    """The most answers."""
    scale: Number
    """Of the noise on each count, in votes: its standard deviation, or the scale of Laplace noise."""
    noise: str = "gaussian"
    """gaussian (GNMax) or laplace (LNMax)."""
    questions: int | None = None
    """The most questions; as many as answers, unless there is a threshold."""
    threshold: int | None = None
    """Confident GNMax: answer only where the largest count, with noise, reaches so many votes."""
    test_deviation: Number | None = None
    """Of the noise on that count."""
    hindsight: Hindsight | None = None
    """Whether, and how, to release what the votes cost in hindsight."""

    @property
    def most_questions(self) -> int:
        """How many questions may be asked."""
        return self.answers if self.questions is None else self.questions

    def epsilon(self, delta: float) -> float:
        """What the votes cost at a delta, whatever they will be."""
        return self.native().epsilon(delta)

    def native(self) -> _native.Votes:
        """As the library has it. Raises InputError where the plan has no meaning."""
        if (self.threshold is None) != (self.test_deviation is None):
            raise InputError(
                "a test of confidence has a threshold and noise",
                "the plan of the votes",
                "give threshold and test_deviation, or neither",
            )
        for name in ("classes", "answers", "questions", "threshold"):
            count = getattr(self, name)
            if count is not None and (not isinstance(count, int) or count < 0):
                raise InputError(f"{count!r} is no number of things", name, "give a whole number")
        return _native.Votes(
            self.classes,
            self.noise,
            option_text(self.scale),
            self.most_questions,
            self.answers,
            None if self.threshold is None else (self.threshold, option_text(self.test_deviation)),
            None if self.hindsight is None else self.hindsight.native(),
        )


def _text_or_none(number: Number | None) -> str | None:
    return None if number is None else option_text(number)

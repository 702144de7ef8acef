"""Teachers are trained, asked, and their votes counted with noise."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tacit import _native
from tacit._units import unit_names
from tacit._user import user_name
from tacit.errors import InputError
from tacit.pate.answers import Answers
from tacit.pate.arrays import filled_like, is_label, listed, take, whole_numbers
from tacit.pate.digest import digest
from tacit.pate.generators import fresh_generators
from tacit.pate.plan import Plan
from tacit.pate.progress import Progress

Ballot = Sequence[Any]
"""A teacher's label for each question; whatever is no label is no vote."""
Ballots = Callable[[list[list[int]]], Iterable[Ballot]]
"""From the places of each teacher's examples to its ballot."""

_numbers = itertools.count(1)


def label(
    private: tuple[Any, Any],
    public: Any,
    *,
    teacher: Callable[[], Any],
    teachers: int,
    plan: Plan,
    delta: float,
    units: Sequence[Hashable] | None = None,
    workspace: str | os.PathLike[str] | None = None,
    account: str | None = None,
    keep: str | os.PathLike[str] | None = None,
) -> Answers:
    """Label public inputs by noisy votes of teachers, each trained on its own part of private data.

    private: inputs and their labels, from 0 to plan.classes - 1.
    public: inputs; teachers are asked about the first plan.most_questions of them.
    teacher: makes something with fit(inputs, labels) and predict(inputs), for example a class. Each is made
    and trained with the global generators of Python, NumPy and PyTorch seeded anew; it must share no other.
    units: whose each private example is, equal values for one unit; by default each is a unit of its own.
    workspace, account: who pays ("DATASET" or "DATASET/ANALYST"); without them an account of its own
    in a ledger of yours, and its place is said.
    keep: a folder for the answers. Where it has them already, for the same public inputs, or where they are
    paid for and teachers were not asked before the process died, nothing is paid again.

    All that the answers may cost is charged before a teacher sees its part. One that fails there gives
    no vote, since failing may depend on private data; so a teacher is tried first, on public inputs.
    """
    inputs, labels = private
    plan.native()
    asked_about = take(public, range(min(plan.most_questions, len(public))))
    units = range(len(inputs)) if units is None else units
    if len(units) != len(inputs):
        raise InputError("there is not one unit for each input", "units", "say whose each example is")
    _check_labels(inputs, labels, plan.classes)
    for rows in private:
        _check_places(rows)
    _rehearse(teacher, asked_about, labels, plan.classes)

    def ballots(parts: list[list[int]]) -> Iterable[Ballot]:
        for places in parts:
            yield _ballot(teacher, private, places, asked_about)

    return ask(
        ballots,
        questions=len(asked_about),
        units=units,
        teachers=teachers,
        plan=plan,
        delta=delta,
        workspace=workspace,
        account=account,
        keep=keep,
        public=asked_about,
    )


def ask(
    ballots: Ballots,
    *,
    questions: int,
    units: Sequence[Hashable],
    teachers: int,
    plan: Plan,
    delta: float,
    workspace: str | os.PathLike[str] | None = None,
    account: str | None = None,
    keep: str | os.PathLike[str] | None = None,
    public: Any = None,
) -> Answers:
    """The same with teachers that are trained in a way of your own.

    ballots: is given, for each teacher, the places of its examples, and gives each one's labels for the
    questions, in order. What teacher number i votes must depend on no private example but those of its
    own part, neither by a model that teachers share nor by a generator that all of them draw from: that
    is what the proof stands on.
    units: whose each private example is. The examples of one unit go to one teacher, by a keyed hash.
    public: what the questions are about, so that answers in `keep` are not taken for those to others.
    """
    if questions < 1:
        raise InputError("there is nothing to ask", "questions", "give public inputs")
    election = _Election(plan, min(questions, plan.most_questions), teachers, delta)
    payer = _Payer(workspace, account)
    names = _unit_names(units)
    if keep is None:
        return election.hold(ballots, names, payer, None)
    if public is not None:
        election.terms["public"] = digest(public)
    with contextlib.closing(_native.RunFolder(os.fspath(keep))) as folder:
        kept = folder.kept()
        if kept is not None:
            return Answers.from_json(kept, election.terms)
        answers = election.hold(ballots, names, payer, folder.id)
        folder.keep(answers.to_json(election.terms))
        return answers


class _Election:
    """Votes by a plan, and all that they are bound to."""

    def __init__(self, plan: Plan, questions: int, teachers: int, delta: float) -> None:
        self._plan = plan
        self._questions = questions
        self._votes = plan.native()
        self._epsilon = self._votes.epsilon(delta)
        self._delta = delta
        self._split = _native.Teachers(teachers)
        self._teachers = teachers
        self.terms = {
            "teachers": str(teachers),
            "questions": str(questions),
            "classes": str(plan.classes),
            "threshold": str(plan.threshold),
            "delta": repr(delta),
            "plan": hashlib.sha256(self._votes.cost.encode()).hexdigest(),
        }

    def hold(self, ballots: Ballots, units: list[str], payer: _Payer, run: str | None) -> Answers:
        """Pay, or go on with a run that is paid for, and only then let teachers see their parts."""
        parts: list[list[int]] = [[] for _ in range(self._teachers)]
        for place, number in enumerate(self._split.of(units)):
            parts[number].append(place)
        account = payer.open(self._votes, self._epsilon, self._delta, run)
        what = f"votes of {self._teachers} teachers on {self._questions} public inputs"
        voting = account.reserve(self._votes, what, run, list(self.terms.items()))
        counts = self._count(ballots(parts))
        return self._answers(voting, counts, what, account.name)

    def _count(self, ballots: Iterable[Ballot]) -> list[list[int]]:
        """The votes for each class, on each question."""
        classes = self._plan.classes
        counts = [[0] * classes for _ in range(self._questions)]
        bar = Progress("teacher", self._teachers)
        for done, ballot in enumerate(itertools.islice(ballots, self._teachers), start=1):
            for count, choice in zip(counts, whole_numbers(ballot), strict=False):
                if is_label(choice, classes):
                    count[choice] += 1
            bar.show(done)
        bar.end()
        return counts

    def _answers(self, voting: _native.Voting, counts: list[list[int]], what: str, account: str) -> Answers:
        places, labels = [], []
        # Also after the last answer: what the votes cost in hindsight is that of all of them, whatever came out.
        for place, count in enumerate(counts):
            answer = voting.ask(count)
            if answer is not None:
                places.append(place)
                labels.append(answer)
        return Answers(
            places=places,
            labels=labels,
            asked=len(counts),
            epsilon=self._epsilon,
            delta=self._delta,
            unsanitised_epsilon=voting.unsanitised_epsilon(self._delta),
            hindsight_epsilon=voting.end(self._delta),
            account=account,
            certificate=json.loads(voting.certificate(what, self._delta)),
        )


def _ballot(
    teacher: Callable[[], Any], private: tuple[Any, Any], places: list[int], asked_about: Any
) -> Ballot:
    """A teacher's votes. None where it fails, which is nobody's business but its part's."""
    with fresh_generators():
        try:
            model = teacher()
            model.fit(*(take(rows, places) for rows in private))
            return whole_numbers(model.predict(asked_about))
        except Exception:
            return []


def _unit_names(units: Sequence[Hashable]) -> list[str]:
    names: list[str] = []
    for name in unit_names(listed(units), "units"):
        if name is None:
            raise InputError("an example has no unit (None or NaN)", "units", "say whose each example is")
        names.append(name)
    return names


def _check_places(rows: Any) -> None:
    """Finds what has no rows to take before anything is charged. It depends on the container, not on rows."""
    try:
        fits = all(len(take(rows, places)) == len(places) for places in ([], [0][: len(rows)]))
    except Exception:
        fits = False
    if not fits:
        raise InputError(
            f"rows of {type(rows).__name__} cannot be taken by their places",
            "private",
            "give an array, a tensor, a data frame, an Arrow table or a list",
        )


def _check_labels(inputs: Any, labels: Any, classes: int) -> None:
    if len(inputs) != len(labels):
        raise InputError("there is not one label for each input", "private", "give as many labels as inputs")
    if not all(is_label(each, classes) for each in whole_numbers(labels)):
        raise InputError(
            f"labels are not all whole numbers from 0 to {classes - 1}",
            "private",
            "number the classes, and say how many there are in the plan",
        )


def _rehearse(teacher: Callable[[], Any], public: Any, labels: Any, classes: int) -> None:
    """Finds what is wrong with a teacher before anything is charged: on public inputs, with made-up labels."""
    if len(public) == 0:
        raise InputError("there is nothing to ask", "public", "give public inputs")
    places = [place % len(public) for place in range(2 * classes)]
    with fresh_generators():
        model = teacher()
        model.fit(take(public, places), filled_like(labels, [place % classes for place in range(2 * classes)]))
        given = whole_numbers(model.predict(take(public, places)))
    if len(given) != len(places) or not all(is_label(each, classes) for each in given):
        raise InputError(
            f"predict does not give one whole number from 0 to {classes - 1} for each input",
            "teacher",
            "let it give labels, not scores",
        )


class _Payer:
    """An account of a workspace; or, without one, an account in a ledger of the user's."""

    def __init__(self, workspace: str | os.PathLike[str] | None, account: str | None) -> None:
        if (workspace is None) != (account is None):
            raise InputError(
                "a workspace pays from an account, and an account lies in a workspace",
                "account",
                'for example: workspace="clinic", account="clinic/ana"',
            )
        self._workspace = workspace
        self._account = account

    def open(
        self, votes: _native.Votes, epsilon: float, delta: float, run: str | None
    ) -> _native.PayingAccount:
        """The account; one of the user's has a cap for these votes, and its place is said."""
        who = user_name()
        if self._workspace is not None and self._account is not None:
            return _native.workspace_account(os.fspath(self._workspace), self._account, who)
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        file = Path(data).expanduser() / "tacit" / "training.sqlite"
        name = "pate-" + (run or f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{next(_numbers)}")
        account = _native.file_account(str(file), name, who, epsilon, delta, votes)
        print(
            f"tacit: votes are charged to the account {name} of {file}\n"
            f"  they have epsilon {epsilon:.4g} at delta {delta:g}",
            file=sys.stderr,
        )
        return account

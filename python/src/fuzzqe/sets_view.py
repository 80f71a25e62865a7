"""Answers by fuzzy sets on one state of the facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from .answers import Answers, SetsAnswer, State
from .errors import FuzzError
from .evidence import Evidence
from .explain import Explainer
from .facts import Facts
from .graphs import CHECK
from .kept import Kept
from .manifest import Manifest
from .notation import format_query
from .options import Options
from .project_set import best
from .query import And, Not, Query, operands_of, warnings_of
from .sets import Sets
from .vocabulary import Vocabulary

Floats = npt.NDArray[np.float32]
Marks = npt.NDArray[np.bool_]

LEAST_SUGGESTION = 0.01
"""The lowest degree of a suggestion."""
_UNDOUBTED = 0.95
_PERIODS_KEPT = 4
_NO_VALIDITY = "no-validity: no fact says when it holds, so that the answer is that of all facts, whatever the date"


class SetsView:
    """Answers and explains by some facts, and by those of them that hold at a moment."""

    def __init__(
        self, manifest: Manifest, vocabulary: Vocabulary, facts: Facts, evidence: Evidence, *, dated: bool = False
    ) -> None:
        """`dated`: whether the facts are those of a moment."""
        self.facts = facts
        self._dated = dated or facts.has_bounds
        self._manifest, self._vocabulary, self._evidence = manifest, vocabulary, evidence
        self.sets = Sets(evidence.links, facts, manifest.model, manifest.sets.projection)
        self.explainer = Explainer(self.sets, facts, manifest.model.logic, vocabulary, evidence.reasons_of)
        self._periods: Kept[SetsView] = Kept(_PERIODS_KEPT, lambda _: 1)

    def on(self, facts: Facts, *, dated: bool = False) -> SetsView:
        """The same on other facts of the same graph."""
        return SetsView(self._manifest, self._vocabulary, facts, self._evidence.on(facts), dated=dated)

    def at(self, moment: float) -> SetsView:
        """The same on the facts that hold at a moment."""
        return self._periods.get(self.facts.period(moment), lambda: self.on(self.facts.at(moment), dated=True))

    def answers(self, queries: Sequence[Query], options: Options) -> list[Answers[SetsAnswer]]:
        """The best answers to each query, with suggestions."""
        answers = []
        # Degrees are of single precision: a limit of 0.7 keeps what is as near to it as they can be.
        least, lowest = np.float32(options.min_degree), np.float32(LEAST_SUGGESTION)
        for query, degrees in zip(queries, self.sets.degrees(queries), strict=True):
            if np.isnan(degrees).any():
                raise FuzzError("runtime", "degrees: expected numbers, got NaN", hint=CHECK)
            known = self.facts.answers(query)
            partly = self._partly(query)
            doubts = _has_negation(query)

            def named(
                ids: npt.NDArray[np.int32], degrees: Floats, known: Marks, partly: Marks, doubts: bool
            ) -> list[SetsAnswer]:
                return [
                    SetsAnswer(
                        **names_of(self._vocabulary, entity),
                        state=_state(float(degrees[entity]), bool(known[entity]), bool(partly[entity]), doubts),
                        degree=float(degrees[entity]),
                    )
                    for entity in ids.tolist()
                ]

            sure = (degrees >= least) if options.exclude == "known" else known | (degrees >= least)
            open_ = np.where(known, 0, degrees) if options.exclude == "known" else degrees
            ids = best(np.where(sure, open_, 0), options.k)
            wanted = options.k - len(ids) if options.suggestions else 0
            others = best(np.where(sure | known | (degrees < lowest), 0, degrees), wanted)
            undated = options.at is not None and not self._dated
            warnings = [*([_NO_VALIDITY] if undated else []), *warnings_of(query)]
            if len(ids) == len(others) == 0:
                warnings = [*warnings, _nothing(options)]
            answers.append(
                Answers(
                    format_query(query, self._vocabulary),
                    named(ids, degrees, known, partly, doubts),
                    warnings,
                    SetsAnswer,
                    named(others, degrees, known, partly, doubts),
                )
            )
        return answers

    def _partly(self, query: Query) -> Marks:
        """What the facts give to some operand of a conjunction; an absent link is no evidence."""
        marks = np.zeros(self._manifest.model.entities, bool)
        if isinstance(query, And):
            for operand in query.operands:
                if not isinstance(operand, Not):
                    marks |= self.facts.answers(operand)
        return marks


class Naming(TypedDict):
    """The names of an entity, as fields of an answer."""

    id: int
    key: str
    label: str


def names_of(vocabulary: Vocabulary, entity: int) -> Naming:
    """The names of an entity."""
    names = vocabulary.entities
    return {"id": entity, "key": names.keys[entity], "label": names.labels[entity]}


def _has_negation(query: Query) -> bool:
    return isinstance(query, Not) or any(map(_has_negation, operands_of(query)))


def _state(degree: float, known: bool, partly: bool, doubts: bool) -> State:
    """How an answer stands to the facts; without a negation, a low degree is the confidence of its facts."""
    if known:
        return "recorded" if degree >= _UNDOUBTED or not doubts else "doubted"
    return "partly" if partly else "predicted"


def _nothing(options: Options) -> str:
    """Says why there is neither an answer nor a suggestion."""
    lowest = min(options.min_degree, LEAST_SUGGESTION) if options.suggestions else options.min_degree
    least = f"of {lowest:g} or more" if lowest > 0 else "above 0"
    if options.exclude == "known":
        return f"few-answers: no answers beyond the recorded ones: no other entity has a degree {least}"
    return f"few-answers: no answers: nothing is recorded, and no entity has a degree {least}"

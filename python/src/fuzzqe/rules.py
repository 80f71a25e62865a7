"""Rules of a graph: `rules.tsv`, and which tails of a link the rules name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .errors import FuzzError, describe_value
from .facts import Facts, Ids

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

_HEADER = ("fuzzqe-rules", "1")
_NUMBER = "(0|[1-9][0-9]{0,9})"
_RULE = re.compile(
    rf"{_NUMBER}\t{_NUMBER}\t{_NUMBER}\t(?:path {_NUMBER}(?: {_NUMBER})?(?: {_NUMBER})?"
    rf"|constant {_NUMBER} {_NUMBER} {_NUMBER})"
)
_DOUBT = 5
_EDGES_A_LEVEL = 1024
_EDGES_A_LINK = 2**13
_MOST_JOINED = 6
_SUREST = 0.999


@dataclass(frozen=True, slots=True)
class Rule:
    """A path rule `r(X, Y) ← r₁(X, Z₁) … rₙ(Zₙ₋₁, Y)`, or a constant rule `r(X, c) ← q(X, d)`."""

    relation: int
    hits: int
    predictions: int
    path: tuple[int, ...]
    """r₁ … rₙ, one to three; none of a constant rule."""
    constant: tuple[int, int, int] | None
    """c, q and d; None of a path rule."""

    @property
    def confidence(self) -> float:
        """How often the rule is right: `hits / (predictions + 5)`, in [0, 1)."""
        return self.hits / (self.predictions + _DOUBT)

    @property
    def order(self) -> tuple[object, ...]:
        """The one order of rules: higher confidences, paths before constants, shorter paths, then lower numbers."""
        return self.relation, -self.confidence, self.constant is not None, len(self.path), self.path or self.constant


@dataclass(frozen=True, slots=True)
class RuleInstance:
    """A rule that names the tail of a link, with the entities that let it: X, Z₁, …, Y, or X and d."""

    rule: Rule
    entities: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FiredRules:
    """The entities that rules name for a link, ascending. Shapes: [n] each."""

    ids: Ids
    best: Floats
    """The highest confidence of a rule that names the entity."""
    joined: Floats
    """`1 − Π (1 − min(c, 0.999))` over the six highest."""


class Rules:
    """The rules of a graph, by relation."""

    def __init__(self, facts: Facts, rules: Sequence[Rule]) -> None:
        self._facts = facts
        self._paths: dict[int, list[Rule]] = defaultdict(list)
        # By the relation of the rule and that of the attribute.
        self._constants: dict[int, dict[int, list[Rule]]] = defaultdict(lambda: defaultdict(list))
        for rule in sorted(rules, key=lambda rule: rule.order):
            if rule.constant is None:
                self._paths[rule.relation].append(rule)
            else:
                self._constants[rule.relation][rule.constant[1]].append(rule)

    def on(self, facts: Facts) -> Rules:
        """The same rules on other facts of the same graph."""
        same = copy(self)
        same._facts = facts
        return same

    def fire(self, head: int, relation: int) -> FiredRules:
        """The entities that the rules of a relation name, without the head and the recorded tails of the link."""
        named: list[Ids] = []
        confidences: list[Doubles] = []
        for rule, paths in self._follow(head, relation):
            if len(ends := paths.distinct_ends()):
                named.append(ends)
                confidences.append(np.full(len(ends), rule.confidence))
        constants = list(self._matching(head, relation))
        named.append(np.array([rule.constant[0] for rule in constants if rule.constant], np.int32))
        confidences.append(np.array([rule.confidence for rule in constants], np.float64))
        entities, trust = np.concatenate(named), np.concatenate(confidences)
        closed = np.append(self._facts.tails(head, relation), np.int32(head))
        kept = ~np.isin(entities, closed)
        return _joined(entities[kept], trust[kept])

    def explain(self, head: int, relation: int, tail: int, most: int) -> list[RuleInstance]:
        """The rules that name a tail of a link, best first, as `fire` lets them; the tail may be recorded."""
        if head == tail:
            return []
        found: list[RuleInstance] = []
        for rule, paths in self._follow(head, relation):
            if (entities := paths.first_to(tail)) is not None:
                found.append(RuleInstance(rule, entities))
            if len(found) == most:
                break
        for rule in self._matching(head, relation):
            if rule.constant is not None and rule.constant[0] == tail:
                found.append(RuleInstance(rule, (head, rule.constant[2])))
        return sorted(found, key=lambda instance: instance.rule.order)[:most]

    def _follow(self, head: int, relation: int) -> Iterator[tuple[Rule, _Paths]]:
        """The path rules of a relation with their paths from an entity; none begins after 2¹³ edges."""
        # Rules share the beginnings of their paths.
        known: dict[tuple[int, ...], _Paths] = {(): _Paths(np.array([[head]], np.int32), 0)}
        looked = 0
        for rule in self._paths.get(relation, ()):
            if looked >= _EDGES_A_LINK:
                return
            paths = known[()]
            for length in range(1, len(rule.path) + 1):
                beginning = rule.path[:length]
                if beginning not in known:
                    known[beginning] = paths.longer(self._facts, beginning[-1])
                paths = known[beginning]
                looked += paths.looked
            yield rule, paths

    def _matching(self, head: int, relation: int) -> Iterator[Rule]:
        """The constant rules of a relation whose attribute the head has."""
        constants = self._constants.get(relation, {})
        if not constants:
            return
        for along in self._facts.relations_of(head):
            if along in constants:
                tails = set(self._facts.tails(head, along).tolist())
                yield from (rule for rule in constants[along] if rule.constant and rule.constant[2] in tails)


class _Paths:
    """Paths from one entity through distinct entities, in order. Shape of `entities`: [length + 1, n]."""

    def __init__(self, entities: Ids, looked: int) -> None:
        self._entities = entities
        self.looked = looked
        """How many edges the last level has looked at."""
        self._ends: Ids | None = None

    def longer(self, facts: Facts, relation: int) -> _Paths:
        """The paths one relation further, of the first 1024 edges that continue these."""
        if not self._entities.shape[1]:
            return _Paths(self._entities, 0)
        parents, tails = facts.expand(self._entities[-1], relation, _EDGES_A_LEVEL)
        before = self._entities[:, parents]
        kept = (before != tails).all(axis=0)
        return _Paths(np.concatenate([before[:, kept], tails[kept][None]]), len(tails))

    def distinct_ends(self) -> Ids:
        """Where the paths end, each entity once."""
        if self._ends is None:
            self._ends = np.unique(self._entities[-1])
        return self._ends

    def first_to(self, entity: int) -> tuple[int, ...] | None:
        """The entities of the first path to an entity."""
        (places,) = np.nonzero(self._entities[-1] == entity)
        return tuple(self._entities[:, places[0]].tolist()) if len(places) else None


def _joined(entities: Ids, confidences: Doubles) -> FiredRules:
    """What the confidences of each entity are together, by ascending entities."""
    order = np.lexsort((-confidences, entities))
    confidences = confidences[order]
    ids, first, counts = np.unique(entities[order], return_index=True, return_counts=True)
    rest = np.ones(len(ids))
    # From the highest on, so that every reader rounds the same product.
    for place in range(_MOST_JOINED):
        some = counts > place
        rest[some] *= 1 - np.minimum(confidences[first[some] + place], _SUREST)
    return FiredRules(ids, confidences[first].astype(np.float32), (1 - rest).astype(np.float32))


def read_rules(text: str, facts: Facts, digest: str, path: str) -> Rules:
    """The rules in the text of `rules.tsv`. Raises FuzzError `bundle`: another form, or rules of another graph."""
    lines = text.split("\n")
    if lines.pop() != "" or not lines:
        raise _damaged(len(lines) + 1, "expected a line feed, got the end of the file", path)
    _check_header(lines[0], facts, digest, path)
    rules: dict[tuple[object, ...], Rule] = {}
    for number, line in enumerate(lines[1:], 2):
        rule = _read_rule(line, facts, f"{path}:{number}")
        key = rule.relation, rule.path, rule.constant
        if key in rules:
            raise _damaged(number, "expected each rule once, got a rule that an earlier line has", path)
        rules[key] = rule
    return Rules(facts, list(rules.values()))


def _check_header(line: str, facts: Facts, digest: str, path: str) -> None:
    cells = line.split("\t")
    if len(cells) != 5 or tuple(cells[:2]) != _HEADER:
        expected = "the first line of a file of rules, `fuzzqe-rules 1 |E| |R| digest`"
        raise _damaged(1, f"expected {expected}, got {describe_value(line)}", path)
    sizes = [str(facts.entities), str(facts.relations)]
    if cells[2:4] != sizes:
        expected = f"{sizes[0]} entities and {sizes[1]} relations"
        got = " and ".join(map(describe_value, cells[2:4]))
        raise _damaged(1, f"the rules are of another graph: expected {expected}, got {got}", path)
    if cells[4] not in ("-", digest):
        expected = f"facts with SHA-256 {digest}"
        raise _damaged(1, f"the rules are of other facts: expected {expected}, got {describe_value(cells[4])}", path)


def _read_rule(line: str, facts: Facts, place: str) -> Rule:
    match = _RULE.fullmatch(line)
    if match is None:
        form = "relation, hits, predictions and `path r …` or `constant c q d`"
        raise FuzzError("bundle", f"expected {form}, got {describe_value(line)}", place, _AGAIN)
    relation, hits, predictions, *ids = (None if group is None else int(group) for group in match.groups())
    assert relation is not None
    assert hits is not None
    assert predictions is not None
    path = tuple(each for each in ids[:3] if each is not None)
    constant = None if ids[3] is None else (ids[3], ids[4] or 0, ids[5] or 0)
    if max(relation, *path, 0 if constant is None else constant[1]) >= facts.relations:
        raise FuzzError("bundle", f"expected relations in [0, {facts.relations}), got {line!r}", place, _AGAIN)
    if constant is not None and max(constant[0], constant[2]) >= facts.entities:
        raise FuzzError("bundle", f"expected entities in [0, {facts.entities}), got {line!r}", place, _AGAIN)
    if not 1 <= hits <= predictions < 2**31:
        expected = "1 ≤ hits ≤ predictions < 2³¹"
        raise FuzzError("bundle", f"expected {expected}, got {hits} and {predictions}", place, _AGAIN)
    return Rule(relation, hits, predictions, path, constant)


_AGAIN = "Export or download the bundle again."


def _damaged(line: int, what: str, path: str) -> FuzzError:
    return FuzzError("bundle", what, f"{path}:{line}", _AGAIN)

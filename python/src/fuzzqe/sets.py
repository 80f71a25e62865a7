"""Answers by fuzzy sets of entities: (9) and (10) of docs/model.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from .facts import Facts, Ids
from .graphs import Graphs
from .model import Model
from .neighbours import Neighbours
from .query import And, Entity, Not, Or, Project, Query, operands_of
from .sets_entry import Calibration

Floats = npt.NDArray[np.float32]

CERTAIN = np.nextafter(np.float32(0.95), np.float32(1))
"""From this degree on a member counts as certain: the least float32 that is not below 0.95."""

_Join = Callable[[Floats, Floats], Floats]
# (5) and (6) by the logic, on sets of float32, which NumPy rounds at every step.
_JOINED: Mapping[str, tuple[_Join, _Join]] = {
    "product": (np.multiply, lambda a, b: a + b * (1 - a)),
    "godel": (np.minimum, np.maximum),
    "lukasiewicz": (lambda a, b: np.maximum(a + b - 1, 0), lambda a, b: np.minimum(a + b, 1)),
}

_LINKS_AT_ONCE = 64
_USUAL_SHARE = 1 / 8
_NO_TAILS = 0.1
# Queries are answered together while their sets have so many numbers at most, and one at a time where one has more.
_NUMBERS_AT_ONCE = 2**24
_NUMBERS_KEPT = 2**24


class Sets:
    """The fuzzy sets of queries on one profile of a bundle."""

    def __init__(
        self, graphs: Graphs, model: Model, facts: Facts, calibration: Calibration, partitions: Floats
    ) -> None:
        self._graphs, self._model, self._facts = graphs, model, facts
        self._calibration, self._partitions = calibration, partitions
        self._kept_factors: dict[int, Floats] = {}
        self._neighbours = Neighbours(facts, calibration, self._factors)

    def degrees(self, queries: Sequence[Query]) -> list[Floats]:
        """The degree of each entity in the answers of each query; equal parts are computed once.

        Shapes: n queries → n of [|E|], shared among equal queries and not to be written to.
        """
        results: list[Floats] = []
        nodes = rows_at_once(_NUMBERS_AT_ONCE, self._model.entities)
        first = 0
        while first < len(queries):
            last, size = first + 1, _size(queries[first])
            while last < len(queries) and (size := size + _size(queries[last])) <= nodes:
                last += 1
            results += self._chunk(queries[first:last])
            first = last
        return results

    def _chunk(self, queries: Sequence[Query]) -> list[Floats]:
        """As `degrees`, with the sets of all parts in memory until nothing takes them any more."""
        uses: Counter[Query] = Counter()

        def count(node: Query) -> None:
            uses[node] += 1
            if uses[node] == 1 and not _is_link(node):
                for operand in operands_of(node):
                    count(operand)

        for query in queries:
            count(query)
        found: dict[Query, Floats] = {}
        links = list(dict.fromkeys(link for query in queries for link in _links_of(query)))
        at_once = rows_at_once(_LINKS_AT_ONCE, self._model.entities)
        for first in range(0, len(links), at_once):
            chunk = links[first : first + at_once]
            for (head, relation), row in zip(chunk, self._links(chunk), strict=True):
                # A copy, for a row of the whole would keep the whole.
                found[Project(relation, Entity(head))] = row.copy()

        def degrees(node: Query) -> Floats:
            if node not in found:
                found[node] = compute(node)
            uses[node] -= 1
            return found[node] if uses[node] else found.pop(node)

        def compute(node: Query) -> Floats:
            match node:
                case Entity(entity):
                    only = np.zeros(self._model.entities, np.float32)
                    only[entity] = 1
                    return only
                case Project(relation, operand):
                    return self._project(degrees(operand), relation)
                case Not(operand):
                    return _negated(degrees(operand), np.float32(self._calibration.negation_lambda))
                case And(operands) | Or(operands):
                    conjunction, disjunction = _JOINED[self._model.logic]
                    join = conjunction if isinstance(node, And) else disjunction
                    return reduce(join, map(degrees, operands))

        return [degrees(query) for query in queries]

    def _links(self, links: Sequence[tuple[int, int]]) -> Floats:
        """(9) The sets of links from anchors. Shape: [n, |E|]."""
        degrees = predicted_links(self._graphs, self._facts, self._calibration, self._partitions, links)
        for row, (head, relation) in zip(degrees, links, strict=True):
            row *= self._factors(relation)
            self._join_neighbours(row, *self._neighbours.links(head, relation))
            row[self._facts.tails(head, relation)] = 1
        return degrees

    def _project(self, degrees: Floats, relation: int) -> Floats:
        """(10) The projection of a set. Shapes: [|E|] → [|E|]."""
        calibration = self._calibration
        sure = degrees >= CERTAIN
        promise = degrees.astype(np.float64) * self._expected_tails(relation)
        likely = best(np.where(sure, 0, promise), calibration.predicted_members)
        members = np.concatenate([best(np.where(sure, promise, 0), calibration.certain_members), likely])
        if not len(members):
            # Nothing leads anywhere from an empty set.
            return np.zeros_like(degrees)
        recorded = np.zeros((3, self._model.entities), np.float32)
        recorded[2] = self._factors(relation)
        # What is recorded of all members counts, as it costs no product; the sum is that of certain and likely ones.
        heads, tails = self._facts.edges(relation)
        counted = sure if calibration.predicted_members == 0 else degrees > 0
        kept = counted[heads]
        np.maximum.at(recorded[0], tails[kept], degrees[heads[kept]])
        added = sure.copy()
        added[likely] = True
        kept = added[heads]
        np.add.at(recorded[1], tails[kept], degrees[heads[kept]])
        links = [(int(member), relation) for member in members]
        (projected,) = self._graphs.run(
            "projectSet",
            heads=members.astype(np.int32),
            relation=np.array([relation], np.int32),
            offsets=offsets(self._facts, calibration, self._partitions, links),
            membership=degrees[members],
            recorded=recorded,
            calibration=numbers(calibration),
        )
        only: Floats = projected[0].copy()
        added = np.zeros_like(only)
        conjunction, _ = _JOINED[self._model.logic]
        # To ask the neighbours of others, which are many, says no more.
        for member in members[degrees[members] >= CERTAIN].tolist():
            ids, votes = self._neighbours.links(member, relation)
            added[ids] = np.maximum(added[ids], conjunction(degrees[member], votes))
        reached = np.flatnonzero(added).astype(np.int32)
        self._join_neighbours(only, reached, added[reached])
        return only

    def _join_neighbours(self, degrees: Floats, ids: Ids, added: Floats) -> None:
        """Joins degrees with what neighbours say, in place, so that none is raised above the cap."""
        _, disjunction = _JOINED[self._model.logic]
        before = degrees[ids]
        degrees[ids] = np.maximum(before, np.minimum(np.float32(self._calibration.cap), disjunction(before, added)))

    def _expected_tails(self, relation: int) -> Floats:
        """How many tails (9) expects of every entity beyond the recorded ones, up to the cap."""
        calibration = self._calibration
        counts = np.full(self._model.entities, _NO_TAILS, np.float64)
        heads, tails = self._facts.heads_with_facts(relation)
        counts[heads] = tails
        return np.minimum(calibration.cap, calibration.weight * counts**calibration.exponent).astype(np.float32)

    def _factors(self, relation: int) -> Floats:
        """κ_r(e) of every entity."""
        if (kept := self._kept_factors.get(relation)) is not None:
            return kept
        factors = np.ones(self._model.entities, np.float32)
        entities, counts = self._facts.heads_with_facts(relation ^ 1)
        share = (np.count_nonzero(counts > 1) + 1) / (len(entities) + 1)
        factors[entities] = min(1.0, share / _USUAL_SHARE) ** self._calibration.exclusivity
        factors.flags.writeable = False
        # Each relation has its own; threads that take room at once lose one another's at most.
        if len(self._kept_factors) >= max(1, _NUMBERS_KEPT // self._model.entities):
            self._kept_factors = {}
        self._kept_factors[relation] = factors
        return factors


def _negated(degrees: Floats, lambda_: np.float32) -> Floats:
    """(7) Sugeno's negation, rounded to float32 at every step. Shape: [|E|]."""
    return (np.float32(1) - degrees) / (degrees * lambda_ + np.float32(1))


def rows_at_once(most: int, entities: int) -> int:
    """How many rows with a number for each entity to hold at once: fewer where there are many entities."""
    return min(most, max(1, _NUMBERS_AT_ONCE // entities))


def predicted_links(
    graphs: Graphs,
    facts: Facts,
    calibration: Calibration,
    partitions: Floats,
    links: Sequence[tuple[int, int]],
) -> Floats:
    """Predicted degrees of the tails of links (head, relation). Shape: [n, |E|]."""
    heads, relations = np.array(links, np.int32).reshape(-1, 2).T.copy()
    degrees: Floats = graphs.run(
        "links",
        heads=heads,
        relations=relations,
        offsets=offsets(facts, calibration, partitions, links),
        calibration=numbers(calibration),
    )[0]
    return degrees


def offsets(facts: Facts, calibration: Calibration, partitions: Floats, links: Sequence[tuple[int, int]]) -> Floats:
    """b_hr of links. Shape: [n]."""
    counts = np.array([max(len(facts.tails(head, relation)), 1) for head, relation in links], np.float64)
    z = partitions[[relation for _, relation in links]].astype(np.float64)
    logs: npt.NDArray[np.float64] = np.log(calibration.weight) + calibration.exponent * np.log(counts) - z
    return logs.astype(np.float32)


def numbers(calibration: Calibration) -> Floats:
    """The numbers of a calibration that graphs take."""
    return np.array([calibration.temperature, calibration.cap, calibration.support], np.float32)


def best(degrees: Floats | npt.NDArray[np.float64], count: int) -> Ids:
    """The entities with the highest degrees above 0, at most `count`; of equal degrees the lower id first."""
    ids = np.flatnonzero(degrees > 0)
    if count < len(ids):
        least = np.partition(degrees[ids], len(ids) - count)[len(ids) - count] if count else np.inf
        ids = ids[degrees[ids] >= least]
    order = np.argsort(-degrees[ids], kind="stable")[:count]
    return ids[order].astype(np.int32)


def _size(query: Query) -> int:
    """How many sets a query has at most."""
    return 1 if _is_link(query) else 1 + sum(map(_size, operands_of(query)))


def _is_link(query: Query) -> bool:
    return isinstance(query, Project) and isinstance(query.operand, Entity)


def _links_of(query: Query) -> list[tuple[int, int]]:
    """The links from anchors in a query: head and relation."""
    if isinstance(query, Project) and isinstance(query.operand, Entity):
        return [(query.operand.entity, query.relation)]
    return [link for operand in operands_of(query) for link in _links_of(operand)]

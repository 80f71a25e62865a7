"""The recorded facts of a graph, and what follows from them alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import FuzzError
from .model import Model
from .query import And, Entity, Not, Or, Project, Query

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Triple: TypeAlias = tuple[int, int, int]
"""Head, even relation, tail."""

_ALWAYS = (float("-inf"), float("inf"))
# A recorded fact keeps a degree above 0 in single precision.
_LOWEST = 2.0**-126


class Said(NamedTuple):
    """What is said of a link, other than that it is a fact."""

    degree: float = 1.0
    """How sure the fact is, in (0, 1]; 0 of a link that is rejected, which is no fact."""
    holds: tuple[float, float] = _ALWAYS
    """From the first moment until just before the second, in seconds since 1970."""


class Facts:
    """Recorded facts with their inverses, by relation and head.

    Statistics are those of `base`, the facts that the evidence was weighed on, whatever has changed since.
    """

    def __init__(
        self, triples: Ids, model: Model, said: Mapping[Triple, Said] | None = None, base: Facts | None = None
    ) -> None:
        self.triples = triples
        """The facts of forward relations, ascending: head, relation, tail. Shape: [n, 3]."""
        self.base = self if base is None else base
        self._model = model
        self._said = {fact: each for fact, each in (said or {}).items() if each != Said()}
        # In both directions: by relation and head, the degree of each tail that is less than certain.
        self._unsure: dict[int, dict[int, dict[int, float]]] = {}
        for (head, relation, tail), each in self._said.items():
            if each.degree < 1:
                degree = max(each.degree, _LOWEST) if each.degree else 0.0
                for start, along, end in ((head, relation, tail), (tail, relation + 1, head)):
                    self._unsure.setdefault(along, {}).setdefault(start, {})[end] = degree
        self._edge_degrees: dict[int, Floats] = {}
        # When some fact begins to hold, or no longer holds.
        self._bounds = np.unique([at for each in self._said.values() for at in each.holds if at not in _ALWAYS])
        self.entities, self.relations = model.entities, model.relations
        edges = _both_ways(triples)
        order = np.lexsort((edges[:, 2], edges[:, 0], edges[:, 1]))
        self._heads, by_relation, self._tails = np.ascontiguousarray(edges[order].T)
        self._starts = np.searchsorted(by_relation, np.arange(model.relations + 1))
        self._reflexive = set(by_relation[self._heads == self._tails].tolist())
        changes = (np.diff(by_relation, prepend=-1) != 0) | (np.diff(self._heads, prepend=-1) != 0)
        (first,) = np.nonzero(changes)
        self.link_heads: Ids = self._heads[first]
        """The heads of links with a recorded tail, by relation and head. Shape: [n]."""
        self.link_relations: Ids = by_relation[first]
        """Their relations. Shape: [n]."""
        self._link_tails = np.diff(first, append=len(edges))
        self._link_firsts = first
        self._link_starts = np.searchsorted(self.link_relations, np.arange(model.relations + 1))
        self._by_head = self.link_relations[np.argsort(self.link_heads, kind="stable")]
        self._head_starts = np.searchsorted(np.sort(self.link_heads), np.arange(model.entities + 1))

    def edges(self, relation: int) -> tuple[Ids, Ids]:
        """Heads and tails of a relation, ascending."""
        places = slice(self._starts[relation], self._starts[relation + 1])
        return self._heads[places], self._tails[places]

    def tails(self, head: int, relation: int) -> Ids:
        """The recorded tails of a link, ascending."""
        heads, tails = self.edges(relation)
        first, last = heads.searchsorted([head, head + 1])
        return tails[first:last]

    def unsure(self, head: int, relation: int) -> tuple[Ids, Floats]:
        """The tails of a link that are less than certain or rejected, and their degrees. Shapes: [n] each."""
        tails = self._unsure.get(relation, {}).get(head, {})
        return np.fromiter(tails, np.int32), np.fromiter(tails.values(), np.float32)

    def degree(self, head: int, relation: int, tail: int) -> float:
        """The degree of a recorded fact, 1 unless it has a confidence."""
        return self._unsure.get(relation, {}).get(head, {}).get(tail, 1.0)

    def edge_degrees(self, relation: int) -> Floats | None:
        """The degrees of the edges of a relation, in the order of `edges`; None where all are certain."""
        if relation not in self._unsure:
            return None
        degrees = self._edge_degrees.get(relation)
        if degrees is None:
            heads, tails = self.edges(relation)
            degrees = np.ones(len(tails), np.float32)
            for head, of in self._unsure[relation].items():
                first, last = heads.searchsorted([head, head + 1])
                degrees[first:last] = [of.get(tail, 1.0) for tail in tails[first:last].tolist()]
            degrees.flags.writeable = False
            self._edge_degrees[relation] = degrees
        return degrees

    @property
    def has_bounds(self) -> bool:
        """Whether some fact does not always hold."""
        return len(self._bounds) > 0

    def at(self, moment: float) -> Facts:
        """The facts that hold at a moment."""
        gone = [
            fact
            for fact, each in self._said.items()
            if each.holds != _ALWAYS and not each.holds[0] <= moment < each.holds[1]
        ]
        return self.changed(dict.fromkeys(gone)) if gone else self

    def period(self, moment: float) -> int:
        """Moments with the same number have the same facts."""
        return int(self._bounds.searchsorted(moment, "right"))

    def changed(self, changes: Mapping[Triple, Said | None]) -> Facts:
        """These facts with other things said of some links: None where nothing is known of a link afterwards."""
        kept = np.ones(len(self.triples), bool)
        come = []
        for fact, said in changes.items():
            place = self._place(*fact)
            if said is not None and said.degree > 0:
                if place is None:
                    come.append(fact)
            elif place is not None:
                kept[place] = False
        triples = np.concatenate([self.triples[kept], np.array(come, np.int32).reshape(-1, 3)])
        triples = triples[np.lexsort(triples.T[::-1])]
        triples.flags.writeable = False
        left = {fact: each for fact, each in self._said.items() if fact not in changes}
        new = {fact: each for fact, each in changes.items() if each is not None}
        return Facts(triples, self._model, left | new, self.base)

    def edges_since_base(self) -> tuple[Ids, Ids]:
        """The edges, in both directions, that the base lacks, and the edges that the base alone has. Shapes: [n, 3]."""
        if self.base is self:
            return np.empty((0, 3), np.int32), np.empty((0, 3), np.int32)
        # Of what stands in one of them, one copy is there; it is told by its place where it is from.
        both = np.concatenate([self.triples, self.base.triples])
        order = np.lexsort(both.T[::-1])
        same = (np.diff(both[order], axis=0) == 0).all(axis=1)
        single = np.ones(len(both), bool)
        single[order[1:][same]] = single[order[:-1][same]] = False
        places = np.flatnonzero(single)
        come, gone = (both[places[own]] for own in (places < len(self.triples), places >= len(self.triples)))
        return _both_ways(come), _both_ways(gone)

    def _place(self, head: int, relation: int, tail: int) -> int | None:
        """The place of a fact in `triples`."""
        first, last = self.triples[:, 0].searchsorted([head, head + 1])
        pairs = self.triples[first:last]
        (found,) = np.nonzero((pairs[:, 1] == relation) & (pairs[:, 2] == tail))
        return int(first + found[0]) if len(found) else None

    def heads_with_facts(self, relation: int) -> tuple[Ids, npt.NDArray[np.int64]]:
        """The entities with a recorded tail, and how many each has."""
        places = slice(self._link_starts[relation], self._link_starts[relation + 1])
        return self.link_heads[places], self._link_tails[places]

    def expand(self, heads: Ids, relation: int, most: int) -> tuple[npt.NDArray[np.int64], Ids]:
        """The first `most` edges from some heads: the place of the head of each, and its tail.

        Edges are in the order of the heads, those of one head by ascending tails.
        """
        links = slice(self._link_starts[relation], self._link_starts[relation + 1])
        recorded = self.link_heads[links]
        if not len(recorded):
            return np.empty(0, np.int64), np.empty(0, np.int32)
        at = np.minimum(recorded.searchsorted(heads), len(recorded) - 1)
        counts = np.where(recorded[at] == heads, self._link_tails[links][at], 0)
        places = np.repeat(np.arange(len(heads)), counts)[:most]
        # Where the tails of each head begin, less how many edges come before them.
        begins = self._link_firsts[links][at] - np.cumsum(counts) + counts
        return places, self._tails[np.arange(len(places)) + begins[places]]

    def relations_of(self, entity: int) -> list[int]:
        """The relations of which an entity has a recorded tail, ascending."""
        found: list[int] = self._by_head[self._head_starts[entity] : self._head_starts[entity + 1]].tolist()
        return found

    def attributes(self, entity: int, most: int) -> list[tuple[int, int]]:
        """The facts of an entity without it: relation and tail, ascending, the first `most`."""
        found: list[tuple[int, int]] = []
        for relation in self.relations_of(entity):
            found += ((relation, tail) for tail in self.tails(entity, relation)[: most - len(found)].tolist())
            if len(found) >= most:
                break
        return found

    def has_loop(self, relation: int) -> bool:
        """Whether a fact of the relation leads from an entity to itself, among those of the base."""
        return relation in self.base._reflexive

    def answers(self, query: Query) -> npt.NDArray[np.bool_]:
        """Which entities answer a query where the recorded facts are all that there is. Shape: [|E|]."""
        match query:
            case Entity(entity):
                known = np.zeros(self.entities, bool)
                known[entity] = True
                return known
            case Project(relation, Entity(head)):
                known = np.zeros(self.entities, bool)
                known[self.tails(head, relation)] = True
                return known
            case Project(relation, operand):
                heads, tails = self.edges(relation)
                known = np.zeros(self.entities, bool)
                known[tails[self.answers(operand)[heads]]] = True
                return known
            case Not(operand):
                return ~self.answers(operand)
            case And(operands):
                return reduce(np.logical_and, map(self.answers, operands))
            case Or(operands):
                return reduce(np.logical_or, map(self.answers, operands))


def _both_ways(triples: Ids) -> Ids:
    """Facts and their inverses."""
    heads, relations, tails = triples.T
    return np.concatenate([triples, np.stack([tails, relations + 1, heads], 1)])


def read_facts(content: bytes, model: Model, path: str) -> Facts:
    """The facts in the bytes of `facts.bin`: triples of int32, ascending, each once. Raises FuzzError `bundle`."""
    triples = np.frombuffer(content, "<i4").astype(np.int32).reshape(-1, 3)
    heads, relations, tails = triples.T
    wrong = (heads < 0) | (heads >= model.entities) | (tails < 0) | (tails >= model.entities)
    wrong |= (relations < 0) | (relations >= model.relations) | (relations % 2 == 1)
    steps = np.diff(triples.astype(np.int64), axis=0)
    before, after = steps[:, 0] == 0, steps[:, 1] == 0
    wrong[1:] |= (steps[:, 0] < 0) | (before & (steps[:, 1] < 0)) | (before & after & (steps[:, 2] <= 0))
    if wrong.any():
        place = int(np.argmax(wrong))
        raise FuzzError(
            "bundle",
            f"fact {place}: expected entities and an even relation of the graph, in ascending order, each once, "
            f"got {triples[place].tolist()}",
            path,
            "Export or download the bundle again.",
        )
    triples.flags.writeable = False
    return Facts(triples, model)

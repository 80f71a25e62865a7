"""The recorded facts of a graph, and what follows from them alone."""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

from .errors import FuzzError
from .model import Model
from .query import And, Entity, Not, Or, Project, Query

Ids = npt.NDArray[np.int32]


class Facts:
    """Recorded facts with their inverses, by relation and head."""

    def __init__(self, triples: Ids, model: Model) -> None:
        self.triples = triples
        """The facts of forward relations: head, relation, tail. Shape: [n, 3]."""
        self.entities, self.relations = model.entities, model.relations
        heads, relations, tails = triples.T
        edges = np.concatenate([triples, np.stack([tails, relations + 1, heads], 1)])
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
        """Whether a fact of the relation leads from an entity to itself."""
        return relation in self._reflexive

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

"""Answers by fuzzy sets of entities: the plan of queries, from the anchors up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from .facts import Facts
from .link_degrees import LinkDegrees
from .model import Model
from .project_set import JOINED, members_of, project_set
from .query import And, Entity, Not, Or, Project, Query, operands_of
from .sets_entry import ProjectionSettings

Floats = npt.NDArray[np.float32]

_LINKS_AT_ONCE = 64
# Queries are answered together while their sets have so many numbers at most, and one at a time where one has more.
_NUMBERS_AT_ONCE = 2**24


class Sets:
    """The fuzzy sets of queries on one profile of a bundle."""

    def __init__(self, links: LinkDegrees, facts: Facts, model: Model, projection: ProjectionSettings) -> None:
        self.links = links
        self._facts, self._model, self._projection = facts, model, projection

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

    def members(self, degrees: Floats, relation: int) -> npt.NDArray[np.int32]:
        """The members that the projection of a set goes through, the certain ones first."""
        return members_of(self._facts, self._projection, degrees, relation)

    def rows(self, links: Sequence[tuple[int, int]]) -> Floats:
        """(9) The degrees of links (head, relation). Shape: [n, |E|]."""
        at_once = rows_at_once(_LINKS_AT_ONCE, self._model.entities)
        parts = [self.links.rows(links[first : first + at_once]) for first in range(0, len(links), at_once)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _chunk(self, queries: Sequence[Query]) -> list[Floats]:
        """As `degrees`, with the sets of all parts in memory until no part takes them any more."""
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
            for (head, relation), row in zip(chunk, self.links.rows(chunk), strict=True):
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
                    return np.float32(1) - degrees(operand)
                case And(operands) | Or(operands):
                    conjunction, disjunction = JOINED[self._model.logic]
                    join = conjunction if isinstance(node, And) else disjunction
                    return reduce(join, map(degrees, operands))

        return [degrees(query) for query in queries]

    def _project(self, degrees: Floats, relation: int) -> Floats:
        """(10) The projection of a set. Shapes: [|E|] → [|E|]."""
        members = self.members(degrees, relation)
        if not len(members):
            # Nothing leads anywhere from an empty set.
            return np.zeros_like(degrees)
        rows = self.rows([(member, relation) for member in members.tolist()])
        return project_set(self._model.logic, self._projection, self._facts, degrees, members, rows, relation)


def rows_at_once(most: int, entities: int) -> int:
    """How many rows with a number for each entity to hold at once: fewer where there are many entities."""
    return min(most, max(1, _NUMBERS_AT_ONCE // entities))


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

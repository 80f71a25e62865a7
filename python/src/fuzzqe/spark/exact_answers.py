"""The exact answers of the 14 structures on a graph, with the count of edges that Node's answerer looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fuzzqe.query import And, Entity, Not, Or, Project, Query

from .graph_arrays import GraphArrays, Ids, are_among

_PROBES_A_HEAD = 8


class Found(NamedTuple):
    """Ascending answers, and whether Node would have them as a list and not as bits, which decides what it looks at."""

    ids: Ids
    listed: bool


class Answerer:
    """Answers queries on one graph, and counts edges as `createAnswerer` in Node does."""

    def __init__(self, graph: GraphArrays) -> None:
        self.graph = graph
        self.edges = 0
        """How many edges all answers so far took."""
        self._longest = graph.entities >> 5

    def find(self, tree: Query, anchors: Sequence[int], relations: Sequence[int]) -> Found:
        """The answers of a tree with slots. A negation is an operand of a conjunction that has other operands."""
        graph = self.graph
        match tree:
            case Project(slot, Entity(anchor)):
                tails = graph.tails_of(graph.find_group(anchors[anchor], relations[slot]))
                self.edges += len(tails)
                return self._found(tails)
            case Project(slot, operand):
                return self._project(self.find(operand, anchors, relations), relations[slot])
            case Or(operands):
                one, *others = (self.find(each, anchors, relations) for each in operands)
                for other in others:
                    union = np.union1d(one.ids, other.ids)
                    one = Found(union, one.listed and other.listed and len(union) <= self._longest)
                return one
            case And(operands):
                one, *others = (self.find(each, anchors, relations) for each in operands if not isinstance(each, Not))
                for other in others:
                    short, long = sorted((one.ids, other.ids), key=len)
                    one = Found(short[are_among(short, long)], one.listed or other.listed)
                for each in operands:
                    if isinstance(each, Not):
                        other = self.find(each.operand, anchors, relations)
                        one = Found(one.ids[~are_among(one.ids, other.ids)], one.listed)
                return one
            case _:
                raise TypeError(f"no structure has this part: {tree}")

    def _project(self, heads: Found, relation: int) -> Found:
        graph, known = self.graph, self.graph.heads_of(relation)
        if len(heads.ids) < len(known):
            places = np.searchsorted(known, heads.ids[are_among(heads.ids, known)])
        else:
            places = np.flatnonzero(are_among(known, heads.ids))
        groups = graph.groups_of(relation)[places]
        tails = graph.tails_of_all(groups)
        self.edges += len(tails)
        if not heads.listed or len(heads.ids) * _PROBES_A_HEAD >= len(known):
            self.edges += len(known)
        return self._found(tails if len(groups) == 1 else np.unique(tails))

    def _found(self, ids: Ids) -> Found:
        return Found(ids, len(ids) <= self._longest)

"""The facts of a graph as sorted arrays, in a file that the processes of a machine share."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fuzzqe.errors import FuzzError

Ids: TypeAlias = npt.NDArray[np.int32]
"""Ids or offsets."""
MOST_FACTS = 2**30 - 1
"""Both directions of each are numbered by int32."""


class GraphArrays:
    """Facts and their inverses by (head, relation, tail): a group g for each head and relation.

    Shapes: E entities, R relations, G groups, N edges. Arrays are ordered as those of `AdjacencyIndex` in Node.
    """

    def __init__(self, values: Ids) -> None:
        """`values` are those of `save`."""
        self.values = values
        self.entities, self.relations, groups, edges = values[:4].tolist()
        sizes = (self.entities + 1, groups, groups + 1, edges, self.relations + 1, groups, groups)
        parts = np.split(values, np.cumsum((4, *sizes)))[1:]
        self.head_offsets, self.group_relations, self.group_offsets, self.tails = parts[:4]
        """[E + 1], [G], [G + 1] and [N]: the groups of a head, relations ascending; the edges of a group."""
        self.relation_offsets, self.relation_groups, self.relation_heads = parts[4:7]
        """[R + 1], [G] and [G]: the groups of a relation, heads ascending, and those heads."""

    @classmethod
    def of_triples(cls, triples: Ids, entities: int, relations: int) -> GraphArrays:
        """Indexes facts in any order, with or without inverses and repetitions. Shapes: triples [n, 3].

        Raises FuzzError `data`: no facts, or too many.
        """
        if not 1 <= len(triples) <= MOST_FACTS:
            raise FuzzError("data", f"facts: expected 1 to {MOST_FACTS}, got {len(triples)}")
        ends = triples[:, 0], triples[:, 2]
        heads, tails = np.concatenate(ends), np.concatenate(ends[::-1])
        links = np.concatenate([triples[:, 1], triples[:, 1] ^ 1])
        order = np.lexsort((tails, links, heads))
        heads, links, tails = heads[order], links[order], tails[order]
        starts = np.ones(len(order), bool)
        starts[1:] = (np.diff(heads) != 0) | (np.diff(links) != 0)
        kept = starts.copy()
        kept[1:] |= np.diff(tails) != 0
        heads, links, tails, starts = heads[kept], links[kept], tails[kept], starts[kept]
        first = np.flatnonzero(starts)
        heads, links = heads[first], links[first]
        by_relation = np.argsort(links, kind="stable")
        parts = (
            [entities, relations, len(first), len(tails)],
            _offsets(heads, entities),
            links,
            np.append(first, len(tails)),
            tails,
            _offsets(links, relations),
            by_relation,
            heads[by_relation],
        )
        return cls(np.concatenate([np.asarray(part, np.int32) for part in parts]))

    def save(self, path: Path) -> None:
        """Writes the arrays to a file."""
        self.values.tofile(path)

    @classmethod
    def open(cls, path: str) -> GraphArrays:
        """Maps a file of `save`: the processes of a machine have one copy."""
        return cls(np.memmap(path, np.int32, "r").view(np.ndarray))

    @property
    def edge_counts(self) -> npt.NDArray[np.int64]:
        """How many edges each relation has. Shapes: [R]."""
        sizes = np.diff(self.group_offsets)[self.relation_groups]
        return np.diff(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])[self.relation_offsets])

    def find_group(self, head: int, relation: int) -> int:
        """The group of a head and a relation, or -1."""
        first, last = self.head_offsets.item(head), self.head_offsets.item(head + 1)
        at = first + int(np.searchsorted(self.group_relations[first:last], relation))
        return at if at < last and self.group_relations.item(at) == relation else -1

    def tails_of(self, group: int) -> Ids:
        """The tails of a group, ascending; of -1 none."""
        if group < 0:
            return self.tails[:0]
        return self.tails[self.group_offsets.item(group) : self.group_offsets.item(group + 1)]

    def tails_of_all(self, groups: Ids) -> Ids:
        """The tails of groups, one group after the other."""
        if len(groups) == 1:
            return self.tails_of(groups.item(0))
        starts = self.group_offsets[groups].astype(np.int64)
        sizes = self.group_offsets[groups + 1] - starts
        ends = np.cumsum(sizes)
        edges = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
        tails: Ids = self.tails[edges]
        return tails

    def groups_of(self, relation: int) -> Ids:
        """The groups of a relation, heads ascending."""
        return self.relation_groups[self.relation_offsets.item(relation) : self.relation_offsets.item(relation + 1)]

    def heads_of(self, relation: int) -> Ids:
        """The heads of a relation, ascending."""
        return self.relation_heads[self.relation_offsets.item(relation) : self.relation_offsets.item(relation + 1)]


def are_among(ids: Ids, others: Ids) -> npt.NDArray[np.bool_]:
    """Which ids are among others, which ascend. Shapes: [n], [m] → [n]."""
    if len(others) == 0:
        return np.zeros(len(ids), bool)
    places = np.searchsorted(others, ids)
    places[places == len(others)] = 0
    found: npt.NDArray[np.bool_] = others[places] == ids
    return found


def _offsets(keys: Ids, bound: int) -> npt.NDArray[np.int64]:
    """Where each key begins among ascending keys. Shapes: [n] → [bound + 1]."""
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=bound))])

"""A block of draws: the queries that one random stream finds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from fuzzqe.query import And, Entity, Not, Or, Project, Query
from fuzzqe.query_forms import to_kgreasoning
from fuzzqe.structures import STRUCTURES, Structure, fill_structure

from .exact_answers import Answerer
from .graph_arrays import GraphArrays, Ids, are_among
from .query_rules import canonical_name, canonical_relations, without_each_negation
from .random_stream import RandomStream

ENTITIES_A_BLOCK = 4096
"""How many anchors a block of listed 1p queries has."""


@dataclass(slots=True)
class DrawnBlock:
    """The queries of a block, new within it, and how many edges were looked at to answer them."""

    edges: int = 0
    draws: list[int] = field(default_factory=list)
    """Of each query, by which draw it was found."""
    names: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DrawRules:
    """Which queries are left out."""

    max_answers: int = 100
    """More answers of a training query; of another, more that a graph adds or takes away."""
    skip_mirrored: bool = False
    skip_idle_negation: bool = False


class Drawing:
    """Draws queries on a graph; with a smaller graph, queries of which the larger one alone has an answer."""

    def __init__(self, larger: GraphArrays, smaller: GraphArrays | None, rules: DrawRules) -> None:
        self._graph, self._rules = larger, rules
        self._larger, self._smaller = Answerer(larger), None if smaller is None else Answerer(smaller)
        self._canonical = canonical_relations(larger, skip_mirrored=rules.skip_mirrored)
        # A graph has all facts of the smaller one, so that counts tell which relations differ.
        self._changed: list[bool] | None = (
            None if smaller is None else (larger.edge_counts != smaller.edge_counts).tolist()
        )

    @cached_property
    def _targets(self) -> Ids:
        """The entities that have an edge: where walks begin."""
        return np.flatnonzero(np.diff(self._graph.head_offsets)).astype(np.int32)

    def draw(self, structure: Structure, seed: Sequence[int], draws: int) -> DrawnBlock:
        """Makes draws, with a stream of their own. `seed` has four numbers."""
        random = RandomStream("block", *seed)
        walk = _Walk(self._graph, structure, self._canonical, random)
        others = without_each_negation(structure.tree)
        block, names = DrawnBlock(), set[str]()
        before = self._looked
        for draw in range(draws):
            if not walk.start(self._targets.item(random.below(len(self._targets)))):
                continue
            anchors, relations = tuple(walk.anchors), tuple(walk.relations)
            # Both before any answers: at a hub, each answer has all its tails.
            if self._changed is not None and not any(self._changed[relation] for relation in relations):
                continue
            name = canonical_name(structure.tree, anchors, relations, self._canonical)
            if name is None or name in names:
                continue
            found = self._accept(structure, others, anchors, relations)
            if found is None:
                continue
            names.add(name)
            block.draws.append(draw)
            block.names.append(name)
            block.lines.append(_line(structure.name, anchors, relations, *found))
        block.edges = self._looked - before
        return block

    def list_projections(self, index: int) -> DrawnBlock:
        """Lists every 1p query of some anchors, in the order of anchors and relations."""
        block, graph = DrawnBlock(), self._graph
        first = index * ENTITIES_A_BLOCK
        for anchor in range(first, min(first + ENTITIES_A_BLOCK, graph.entities)):
            for group in range(graph.head_offsets.item(anchor), graph.head_offsets.item(anchor + 1)):
                relation, easy = graph.group_relations.item(group), graph.tails_of(group)
                hard = easy[:0]
                if self._smaller is not None:
                    known = self._smaller.graph
                    everything, easy = easy, known.tails_of(known.find_group(anchor, relation))
                    hard = everything[~are_among(everything, easy)]
                    if len(hard) == 0:
                        continue
                block.lines.append(_line("1p", (anchor,), (relation,), easy, hard))
        return block

    @property
    def _looked(self) -> int:
        return self._larger.edges + (0 if self._smaller is None else self._smaller.edges)

    def _accept(
        self, structure: Structure, others: Sequence[Query], anchors: tuple[int, ...], relations: tuple[int, ...]
    ) -> tuple[Ids, Ids] | None:
        """The easy and the hard answers of a query, unless a rule leaves it out."""
        most = self._rules.max_answers
        ids = self._larger.find(structure.tree, anchors, relations).ids
        size = len(ids)
        if size == 0:
            return None
        if self._smaller is None:
            easy, hard = ids, ids[:0]
            if size > most:
                return None
        else:
            easy = self._smaller.find(structure.tree, anchors, relations).ids
            hard = ids[~are_among(ids, easy)]
            lost = len(easy) + len(hard) - size
            if not 0 < len(hard) <= most or (others and not 0 < lost <= most):
                return None
        # Leaving a negation out only ever adds answers or only ever takes some: sizes tell.
        if self._rules.skip_idle_negation and any(
            len(self._larger.find(other, anchors, relations).ids) == size for other in others
        ):
            return None
        return easy, hard


class _Walk:
    """Fills a structure's slots by walking backwards from an entity, as `createBackwardWalk` in Node."""

    def __init__(
        self, graph: GraphArrays, structure: Structure, canonical: Sequence[int], random: RandomStream
    ) -> None:
        self._graph, self._tree, self._canonical, self._random = graph, structure.tree, canonical, random
        self.anchors, self.relations = [0] * structure.anchors, [0] * structure.relations

    def start(self, target: int) -> bool:
        """Walks from a target; false when no allowed edge leads to an entity."""
        return self._fill(self._tree, target, None)

    def _fill(self, tree: Query, entity: int, after: tuple[int, int] | None) -> bool:
        """`after` are the relation and the entity of the projection that the walk has come through."""
        match tree:
            case Entity(slot):
                self.anchors[slot] = entity
                return True
            case Project(slot, operand):
                # Facts at an entity leave it: what would undo the next projection is that projection's own relation.
                group = self._draw_group(entity, -1 if after is None else after[0])
                if group < 0:
                    return False
                stored, heads = self._graph.group_relations.item(group), self._graph.tails_of(group)
                head = heads.item(self._random.below(len(heads)))
                if after is not None and head == after[1] and self._canonical[stored] == self._canonical[after[0]]:
                    return False
                self.relations[slot] = stored ^ 1
                return self._fill(operand, head, (stored ^ 1, entity))
            case Not(operand):
                return self._fill(operand, entity, after)
            case And(operands) | Or(operands):
                return all(self._fill(each, entity, None) for each in operands)

    def _draw_group(self, entity: int, excluded: int) -> int:
        """A group of edges at an entity, whose relation is another one; -1 if there is none."""
        offsets, relations = self._graph.head_offsets, self._graph.group_relations
        first = offsets.item(entity)
        count = offsets.item(entity + 1) - first
        if count == 0:
            return -1
        drawn = self._random.below(count)
        if relations.item(first + drawn) != excluded:
            return first + drawn
        if count == 1:
            return -1
        # A head has one group a relation, so every other group will do: draw again among those.
        return first + (drawn + 1 + self._random.below(count - 1)) % count


@lru_cache(maxsize=2)
def open_drawing(larger: str, smaller: str | None, rules: DrawRules) -> Drawing:
    """The drawing on two files of graphs, opened once in a process."""
    return Drawing(GraphArrays.open(larger), None if smaller is None else GraphArrays.open(smaller), rules)


def _line(name: str, anchors: tuple[int, ...], relations: tuple[int, ...], easy: Ids, hard: Ids) -> str:
    query = to_kgreasoning(fill_structure(name, anchors, relations))
    fields = {"type": name, "query": query, "easy": easy.tolist(), "hard": hard.tolist()}
    return f"{json.dumps(fields, separators=(',', ':'))}\n"


def has_negation(name: str) -> bool:
    """Whether a structure has a negation."""
    return len(without_each_negation(STRUCTURES[name].tree)) > 0

"""Answers by the embedding of a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from .errors import FuzzError
from .graphs import CHECK, Array, Graphs
from .model import Model
from .query import And, Entity, Not, Or, Project, Query, operands_of
from .structures import StructureMatch, match_structure, structures_of

Floats: TypeAlias = npt.NDArray[np.float32]
Plan: TypeAlias = Literal["auto", "operators"]
"""By the graph of the structure where there is one, else by composed operators; or by operators always."""

_Item = TypeVar("_Item")

_ROWS_AT_ONCE = 64
# A run gathers a matrix for each row that it projects.
_PROJECTED_AT_ONCE = 16
# Scores and masks of more rows leave a processor's cache.
_RANKED_AT_ONCE = 16


def expect_embedded(model: Model, query: Query) -> None:
    """Raises FuzzError `usage`: a query that the family of the model does not embed."""
    if model.embeds_trees:
        return
    match = match_structure(query)
    if match is None or match.structure.name not in structures_of(model):
        which = "structure 1p" if model.embeds_links else "structures"
        more = " without negation" if model.is_positive else ""
        message = f"mode: {model.relation_form} embeds queries of the {which}{more} only"
        raise FuzzError("usage", message, hint="Ask in mode sets.")


def embed(graphs: Graphs, model: Model, queries: Sequence[Query], plan: Plan = "auto") -> Floats:
    """S_q of each query, with one run for those that a graph can take together. Shape: [n, d]."""
    vectors = np.empty((len(queries), model.dimension), np.float32)
    alike: dict[str, list[tuple[int, StructureMatch]]] = defaultdict(list)
    others: list[int] = []
    for place, query in enumerate(queries):
        match = match_structure(query) if plan == "auto" else None
        if match is None or not graphs.has(match.structure.name):
            others.append(place)
        else:
            alike[match.structure.name].append((place, match))
    for name, matches in alike.items():
        for chunk in chunks(matches, _ROWS_AT_ONCE):
            anchors = np.array([match.anchors for _, match in chunk], np.int32)
            relations = np.array([match.relations for _, match in chunk], np.int32)
            vectors[[place for place, _ in chunk]] = graphs.run(name, anchors=anchors, relations=relations)[0]
    if others:
        vectors[others] = _compose(graphs, model, [queries[place] for place in others])
    return vectors


def rank(
    graphs: Graphs, model: Model, vectors: Floats, excluded: Sequence[npt.NDArray[np.bool_] | None], k: int
) -> list[tuple[npt.NDArray[np.int32], Floats]]:
    """The k entities with the highest scores of each embedding that are not excluded: ids and scores, best first."""
    rankings = []
    for chunk in chunks(range(len(vectors)), _RANKED_AT_ONCE):
        allowed = np.ones((len(chunk), model.entities), np.float32)
        for row, place in enumerate(chunk):
            if (mask := excluded[place]) is not None:
                allowed[row, mask] = 0
        feeds = {"embedding": vectors[list(chunk)], "allowed": allowed, "k": np.array([k], np.int32)}
        for ids, scores in zip(*graphs.run("rank", **feeds), strict=True):
            _check_ranking(ids, scores, model.entities)
            # What is not allowed has the score -1, and rounding puts none that is allowed far below 0.
            kept = scores >= -0.5
            order = np.lexsort((ids[kept], -scores[kept]))
            rankings.append((ids[kept][order], scores[kept][order]))
    return rankings


def _check_ranking(ids: npt.NDArray[np.int32], scores: Floats, entities: int) -> None:
    if len(np.unique(ids)) == len(ids) and ids.min() >= 0 and ids.max() < entities and np.isfinite(scores).all():
        return
    raise FuzzError("runtime", "ranking: expected distinct entities with finite scores, got others", hint=CHECK)


def _compose(graphs: Graphs, model: Model, queries: Sequence[Query]) -> Floats:
    """Embeds trees of any shape by operator graphs, level by level over all of them; equal parts once."""
    trees = [_folded(query) for query in queries]
    levels: dict[Query, int] = {}

    def visit(node: Query) -> int:
        """The level of a node; what it takes is on lower ones."""
        if node not in levels:
            levels[node] = 1 + max(map(visit, operands_of(node)), default=-1)
        return levels[node]

    for tree in trees:
        visit(tree)
    rows = {node: row for row, node in enumerate(levels)}
    vectors = np.empty((len(rows), model.dimension), np.float32)
    groups: dict[tuple[int, str], list[Query]] = defaultdict(list)
    for node, level in levels.items():
        groups[level, _GRAPHS[type(node)]].append(node)
    for (_, graph), group in sorted(groups.items(), key=lambda item: item[0]):
        for chunk in chunks(group, _PROJECTED_AT_ONCE if graph == "project" else _ROWS_AT_ONCE):
            operands = [vectors[[rows[each] for each in side]] for side in zip(*map(operands_of, chunk), strict=True)]
            feeds = _feeds(graph, chunk, operands)
            if graph == "project" and model.projection_input == "domain":
                feeds = {**feeds, "operand": _centroids(graphs, chunk, feeds)}
            vectors[[rows[node] for node in chunk]] = graphs.run(graph, **feeds)[0]
    return vectors[[rows[tree] for tree in trees]]


def _centroids(graphs: Graphs, nodes: Sequence[Query], feeds: Mapping[str, Array]) -> Floats:
    """What projections start from: an entity itself, and of everything else a centroid of the relation's heads."""
    starts: Floats = feeds["operand"]
    others = [isinstance(node, Project) and not isinstance(node.operand, Entity) for node in nodes]
    if any(others):
        starts[others] = graphs.run("centroid", **{name: feed[others] for name, feed in feeds.items()})[0]
    return starts


_GRAPHS: Mapping[type[Query], str] = {
    Entity: "anchor",
    Project: "project",
    And: "conjunction",
    Or: "disjunction",
    Not: "negation",
}


def _feeds(graph: str, nodes: Sequence[Query], operands: Sequence[Floats]) -> dict[str, Array]:
    match graph:
        case "anchor":
            return {"entities": np.array([node.entity for node in nodes if isinstance(node, Entity)], np.int32)}
        case "project":
            relations = np.array([node.relation for node in nodes if isinstance(node, Project)], np.int32)
            return {"operand": operands[0], "relations": relations}
        case "negation":
            return {"operand": operands[0]}
        case _:
            return {"left": operands[0], "right": operands[1]}


def _folded(query: Query) -> Query:
    """The same query with two operands a conjunction or disjunction, which are taken from left to right."""
    match query:
        case Entity():
            return query
        case Project(relation, operand):
            return Project(relation, _folded(operand))
        case Not(operand):
            return Not(_folded(operand))
        case And(operands) | Or(operands):
            kind = type(query)
            return reduce(lambda left, right: kind((left, right)), map(_folded, operands))


def chunks(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    """Items a few at a time, in their order."""
    return (items[first : first + size] for first in range(0, len(items), size))

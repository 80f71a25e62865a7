"""Which queries are the same, and which negations can be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fuzzqe.query import And, Entity, Not, Or, Project, Query

from .graph_arrays import GraphArrays


def canonical_relations(graph: GraphArrays, *, skip_mirrored: bool) -> list[int]:
    """The relation that stands for each: with `skip_mirrored`, a relation that mirrors itself for its inverse too."""
    canonical = list(range(graph.relations))
    for relation in range(0, graph.relations if skip_mirrored else 0, 2):
        if _mirrors_itself(graph, relation):
            canonical[relation + 1] = relation
    return canonical


def _mirrors_itself(graph: GraphArrays, relation: int) -> bool:
    one, other = graph.groups_of(relation), graph.groups_of(relation + 1)
    if len(one) == 0 or not np.array_equal(graph.heads_of(relation), graph.heads_of(relation + 1)):
        return False
    sizes = np.diff(graph.group_offsets)
    if not np.array_equal(sizes[one], sizes[other]):
        return False
    return np.array_equal(graph.tails_of_all(one), graph.tails_of_all(other))


def canonical_name(
    tree: Query, anchors: Sequence[int], relations: Sequence[int], canonical: Sequence[int]
) -> str | None:
    """One name for queries that differ in the order of operands or the direction of relations that mirror themselves.

    None if two operands ask the same, or one negates another.
    """
    match tree:
        case Entity(slot):
            return str(anchors[slot])
        case Project(slot, operand):
            inner = canonical_name(operand, anchors, relations, canonical)
            return inner and f"{inner},{canonical[relations[slot]]}"
        case Not(operand):
            inner = canonical_name(operand, anchors, relations, canonical)
            return inner and f"{inner}!"
        case And(operands) | Or(operands):
            names: dict[str, str] = {}
            for each in operands:
                is_negated = isinstance(each, Not)
                positive = each.operand if isinstance(each, Not) else each
                name = canonical_name(positive, anchors, relations, canonical)
                if name is None or name in names:
                    return None
                names[name] = f"{name}!" if is_negated else name
            return f"({('&' if isinstance(tree, And) else '|').join(sorted(names.values()))})"


def without_each_negation(tree: Query) -> list[Query]:
    """The tree without a negated operand, for each of them; a conjunction of one is its operand."""
    match tree:
        case Entity():
            return []
        case Project(_, operand) | Not(operand):
            return [replace(tree, operand=inner) for inner in without_each_negation(operand)]
        case And(operands) | Or(operands):
            found: list[Query] = []
            for i, each in enumerate(operands):
                others = (*operands[:i], *operands[i + 1 :])
                if isinstance(each, Not):
                    found.append(others[0] if len(others) == 1 else replace(tree, operands=others))
                for inner in without_each_negation(each):
                    found.append(replace(tree, operands=(*operands[:i], inner, *operands[i + 1 :])))
            return found

"""Queries as trees of anchors and operators, over ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .errors import FuzzError, describe_value

MAX_DEPTH = 64
MAX_NODES = 1024


@dataclass(frozen=True, slots=True)
class Entity:
    """An anchor: the entity itself."""

    entity: int


@dataclass(frozen=True, slots=True)
class Project:
    """All that a relation leads to from an answer of the operand."""

    relation: int
    operand: Query


@dataclass(frozen=True, slots=True)
class And:
    """What answers every operand."""

    operands: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """What answers at least one operand."""

    operands: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """What does not answer the operand."""

    operand: Query


Query: TypeAlias = Entity | Project | And | Or | Not


class Size:
    """Counts the nodes of a query while it is read."""

    def __init__(self) -> None:
        self.nodes = 0

    def add(self, depth: int, path: str) -> None:
        """Counts a node. Raises FuzzError `query`: it is too deep, or one too many."""
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise FuzzError(
                "query",
                f"query: expected at most {MAX_DEPTH} levels, got more",
                path,
                'Join operands in one "and" or "or" instead of nesting them.',
            )
        if self.nodes > MAX_NODES:
            raise FuzzError(
                "query",
                f"query: expected at most {MAX_NODES} nodes, got more",
                path,
                "Split the query into several.",
            )


def check_operands(name: str, count: int, path: str) -> None:
    """Refuses a conjunction or disjunction of fewer than two."""
    if count < 2:
        raise FuzzError(
            "query",
            f"{name}: expected two or more operands, got {count}",
            path,
            f'Write the operand alone, without "{name}".' if count else f'Give "{name}" the queries to join.',
        )


def check_id(kind: str, value: object, count: int, path: str) -> int:
    """An id that is an integer in [0, count). Raises FuzzError `range`."""
    # A truth value is no id.
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < count:
        return int(value)
    inverses = ", inverses included: 2k is the k-th relation and 2k+1 its inverse" if kind == "relation" else ""
    plural = "relations" if kind == "relation" else "entities"
    raise FuzzError(
        "range",
        f"{kind} id: expected an integer in [0, {count}), got {describe_value(value)}",
        path,
        f"The graph has {count} {plural}{inverses}.",
    )


def check_query(query: Query, entities: int, relations: int) -> None:
    """Checks that a query is well formed and names only what exists.

    Raises FuzzError `range`: an id out of its range. `query`: too few operands, too deep or too large.
    """
    size = Size()

    def visit(node: object, path: str, depth: int) -> None:
        size.add(depth, path)
        match node:
            case Entity(entity):
                check_id("entity", entity, entities, f"{path}.entity")
            case Project(relation, operand):
                check_id("relation", relation, relations, f"{path}.project")
                visit(operand, f"{path}.from", depth + 1)
            case Not(operand):
                visit(operand, f"{path}.not", depth + 1)
            case And(operands) | Or(operands):
                name = name_of(node)
                given: object = operands
                if not isinstance(given, tuple):
                    message = f"{name}: expected a tuple of queries, got {describe_value(given)}"
                    raise FuzzError("query", message, f"{path}.{name}", "Write And((left, right)).")
                check_operands(name, len(operands), f"{path}.{name}")
                for i, operand in enumerate(operands):
                    visit(operand, f"{path}.{name}[{i}]", depth + 1)
            case _:
                raise FuzzError(
                    "query",
                    f"query: expected Entity, Project, And, Or or Not, got a {type(node).__name__}",
                    path,
                    "Write it as text: project(relation, entity).",
                )

    visit(query, "$", 1)


def warnings_of(query: Query) -> list[str]:
    """What was likely not meant, as `code: text`: a `not` beside no positive operand of an `and`."""
    warnings: list[str] = []

    def visit(node: Query, path: str, bounded: bool) -> None:
        match node:
            case Project(_, operand):
                visit(operand, f"{path}.from", False)
            case Not(operand):
                if not bounded:
                    warnings.append(
                        f"open-negation: {path}: the answers are a complement over all entities; "
                        'join it by "and" with an operand that is not negated'
                    )
                visit(operand, f"{path}.not", False)
            case And(operands) | Or(operands):
                positive = isinstance(node, And) and not all(isinstance(each, Not) for each in operands)
                for i, operand in enumerate(operands):
                    visit(operand, f"{path}.{name_of(node)}[{i}]", positive)

    visit(query, "$", False)
    return warnings


def name_of(node: And | Or) -> str:
    """How the notations call an operator."""
    return "and" if isinstance(node, And) else "or"


def operands_of(node: Query) -> tuple[Query, ...]:
    """What an operator is applied to; nothing for an anchor."""
    match node:
        case Entity():
            return ()
        case Project(_, operand) | Not(operand):
            return (operand,)
        case And(operands) | Or(operands):
            return operands

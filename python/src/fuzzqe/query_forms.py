"""Queries as dictionaries, as tuples of KGReasoning, and whatever form a query is given in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from .errors import FuzzError, describe_value
from .near_names import near_names, offer_names
from .notation import check_length, parse_query
from .query import (
    And,
    Entity,
    Not,
    Or,
    Project,
    Query,
    Size,
    check_id,
    check_operands,
    check_query,
    operands_of,
)
from .vocabulary import Vocabulary

QueryLike: TypeAlias = Query | str | Mapping[str, Any] | Sequence[Any]
"""A tree, text in the notation, a dictionary as in JSON (or its text), or nested tuples of KGReasoning."""

_FORMS = '{"entity": …}, {"project": …, "from": …}, {"and": […]}, {"or": […]} or {"not": …}'
_KEYS = {"entity": ["entity"], "project": ["project", "from"], "and": ["and"], "or": ["or"], "not": ["not"]}
_UNION, _NEGATION = -1, -2


def read_query(value: QueryLike, vocabulary: Vocabulary, path: str = "$") -> Query:
    """The query that a value is, in whichever form, checked against the graph.

    Raises FuzzError `query`, `vocabulary` or `range`.
    """
    entities, relations = len(vocabulary.entities), 2 * len(vocabulary.relations)
    if isinstance(value, Entity | Project | And | Or | Not):
        check_query(value, entities, relations)
        return value
    if isinstance(value, str):
        check_length(value, path)
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            message = f"query: expected JSON or a text, got {error}"
            raise FuzzError("query", message, path, "Write it as text: project(relation, entity).") from error
    if isinstance(value, str):
        return parse_query(value, vocabulary)
    if isinstance(value, Mapping):
        return _read_dictionary(value, vocabulary, path)
    if not isinstance(value, list | tuple):
        raise _unexpected("text, a dictionary or tuples", value, path)
    query = from_kgreasoning(value, path)
    check_query(query, entities, relations)
    return query


def many(queries: Iterable[QueryLike]) -> Iterable[QueryLike]:
    """Queries as they are given, where they are many: a tuple is many of them, not one of KGReasoning's.

    Raises FuzzError `query`: one query in place of many, whose letters or keys would be read.
    """
    if isinstance(queries, str | Mapping | Entity | Project | And | Or | Not):
        raise _unexpected("a list of queries", queries, "queries", "Write [query], or call answer for one.")
    return queries


def from_kgreasoning(query: object, path: str = "$") -> Query:
    """Reads the nested tuples of KGReasoning and of data sets in BetaE's layout; arrays do for tuples.

    `(x, (r, …))` applies relations from left to right, -2 among them negates; `(t, t, …)` is a conjunction and
    `(t, t, …, (-1,))` a disjunction: 2in is `((a, (r,)), (b, (s, -2)))`. All numbers are ids.

    Raises FuzzError `query`: anything else.
    """
    size = Size()

    def read(value: object, path: str, depth: int) -> Query:
        size.add(depth, path)
        if _is_number(value):
            return Entity(_tuple_id(value, "an entity", path))
        if not isinstance(value, list | tuple):
            raise _no_tuple("an entity id or a tuple", value, path)
        last = value[-1] if value else None
        if not isinstance(last, list | tuple) or not all(map(_is_number, last)):
            return And(read_operands("and", value, path, depth))
        if list(last) == [_UNION]:
            return Or(read_operands("or", value[:-1], path, depth))
        if len(value) != 2:
            hint = "Relations follow one query, as in (7, (3,))."
            raise _no_tuple("(query, (relation, …))", value, path, hint)
        return read_path(value[0], last, path, depth)

    def read_path(start: object, steps: Sequence[Any], path: str, depth: int) -> Query:
        query = read(start, f"{path}[0]", depth + len(steps))
        for i, step in enumerate(steps):
            here = f"{path}[1][{i}]"
            size.add(1, here)
            query = Not(query) if step == _NEGATION else Project(_tuple_id(step, "a relation", here), query)
        return query

    def read_operands(name: str, values: Sequence[object], path: str, depth: int) -> tuple[Query, ...]:
        check_operands(name, len(values), path)
        return tuple(read(value, f"{path}[{i}]", depth + 1) for i, value in enumerate(values))

    return read(query, path, 1)


def to_kgreasoning(query: Query) -> tuple[Any, ...]:
    """Writes a query in the nested tuples of KGReasoning; an anchor that no relation leaves is `(e, ())`."""
    steps: list[int] = []
    while isinstance(query, Project | Not):
        steps.insert(0, _NEGATION if isinstance(query, Not) else query.relation)
        query = query.operand
    if isinstance(query, Entity):
        return (query.entity, tuple(steps))
    branches = tuple(map(to_kgreasoning, query.operands))
    if isinstance(query, Or):
        branches = (*branches, (_UNION,))
    return (branches, tuple(steps)) if steps else branches


def _read_dictionary(value: Mapping[str, Any], vocabulary: Vocabulary, path: str) -> Query:
    size = Size()

    def read(node: object, path: str, depth: int) -> Query:
        if isinstance(node, str):
            query = parse_query(node, vocabulary, path)
            _count(query, size, path, depth)
            return query
        size.add(depth, path)
        form, fields = _form_of(node, path)
        match form:
            case "entity":
                return Entity(name("entity", fields["entity"], f"{path}.entity"))
            case "project":
                relation = name("relation", fields["project"], f"{path}.project")
                return Project(relation, read(fields["from"], f"{path}.from", depth + 1))
            case "not":
                return Not(read(fields["not"], f"{path}.not", depth + 1))
        operands = fields[form]
        if not isinstance(operands, list | tuple):
            raise _unexpected("an array of queries", operands, f"{path}.{form}")
        check_operands(form, len(operands), f"{path}.{form}")
        parts = tuple(read(each, f"{path}.{form}[{i}]", depth + 1) for i, each in enumerate(operands))
        return And(parts) if form == "and" else Or(parts)

    def name(kind: str, value: object, path: str) -> int:
        find: Callable[[str], int] = vocabulary.entity if kind == "entity" else vocabulary.relation
        if isinstance(value, str):
            try:
                return find(value)
            except FuzzError as error:
                raise FuzzError(error.code, error.message, path, error.hint) from None
        if not _is_number(value):
            raise _unexpected(f"{'an entity' if kind == 'entity' else 'a relation'}: its key, label or id", value, path)
        count = len(vocabulary.entities) if kind == "entity" else 2 * len(vocabulary.relations)
        return check_id(kind, _whole(value), count, path)

    return read(value, path, 1)


def _count(query: Query, size: Size, path: str, depth: int) -> None:
    size.add(depth, path)
    for operand in operands_of(query):
        _count(operand, size, path, depth + 1)


def _form_of(node: object, path: str) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(node, Mapping):
        raise _unexpected(_FORMS, node, path)
    keys = list(node)
    if not all(isinstance(key, str) for key in keys):
        raise _unexpected(f"{_FORMS}, whose keys are texts", None, path)
    form = next((key for key in keys if key in _KEYS), None)
    if form is None:
        hint = offer_names(near_names(str(keys[0]) if keys else "", list(_KEYS)), f"A query is one of {_FORMS}.")
        raise _unexpected(_FORMS, f"the key {keys[0]}" if keys else node, path, hint)
    for key in keys:
        if key not in _KEYS[form]:
            hint = offer_names(
                near_names(str(key), _KEYS[form]), f"A query has one operator: {', '.join(_KEYS[form])}."
            )
            raise _unexpected(f"no key beside {' and '.join(_KEYS[form])}", f"the key {key}", path, hint)
    for key in _KEYS[form]:
        if key not in node:
            raise _unexpected(f'the key "{key}" beside "{form}"', list(node), path)
    return form, node


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _whole(value: Any) -> Any:
    """A number as the integer that it is, as JSON does not tell 3 from 3.0."""
    return (
        int(value) if isinstance(value, float | np.floating) and np.isfinite(value) and value == value // 1 else value
    )


def _tuple_id(value: Any, what: str, path: str) -> int:
    value = _whole(value)
    if isinstance(value, int | np.integer) and value >= 0:
        return int(value)
    negation = " (or -2 for a negation)" if what == "a relation" else ""
    raise _no_tuple(f"{what} id >= 0{negation}", value, path)


def _no_tuple(expected: str, value: object, path: str, hint: str | None = None) -> FuzzError:
    default = "Nested tuples look like ((1, (0,)), (2, (3, -2))); -1 is union and -2 negation."
    return FuzzError("query", f"query tuple: expected {expected}, got {describe_value(value)}", path, hint or default)


def _unexpected(expected: str, value: object, path: str, hint: str | None = None) -> FuzzError:
    default = 'For example {"project": "borders", "from": {"entity": "France"}}.'
    return FuzzError("query", f"query: expected {expected}, got {describe_value(value)}", path, hint or default)

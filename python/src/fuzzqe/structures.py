"""The 14 query structures of the field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .model import Model
from .query import And, Entity, Not, Or, Project, Query, operands_of


@dataclass(frozen=True, slots=True)
class Structure:
    """A shape of queries; its tree has slot numbers in the place of ids."""

    name: str
    tree: Query
    anchors: int
    relations: int

    @property
    def negation(self) -> bool:
        """Whether a part of it is negated."""
        return _negates(self.tree)


def _negates(query: Query) -> bool:
    return isinstance(query, Not) or any(map(_negates, operands_of(query)))


def _path(anchor: int, *relations: int) -> Query:
    query: Query = Entity(anchor)
    for relation in relations:
        query = Project(relation, query)
    return query


def _and(*operands: Query) -> Query:
    return And(operands)


def _or(*operands: Query) -> Query:
    return Or(operands)


_TREES: Mapping[str, tuple[Query, int, int]] = {
    "1p": (_path(0, 0), 1, 1),
    "2p": (_path(0, 0, 1), 1, 2),
    "3p": (_path(0, 0, 1, 2), 1, 3),
    "2i": (_and(_path(0, 0), _path(1, 1)), 2, 2),
    "3i": (_and(_path(0, 0), _path(1, 1), _path(2, 2)), 3, 3),
    "pi": (_and(_path(0, 0, 1), _path(1, 2)), 2, 3),
    "ip": (Project(2, _and(_path(0, 0), _path(1, 1))), 2, 3),
    "2u": (_or(_path(0, 0), _path(1, 1)), 2, 2),
    "up": (Project(2, _or(_path(0, 0), _path(1, 1))), 2, 3),
    "2in": (_and(_path(0, 0), Not(_path(1, 1))), 2, 2),
    "3in": (_and(_path(0, 0), _path(1, 1), Not(_path(2, 2))), 3, 3),
    "inp": (Project(2, _and(_path(0, 0), Not(_path(1, 1)))), 2, 3),
    "pin": (_and(_path(0, 0, 1), Not(_path(1, 2))), 2, 3),
    "pni": (_and(Not(_path(0, 0, 1)), _path(1, 2)), 2, 3),
}

STRUCTURES: Mapping[str, Structure] = {name: Structure(name, *entry) for name, entry in _TREES.items()}
"""Every structure by its name."""


def structures_of(model: Model) -> tuple[str, ...]:
    """The names of the structures whose queries a model embeds."""
    if model.embeds_links:
        return ("1p",)
    return tuple(name for name, each in STRUCTURES.items() if not (model.is_positive and each.negation))


@dataclass(frozen=True, slots=True)
class StructureMatch:
    """A query as one of the structures, with what fills its slots."""

    structure: Structure
    anchors: tuple[int, ...]
    relations: tuple[int, ...]


def match_structure(query: Query) -> StructureMatch | None:
    """The structure that a query is, with the operands of `and` and `or` in any order."""
    for structure in STRUCTURES.values():
        anchors, relations = [0] * structure.anchors, [0] * structure.relations
        if _bind(structure.tree, query, anchors, relations):
            return StructureMatch(structure, tuple(anchors), tuple(relations))
    return None


def fill_structure(name: str, anchors: tuple[int, ...], relations: tuple[int, ...]) -> Query:
    """The query of a structure with these ids in its slots."""

    def fill(tree: Query) -> Query:
        match tree:
            case Entity(slot):
                return Entity(anchors[slot])
            case Project(slot, operand):
                return Project(relations[slot], fill(operand))
            case Not(operand):
                return Not(fill(operand))
            case And(operands):
                return And(tuple(map(fill, operands)))
            case Or(operands):
                return Or(tuple(map(fill, operands)))

    return fill(STRUCTURES[name].tree)


def _bind(tree: Query, query: Query, anchors: list[int], relations: list[int]) -> bool:
    match tree, query:
        case Entity(slot), Entity(entity):
            anchors[slot] = entity
            return True
        case Project(slot, inner), Project(relation, operand):
            relations[slot] = relation
            return _bind(inner, operand, anchors, relations)
        case Not(inner), Not(operand):
            return _bind(inner, operand, anchors, relations)
        case (And(wanted), And(operands)) | (Or(wanted), Or(operands)):
            if len(wanted) != len(operands):
                return False
            # The first that fits will do: two operands that fit one part have the same shape.
            left = list(operands)
            for part in wanted:
                found = next((each for each in left if _bind(part, each, anchors, relations)), None)
                if found is None:
                    return False
                left.remove(found)
            return True
        case _:
            return False

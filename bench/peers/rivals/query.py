"""Queries as trees, read from the nested lists of KGReasoning's files: -1 is union, -2 is negation."""

import gzip
import hashlib
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .dataset import Graph

structures = "1p 2p 3p 2i 3i pi ip 2u up 2in 3in inp pin pni".split()
without_negation, with_negation = structures[:9], structures[9:]


@dataclass(frozen=True)
class Entity:
    id: int


@dataclass(frozen=True)
class Project:
    relation: int
    of: "Tree"


@dataclass(frozen=True)
class And:
    parts: "tuple[Tree, ...]"


@dataclass(frozen=True)
class Or:
    parts: "tuple[Tree, ...]"


@dataclass(frozen=True)
class Not:
    of: "Tree"


Tree = Entity | Project | And | Or | Not


@dataclass(frozen=True)
class Query:
    structure: str
    tree: Tree
    easy: list[int]
    hard: list[int]
    line: str = ""
    """The query as its file has it: [nested lists, hard answers]."""


def parse(nested: Any) -> Tree:
    """[anchor, path], [sub-query, path], [sub-query, …, [-1]] or [sub-query, …]."""
    if isinstance(nested[0], int):
        return follow(Entity(nested[0]), nested[1])
    if list(nested[-1]) == [-1]:
        return Or(tuple(map(parse, nested[:-1])))
    if len(nested) == 2 and all(isinstance(step, int) for step in nested[1]):
        return follow(parse(nested[0]), nested[1])
    return And(tuple(map(parse, nested)))


def follow(tree: Tree, path: list[int]) -> Tree:
    for step in path:
        tree = Not(tree) if step == -2 else Project(step, tree)
    return tree


def exact(tree: Tree, graph: Graph) -> set[int]:
    """The answers on a graph."""
    match tree:
        case Entity(id):
            return {id}
        case Project(relation, of):
            return {int(tail) for head in exact(of, graph) for tail in graph.tails(head, relation)}
        case And(parts):
            kept = set.intersection(*(exact(part, graph) for part in parts if not isinstance(part, Not)))
            return kept.difference(*(exact(part.of, graph) for part in parts if isinstance(part, Not)))
        case Or(parts):
            return set().union(*(exact(part, graph) for part in parts))
        case Not(of):
            return set(range(graph.entities)) - exact(of, graph)


def disjuncts(tree: Tree) -> list[Tree]:
    """The tree as a union of trees without unions: the disjunctive normal form. Not for unions below a negation."""
    match tree:
        case Or(parts):
            return [each for part in parts for each in disjuncts(part)]
        case Project(relation, of):
            return [Project(relation, each) for each in disjuncts(of)]
        case And(parts):
            joined: list[tuple[Tree, ...]] = [()]
            for part in parts:
                joined = [(*before, each) for before in joined for each in disjuncts(part)]
            return [And(each) for each in joined]
        case _:
            return [tree]


def open_text(path: Path):
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")


def read_queries(path: str | Path, known: Graph, each: int = 0, seed: int = 1) -> list[Query]:
    """Queries of a file, `each` of a structure (0: all), drawn with the seed; easy answers are computed where it has none."""
    drawn: dict[str, list[dict[str, Any]]] = {}
    with open_text(Path(path)) as file:
        for line in file:
            item = json.loads(line)
            drawn.setdefault(item["type"].removesuffix("-DNF"), []).append(item)
    queries = []
    for structure in structures:
        items = drawn.get(structure, [])
        if each and len(items) > each:
            items = random.Random(f"{seed} {structure}").sample(items, each)
        for item in items:
            tree = parse(item["query"])
            easy = item["easy"] if "easy" in item else sorted(exact(tree, known) - set(item["hard"]))
            line = json.dumps([item["query"], item["hard"]], separators=(",", ":"))
            queries.append(Query(structure, tree, easy, item["hard"], line))
    return queries


def digest(queries: list[Query]) -> str:
    """A name for a list of queries: figures on different ones do not belong in one table."""
    return hashlib.sha256("".join(f"{query.line}\n" for query in queries).encode()).hexdigest()[:16]

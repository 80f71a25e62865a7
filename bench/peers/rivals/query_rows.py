"""Queries of one structure as a shape and a row of ids each, so that thousands are answered, kept and embedded at once.

A tree whose ids are columns [n] instead of numbers stands for n queries.
"""

import json
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from .dataset import Graph
from .query import And, Entity, Not, Or, Project, Tree, open_text, parse


def ids_of(tree: Tree) -> list[int]:
    """Its entities and relations, in an order that trees of one shape share."""
    match tree:
        case Entity(id):
            return [id]
        case Project(relation, of):
            return [*ids_of(of), relation]
        case Not(of):
            return ids_of(of)
        case And(parts) | Or(parts):
            return [id for part in parts for id in ids_of(part)]


def with_ids(shape: Tree, ids: Iterator[Any]) -> Tree:
    """The tree of that shape with other ids, or with columns of them."""
    match shape:
        case Entity():
            return Entity(next(ids))
        case Project(of=of):
            inner = with_ids(of, ids)
            return Project(next(ids), inner)
        case Not(of):
            return Not(with_ids(of, ids))
        case And(parts) | Or(parts):
            return type(shape)(tuple(with_ids(part, ids) for part in parts))


def exact_rows(tree: Tree, graph: Graph) -> np.ndarray:
    """The answers of a tree of columns on a graph: query · entities + answer, ascending. A negation stands in a conjunction."""
    match tree:
        case Entity(ids):
            return np.arange(len(ids)) * graph.entities + ids
        case Project(relations, of):
            query, head = np.divmod(exact_rows(of, graph), graph.entities)
            row, tails = graph.tails_of_many(head, relations[query])
            found = query[row] * graph.entities + tails
            return found if isinstance(of, Entity) else np.unique(found)  # of one head they are ascending already
        case And(parts):
            kept, *others = sorted((exact_rows(part, graph) for part in parts if not isinstance(part, Not)), key=len)
            for each in others:
                kept = kept[among(kept, each)]
            for part in parts:
                if isinstance(part, Not):
                    kept = kept[~among(kept, exact_rows(part.of, graph))]
            return kept
        case Or(parts):
            return reduce(np.union1d, [exact_rows(part, graph) for part in parts])
    raise ValueError("a negation outside of a conjunction")


def among(few: np.ndarray, many: np.ndarray) -> np.ndarray:
    """Which of `few` are in `many`, both ascending: np.isin would sort the many again."""
    places = np.searchsorted(many, few)
    return (places < len(many)) & (np.append(many, -1)[places] == few)


def exact_of(shape: Tree, ids: np.ndarray, graph: Graph, at_once: int = 2048) -> tuple[np.ndarray, np.ndarray]:
    """Of rows of ids [n, ids]: how many answers each query has, and the answers, one query after the other."""
    counts, answers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for at in range(0, len(ids), at_once):
        part = ids[at : at + at_once]
        query, answer = np.divmod(exact_rows(with_ids(shape, iter(part.T)), graph), graph.entities)
        counts.append(np.bincount(query, minlength=len(part)))
        answers.append(answer)
    return np.concatenate(counts), np.concatenate(answers)


def read_rows(path: Path, names: list[str]) -> dict[str, tuple[Tree, np.ndarray]]:
    """The shape and the ids [n, ids] of a file's queries of these structures."""
    shapes: dict[str, Tree] = {}
    rows: dict[str, list[list[int]]] = {}
    with open_text(path) as file:
        for line in file:
            item = json.loads(line)
            name = item["type"]
            if name in names:
                tree = parse(item["query"])
                shapes.setdefault(name, tree)
                rows.setdefault(name, []).append(ids_of(tree))
    return {name: (shapes[name], np.array(rows[name])) for name in names if name in rows}

"""Data set folders as `fuzzqe data` writes them: names, facts and, for what needs them, facts as a graph."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np


def ranges(starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """start, start + 1, … of each row, `length` of them, one row after the other: whose they are, and they."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    return row, np.arange(len(row)) + (starts - np.cumsum(lengths) + lengths)[row]


class Graph:
    """Facts by head and relation, in both directions: relation 2k + 1 is the inverse of 2k."""

    def __init__(self, forward: np.ndarray, entities: int, relations: int):
        inverse = forward[:, [2, 1, 0]] ^ np.array([0, 1, 0])
        facts = np.unique(np.concatenate([forward, inverse]), axis=0)
        self.entities, self.relations = entities, relations
        self.facts = facts
        keys = facts[:, 0] * relations + facts[:, 1]
        starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, np.int64)
        self.pairs = facts[starts, :2]
        """Every (head, relation) that has a tail: [pairs, 2]."""
        self.offsets = np.r_[starts, len(facts)]
        """The tails of pair i are facts[offsets[i] : offsets[i + 1], 2], ascending."""
        self.keys = keys[starts]
        """head · relations + relation of every pair, ascending."""
        self._pair_of = {int(key): index for index, key in enumerate(self.keys)}

    def tails(self, head: int, relation: int) -> np.ndarray:
        index = self._pair_of.get(head * self.relations + relation)
        if index is None:
            return np.zeros(0, np.int64)
        return self.facts[self.offsets[index] : self.offsets[index + 1], 2]

    def tails_of_many(self, heads: np.ndarray, relations: np.ndarray | int) -> tuple[np.ndarray, np.ndarray]:
        """The tails of every (head, relation) given: which of those each belongs to, ascending, and the tail."""
        wanted = heads * self.relations + relations
        first, behind = (np.searchsorted(self.keys, wanted, side) for side in ("left", "right"))
        row, entries = ranges(self.offsets[first], self.offsets[behind] - self.offsets[first])
        return row, self.facts[entries, 2]


@dataclass(frozen=True)
class Dataset:
    folder: Path
    entities: int
    relations: int
    """Inverses counted."""
    parts: dict[str, np.ndarray]
    """train, valid and test: forward facts [n, 3]."""

    def graph(self, *names: str) -> Graph:
        return Graph(np.concatenate([self.parts[name] for name in names]), self.entities, self.relations)

    def known(self, split: str) -> Graph:
        """The graph on which a split's easy answers are exact: train for validation, train and validation for the test."""
        return self.graph("train", "valid") if split == "test" else self.graph("train")


def read_dataset(folder: str | Path) -> Dataset:
    folder = Path(folder)
    if not (folder / "entities.tsv").exists():
        raise SystemExit(f"{folder}: expected a data set folder with entities.tsv: make one by fuzzqe data import")
    lines = lambda name: sum(1 for line in (folder / name).open(encoding="utf-8") if line.strip())
    entities, relations = lines("entities.tsv"), 2 * lines("relations.tsv")
    parts = {name: read_facts(folder / f"{name}.tsv") for name in ("train", "valid", "test")}
    for name, facts in parts.items():
        if len(facts) and (facts.min() < 0 or facts[:, [0, 2]].max() >= entities or facts[:, 1].max() >= relations):
            raise SystemExit(f"{folder}/{name}.tsv: expected ids below {entities} entities and {relations} relations")
    return Dataset(folder, entities, relations, parts)


def read_facts(path: Path) -> np.ndarray:
    if not path.exists() or path.stat().st_size == 0:
        return np.zeros((0, 3), np.int64)
    return np.loadtxt(path, dtype=np.int64, delimiter="\t", ndmin=2)

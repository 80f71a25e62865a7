"""How far entities may be tails of relations, by what the recorded facts say of them: ρ of (9) of docs/model.md."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from .facts import Facts
from .kept import Kept

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

_LEAST = np.float32(0.001)
_LEAST_INSTANCES = 5
_NUMBERS_KEPT = 2**24


class Ranges:
    """The ranges of relations. `type_relations` lead from entities to their classes.

    Entities have the attributes of the facts now; what an attribute says is counted in the base of the facts.
    """

    def __init__(self, facts: Facts, type_relations: Iterable[int]) -> None:
        self._facts = facts
        self._types = tuple(dict.fromkeys(type_relations))
        self._kept: Kept[Floats] = Kept(_NUMBERS_KEPT, len)

    def of(self, relation: int) -> Floats:
        """ρ_r(e) of every entity, the largest share over its attributes.

        Shape: [|E|], not to be written to. Range: [0.001, 1].
        """
        return self._kept.get(relation, lambda: self._measure(relation))

    def _measure(self, relation: int) -> Floats:
        facts, base = self._facts, self._facts.base
        inverse = relation ^ 1
        is_tail = np.zeros(facts.entities, bool)
        is_tail[base.edges(inverse)[0]] = True
        # Of each relation how many heads it has, and how many of them are tails of this one.
        holders = np.bincount(base.link_relations, minlength=facts.relations)
        hits = np.bincount(base.link_relations[is_tail[base.link_heads]], minlength=facts.relations)
        shares = _shares(hits, holders).astype(np.float32)
        shares[inverse] = 1
        ranges = np.full(facts.entities, _LEAST)
        np.maximum.at(ranges, facts.link_heads, shares[facts.link_relations])
        for each in self._types:
            instances, classes = base.edges(each)
            holders = np.bincount(classes, minlength=facts.entities)
            hits = np.bincount(classes[is_tail[instances]], minlength=facts.entities)
            shares = np.where(holders >= _LEAST_INSTANCES, _shares(hits, holders), 0).astype(np.float32)
            instances, classes = facts.edges(each)
            np.maximum.at(ranges, instances, shares[classes])
        ranges.flags.writeable = False
        return ranges


def _shares(hits: npt.NDArray[np.int64], holders: npt.NDArray[np.int64]) -> Doubles:
    return (hits + 0.02) / (holders + 1)


def second_tail_share(facts: Facts, relation: int) -> float:
    """φ_r, the share of heads with a second tail in the base: `(n₂ + 1) / (n₁ + 1)`, in (0, 1]."""
    _, counts = facts.base.heads_with_facts(relation)
    return float((np.count_nonzero(counts > 1) + 1) / (len(counts) + 1))

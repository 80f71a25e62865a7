"""What the recorded links of similar heads say of a link: ν of (9) of docs/model.md."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .facts import Facts, Ids
from .sets_entry import Calibration

Floats = npt.NDArray[np.float32]

_MOST_NEIGHBOURS = 64
_MOST_PAIRS = 2**12
_MOST_ATTRIBUTES = 2**12
_MOST_TAILS = 2**14
# Hubs are asked again and again.
_NUMBERS_KEPT = 2**18


class Neighbours:
    """The most similar heads of each relation, by the facts that they share, and their votes.

    `factors` is κ of a relation: [|E|].
    """

    def __init__(self, facts: Facts, calibration: Calibration, factors: Callable[[int], Floats]) -> None:
        self._facts, self._calibration, self._factors = facts, calibration, factors
        self._lengths: npt.NDArray[np.float32] | None = None
        self._kept: OrderedDict[tuple[int, int], tuple[Ids, Floats]] = OrderedDict()
        self._numbers = 0

    def links(self, head: int, relation: int) -> tuple[Ids, Floats]:
        """The entities with a degree above 0, ascending, and their degrees. Shapes: [n] each."""
        calibration = self._calibration
        if calibration.neighbour_weight == 0:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        ids, shares = self._votes(head, relation)
        tails = max(len(self._facts.tails(head, relation)), 1)
        expected = calibration.neighbour_weight * calibration.weight * tails**calibration.exponent
        factors = self._factors(relation)[ids].astype(np.float64)
        degrees = (factors * expected * shares.astype(np.float64)).astype(np.float32)
        return ids, np.minimum(np.float32(calibration.cap), degrees)

    def _votes(self, head: int, relation: int) -> tuple[Ids, Floats]:
        """Shares of the neighbours' votes, which add up to 1, by ascending ids."""
        key = head, relation
        if (kept := self._kept.pop(key, None)) is None:
            kept = self._count(head, relation)
            self._numbers += len(kept[0]) + 1
        self._kept[key] = kept
        while self._numbers > _NUMBERS_KEPT:
            _, (ids, _) = self._kept.popitem(last=False)
            self._numbers -= len(ids) + 1
        return kept

    def _count(self, head: int, relation: int) -> tuple[Ids, Floats]:
        heads, tails = self._facts.heads_with_facts(relation)
        cosines = self._cosines(head)[heads]
        # The most similar first; of equally similar ones the lower id.
        nearest = np.argsort(-cosines, kind="stable")[:_MOST_NEIGHBOURS]
        votes = np.zeros(self._facts.entities, np.float64)
        nearest = nearest[cosines[nearest] > 0]
        nearest = nearest[np.cumsum(tails[nearest]) <= _MOST_TAILS]
        # In order of heads, as everywhere, so that sums are the same.
        for at in np.sort(nearest).tolist():
            votes[self._facts.tails(int(heads[at]), relation)] += float(cosines[at]) ** 2
        votes[self._facts.tails(head, relation)] = 0
        (ids,) = np.nonzero(votes)
        return ids.astype(np.int32), (votes[ids] / votes[ids].sum()).astype(np.float32)

    def _cosines(self, entity: int) -> Floats:
        """The cosine of every entity's attributes with those of one. Shape: [|E|]."""
        facts = self._facts
        attributes = facts.attributes(entity)[:_MOST_ATTRIBUTES]
        # Of equally rare attributes the first come first.
        having = sorted((facts.tails(tail, relation ^ 1) for relation, tail in attributes), key=len)
        products = np.zeros(facts.entities, np.float64)
        pairs = 0
        for entities in having:
            pairs += len(entities)
            if pairs > _MOST_PAIRS:
                break
            products[entities] += self._weights(len(entities))
        lengths = self._attribute_lengths().astype(np.float64)
        shared = products > 0
        cosines = np.zeros(facts.entities, np.float32)
        cosines[shared] = products[shared] / np.sqrt(lengths[entity] * lengths[shared])
        return cosines

    def _attribute_lengths(self) -> npt.NDArray[np.float32]:
        """The squared length of every entity's attributes. Shape: [|E|]."""
        if self._lengths is None:
            lengths = np.zeros(self._facts.entities, np.float64)
            for relation in range(self._facts.relations):
                heads, tails = self._facts.edges(relation)
                _, group, counts = np.unique(heads, return_inverse=True, return_counts=True)
                np.add.at(lengths, tails, self._weights(counts)[group])
            self._lengths = lengths.astype(np.float32)
        return self._lengths

    def _weights(self, entities: int | npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """ln²(|E| / n) of attributes that n entities have, in single precision."""
        weights: npt.NDArray[np.float64] = np.square(np.log(self._facts.entities / np.asarray(entities)))
        return weights.astype(np.float32).astype(np.float64)

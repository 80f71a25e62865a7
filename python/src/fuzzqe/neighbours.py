"""What the recorded links of similar heads say of a link: c of (9) of docs/model.md."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .facts import Facts, Ids

Floats = npt.NDArray[np.float32]

_MOST_NEIGHBOURS = 64
_MOST_PAIRS = 2**12
_MOST_ATTRIBUTES = 2**12
_MOST_TAILS = 2**14
_MOST_NAMED = 3


class Neighbours:
    """The most similar heads of each relation, by the facts that they share, and their votes.

    Attributes are those of the facts now, each as rare as it is in the base of the facts.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._lengths: npt.NDArray[np.float32] | None = None

    def votes(self, head: int, relation: int) -> tuple[Ids, Floats]:
        """The entities that similar heads have recorded, ascending, and their shares of the votes. Shapes: [n] each."""
        heads, cosines = self._nearest(head, relation)
        votes = np.zeros(self._facts.entities, np.float64)
        # In order of heads, as everywhere, so that sums are the same.
        order = np.argsort(heads)
        places, tails = self._facts.expand(heads[order], relation, _MOST_TAILS)
        np.add.at(votes, tails, np.square(cosines[order].astype(np.float64))[places])
        votes[self._facts.tails(head, relation)] = 0
        (ids,) = np.nonzero(votes)
        return ids.astype(np.int32), (votes[ids] / votes[ids].sum()).astype(np.float32)

    def named(self, head: int, relation: int, tail: int) -> tuple[int, ...]:
        """The most similar heads that have the tail recorded, the most similar first: at most 3, and not the head."""
        heads, _ = self._nearest(head, relation)
        having = set(self._facts.tails(tail, relation ^ 1).tolist())
        return tuple(other for other in heads.tolist() if other != head and other in having)[:_MOST_NAMED]

    def _nearest(self, head: int, relation: int) -> tuple[Ids, Floats]:
        """The most similar heads of a relation, the most similar first, of equally similar ones the lower id."""
        heads, tails = self._facts.heads_with_facts(relation)
        cosines = self._cosines(head)[heads]
        nearest = np.argsort(-cosines, kind="stable")[:_MOST_NEIGHBOURS]
        nearest = nearest[cosines[nearest] > 0]
        nearest = nearest[np.cumsum(tails[nearest]) <= _MOST_TAILS]
        return heads[nearest], cosines[nearest]

    def _cosines(self, entity: int) -> Floats:
        """The cosine of every entity's attributes with those of one. Shape: [|E|]."""
        facts = self._facts
        attributes = facts.attributes(entity, _MOST_ATTRIBUTES)
        # Of equally rare attributes the first come first.
        having = sorted(
            ((facts.tails(tail, relation ^ 1), tail, relation ^ 1) for relation, tail in attributes),
            key=lambda attribute: len(attribute[0]),
        )
        products = np.zeros(facts.entities, np.float64)
        pairs = 0
        for entities, tail, inverse in having:
            pairs += len(entities)
            if pairs > _MOST_PAIRS:
                break
            products[entities] += self._weights(len(facts.base.tails(tail, inverse)))
        lengths = self._attribute_lengths().astype(np.float64)
        shared = products > 0
        cosines = np.zeros(facts.entities, np.float32)
        cosines[shared] = products[shared] / np.sqrt(lengths[entity] * lengths[shared])
        return cosines

    def _attribute_lengths(self) -> npt.NDArray[np.float32]:
        """The squared length of every entity's attributes. Shape: [|E|]."""
        if self._lengths is None:
            base = self._facts.base
            lengths = np.zeros(base.entities, np.float64)
            for relation in range(base.relations):
                _, tails = base.edges(relation)
                _, counts = base.heads_with_facts(relation)
                # Who has an attribute are the tails of its entity, backwards.
                np.add.at(lengths, tails, np.repeat(self._weights(counts), counts))
            lengths = lengths.astype(np.float32).astype(np.float64)
            for sign, edges in zip((1, -1), self._facts.edges_since_base(), strict=True):
                for head, relation, tail in edges.tolist():
                    lengths[head] += sign * self._weights(len(base.tails(tail, relation ^ 1)))
            self._lengths = lengths.astype(np.float32)
        return self._lengths

    def _weights(self, entities: int | npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """ln²(|E| / n) of attributes that n entities of the base have, or 1 if none has it, in single precision."""
        counts = np.maximum(entities, 1)
        weights: npt.NDArray[np.float64] = np.square(np.log(self._facts.entities / counts))
        return weights.astype(np.float32).astype(np.float64)

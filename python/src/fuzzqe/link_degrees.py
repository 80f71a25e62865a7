"""Degrees of links, the probability that their evidence has together: (9) of docs/model.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .facts import Facts, Ids
from .features import SCALE, HeadFeatures, head_features, rule_feature, tail_features
from .kept import Kept
from .link_weights import LinkWeights
from .neighbours import Neighbours
from .ranges import Ranges
from .rules import Rules

Floats = npt.NDArray[np.float32]

Scores = Callable[[Sequence[tuple[int, int]]], Floats]
"""The model's scores of links (head, relation). Shapes: n links → [n, |E|]."""

HIGHEST_PREDICTED = np.float32(0.999)
"""The highest degree of what does not follow from recorded facts alone."""

_NUMBERS_KEPT = 2**24
# Hubs are asked again and again.
_NAMED_KEPT = 2**19
# Beyond that a term changes no digit of single precision.
_NEGLIGIBLE = -20


@dataclass(frozen=True, slots=True)
class _Terms:
    """Of every entity as a tail of a relation: what is added to its logit, and a part of its share."""

    logits: Floats
    share_base: Floats


@dataclass(frozen=True, slots=True)
class _Named:
    """What rules and similar heads say of the entities that they name. Shapes: [n] each."""

    ids: Ids
    votes: Floats
    best: Floats
    joined: Floats


class LinkDegrees:
    """Judges links by their evidence."""

    def __init__(self, facts: Facts, rules: Rules, weights: LinkWeights, entailed: Facts, scores: Scores) -> None:
        """`entailed` are the facts that declared axioms entail."""
        self._facts, self._rules, self._weights, self._scores = facts, rules, weights, scores
        self._entailed = entailed
        self.ranges = Ranges(facts, weights.type_relations)
        self.neighbours = Neighbours(facts)
        self._terms: Kept[_Terms] = Kept(_NUMBERS_KEPT, lambda terms: 2 * len(terms.logits))
        self._named: Kept[_Named] = Kept(_NAMED_KEPT, lambda named: 4 * len(named.ids) + 1)

    def rows(self, links: Sequence[tuple[int, int]]) -> Floats:
        """The degree of every entity as a tail of links (head, relation). Shape: [n, |E|], in [0, 1]."""
        if self._weights.temperature is None:
            scores = np.zeros((len(links), self._facts.entities), np.float32)
        else:
            scores = self._scores(links)
        return np.stack([self._judge(row, *link) for row, link in zip(scores, links, strict=True)])

    def _judge(self, scores: Floats, head: int, relation: int) -> Floats:
        facts, temperature = self._facts, self._weights.temperature
        weights = self._weights.of(relation)
        terms = self._terms.get(relation, lambda: self._weigh(relation))
        recorded = facts.tails(head, relation)
        closed = recorded if facts.has_loop(relation) else np.append(recorded, np.int32(head))
        constant = _head_terms(weights, head_features(facts, self.ranges, head, relation))
        slope = 0.0
        if temperature is not None:
            share = weights["share"] / SCALE
            constant -= share * _normaliser(scores, temperature, terms.share_base, closed)
            slope = share * temperature
        # Rounded as every reader of bundles rounds.
        logits = (slope * scores.astype(np.float64) + constant + terms.logits).astype(np.float32)
        named = self._named.get((head, relation), lambda: self._name(head, relation))
        logits[named.ids] = (logits[named.ids] + _named_terms(weights, named)).astype(np.float32)
        with np.errstate(over="ignore"):
            likely = 1 / (1 + np.exp(-logits.astype(np.float64)))
        degrees = np.minimum(HIGHEST_PREDICTED, likely.astype(np.float32))
        degrees[closed] = 0
        degrees[self._entailed.tails(head, relation)] = HIGHEST_PREDICTED
        degrees[recorded] = 1
        unsure, confidences = facts.unsure(head, relation)
        degrees[unsure] = confidences
        return degrees

    def _weigh(self, relation: int) -> _Terms:
        weights = self._weights.of(relation)
        features = tail_features(self._facts, self.ranges, relation)
        share = 0.0 if self._weights.temperature is None else weights["share"] / SCALE
        logits = (
            share * features.share_base.astype(np.float64)
            + weights["range"] * features.range.astype(np.float64)
            + weights["inverseFunctional"] * features.inverse_functional.astype(np.float64)
            + weights["frequency"] * features.frequency.astype(np.float64)
        )
        return _Terms(logits.astype(np.float32), features.share_base)

    def _name(self, head: int, relation: int) -> _Named:
        voted, shares = self.neighbours.votes(head, relation)
        fired = self._rules.fire(head, relation)
        ids = np.union1d(voted, fired.ids)

        def spread(some: Ids, values: Floats) -> Floats:
            spread = np.zeros(len(ids), np.float32)
            spread[np.searchsorted(ids, some)] = values
            return spread

        return _Named(ids, spread(voted, shares), spread(fired.ids, fired.best), spread(fired.ids, fired.joined))


def _head_terms(weights: dict[str, float], features: HeadFeatures) -> float:
    return (
        weights["constant"]
        + weights["tails"] * features.tails
        + weights["functional"] * features.functional
        + weights["domain"] * features.domain
    )


def _named_terms(weights: dict[str, float], named: _Named) -> npt.NDArray[np.float64]:
    """What rules and similar heads add to logits. Shape: [n]."""
    ruled = (
        weights["bestRule"] * rule_feature(named.best)
        + weights["joinedRules"] * rule_feature(named.joined)
        + weights["hasRule"]
    )
    votes = weights["neighbours"] * np.sqrt(named.votes.astype(np.float64))
    return votes + np.where(named.best > 0, ruled, 0)


def _normaliser(scores: Floats, temperature: float, share_base: Floats, closed: Ids) -> float:
    """L_hr: `ln Σ_e exp(τ s(e) + ln min(1, 4 ρ_r(e)))` over the entities that are not closed; 0 without any."""
    logits = temperature * scores.astype(np.float64) + share_base
    logits[closed] = -np.inf
    top = float(logits.max())
    if top == -np.inf:
        return 0.0
    logits -= top
    return top + float(np.log(np.exp(logits[logits > _NEGLIGIBLE]).sum()))

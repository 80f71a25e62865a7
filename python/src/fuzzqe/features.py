"""The features of a link and of entities as its tails, but for what the model, rules and similar heads say."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .facts import Facts
from .ranges import Ranges, second_tail_share

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

SCALE = 4
"""Logarithms are as large as other features when they are divided by this."""

_SELDOM = 0.1
_LEAST, _MOST = 1e-4, 0.9999
_LEAST_ODDS = math.log(_LEAST / (1 - _LEAST))


@dataclass(frozen=True, slots=True)
class TailFeatures:
    """What the facts say of every entity as a tail of one relation. Shapes: [|E|] each."""

    share_base: Floats
    """`ln min(1, 4 ρ_r(e))`, a part of shares."""
    range: Floats
    inverse_functional: Floats
    frequency: Floats


@dataclass(frozen=True, slots=True)
class HeadFeatures:
    """What all entities of a link have alike."""

    tails: float
    functional: float
    domain: float


def tail_features(facts: Facts, ranges: Ranges, relation: int) -> TailFeatures:
    """The features of every entity as a tail of a relation."""
    measured = ranges.of(relation).astype(np.float64)
    inverse = relation ^ 1
    tails, counts = facts.base.heads_with_facts(inverse)
    total = int(counts.sum()) + _SELDOM * facts.entities
    frequency = np.full(facts.entities, math.log(_SELDOM / total) / SCALE)
    frequency[tails] = np.log((counts + _SELDOM) / total) / SCALE
    inverse_functional = np.zeros(facts.entities)
    inverse_functional[tails] = math.log(second_tail_share(facts, inverse)) / SCALE
    return TailFeatures(
        share_base=np.log(np.minimum(1, 4 * measured)).astype(np.float32),
        range=(np.log(measured) / SCALE).astype(np.float32),
        inverse_functional=inverse_functional.astype(np.float32),
        frequency=frequency.astype(np.float32),
    )


def head_features(facts: Facts, ranges: Ranges, head: int, relation: int) -> HeadFeatures:
    """The features of a link that do not depend on the tail."""
    recorded = len(facts.tails(head, relation))
    return HeadFeatures(
        tails=math.log(max(recorded, 1)) / SCALE,
        functional=math.log(second_tail_share(facts, relation)) / SCALE if recorded else 0.0,
        domain=math.log(float(ranges.of(relation ^ 1)[head])) / SCALE,
    )


def rule_feature(confidences: Floats) -> Doubles:
    """The log-odds of confidences above those of 10⁻⁴, divided by 4; 0 for confidences of at most 10⁻⁴. Shape: [n]."""
    bounded = np.clip(confidences.astype(np.float64), _LEAST, _MOST)
    features: Doubles = (np.log(bounded / (1 - bounded)) - _LEAST_ODDS) / SCALE
    return np.where(confidences <= _LEAST, 0, features)

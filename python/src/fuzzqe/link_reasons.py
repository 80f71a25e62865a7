"""What speaks for a predicted link, and what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from .facts import Facts
from .neighbours import Neighbours
from .ranges import Ranges, second_tail_share
from .rules import RuleInstance, Rules

_MOST_NAMED = 3
# From such a share on a second tail, or such a tail, is not unusual.
_UNUSUAL = 0.05

ObjectionKind: TypeAlias = Literal["other tail", "other head", "unusual tail"]


@dataclass(frozen=True, slots=True)
class LinkObjection:
    """A recorded fact that mostly is the only one of its kind, or a tail of an unusual kind."""

    kind: ObjectionKind
    entities: tuple[int, ...]
    """The recorded tails or heads, at most 3; none of an unusual tail."""
    share: float
    """How often a second one, or such a tail, is recorded, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class LinkReasons:
    """Reasons of a link, by ids."""

    entailed: bool
    """Whether a declared axiom entails the link."""
    rules: tuple[RuleInstance, ...]
    """The rules that name the tail, best first: at most 3."""
    neighbours: tuple[int, ...]
    """The heads that are most similar to that of the link and have its tail recorded: at most 3."""
    against: tuple[LinkObjection, ...]


def reasons_of(
    facts: Facts,
    entailed: Facts,
    rules: Rules,
    neighbours: Neighbours,
    ranges: Ranges,
    head: int,
    relation: int,
    tail: int,
) -> LinkReasons:
    """What speaks for a link that is not recorded, and against it."""
    against: list[LinkObjection] = []
    kinds: tuple[tuple[ObjectionKind, int, int], ...] = (
        ("other tail", head, relation),
        ("other head", tail, relation ^ 1),
    )
    for kind, entity, along in kinds:
        others = facts.tails(entity, along)
        share = second_tail_share(facts, along)
        if len(others) and share <= _UNUSUAL:
            against.append(LinkObjection(kind, tuple(others[:_MOST_NAMED].tolist()), share))
    share = float(ranges.of(relation)[tail])
    if share <= _UNUSUAL:
        against.append(LinkObjection("unusual tail", (), share))
    return LinkReasons(
        bool(np.any(entailed.tails(head, relation) == tail)),
        tuple(rules.explain(head, relation, tail, _MOST_NAMED)),
        neighbours.named(head, relation, tail),
        tuple(against),
    )

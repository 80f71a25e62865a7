"""Projections of fuzzy sets of entities: (10) of docs/model.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from .facts import Facts, Ids
from .link_degrees import HIGHEST_PREDICTED
from .sets_entry import ProjectionSettings

Floats = npt.NDArray[np.float32]

CERTAIN = np.nextafter(np.float32(0.95), np.float32(1))
"""From this degree on a member counts as certain: the least float32 that is not below 0.95."""

Join = Callable[[Floats, Floats], Floats]
JOINED: Mapping[str, tuple[Join, Join]] = {
    "product": (np.multiply, lambda a, b: a + b * (1 - a)),
    "godel": (np.minimum, np.maximum),
    "lukasiewicz": (lambda a, b: np.maximum(a + b - 1, 0), lambda a, b: np.minimum(a + b, 1)),
}
"""(5) and (6) by the logic, on sets of float32, which NumPy rounds at every step."""

_GROWTH, _NO_TAILS, _MOST_EXPECTED = 0.1, 0.1, 0.3


def members_of(facts: Facts, projection: ProjectionSettings, degrees: Floats, relation: int) -> Ids:
    """The members that a projection predicts through, those through which most can be reached.

    Shapes: [|E|] → at most as many as the settings say, the certain ones first.
    """
    sure = degrees >= CERTAIN
    promise = degrees.astype(np.float64) * _expected_tails(facts, relation)
    certain = best(np.where(sure, promise, 0), projection.certain_members)
    return np.concatenate([certain, best(np.where(sure, 0, promise), projection.predicted_members)])


def project_set(
    logic: str,
    projection: ProjectionSettings,
    facts: Facts,
    degrees: Floats,
    members: Ids,
    rows: Floats,
    relation: int,
) -> Floats:
    """The projection of a set through its members, `rows` being the degrees of their links.

    Shapes: degrees [|E|], rows [m, |E|] → [|E|].
    """
    conjunction, disjunction = JOINED[logic]
    highest = np.zeros_like(degrees)
    total = np.zeros_like(degrees)
    for member, row in zip(members.tolist(), rows, strict=True):
        # a ∧ 1 is a, also where rounding says otherwise.
        reached = row if degrees[member] == 1 else conjunction(degrees[member], row)
        highest = np.maximum(highest, reached)
        total += reached
    # What is recorded of all members counts, as it costs no product; the sum takes that of certain ones.
    heads, tails = facts.edges(relation)
    others = degrees.copy()
    others[members] = 0
    kept = others[heads] > 0
    inner, tails = others[heads[kept]], tails[kept]
    confidences = facts.edge_degrees(relation)
    reached = inner
    if confidences is not None:
        unsure = confidences[kept]
        reached = np.where(unsure == 1, inner, conjunction(inner, unsure))
    np.maximum.at(highest, tails, reached)
    np.add.at(total, tails, np.where(inner >= CERTAIN, reached, 0))
    beyond = np.maximum(total.astype(np.float64) - highest, 0)
    more = -np.expm1(-projection.support * beyond)
    joined = disjunction(highest, more.astype(np.float32))
    # Rounding can leave a ∨ b below a.
    joined = np.maximum(highest, np.minimum(joined, HIGHEST_PREDICTED))
    return np.where(highest == 1, np.float32(1), joined)


def _expected_tails(facts: Facts, relation: int) -> npt.NDArray[np.float64]:
    """How much the link of every entity can be expected to add to a projection, in single precision. Shape: [|E|]."""
    counts = np.full(facts.entities, _NO_TAILS)
    heads, tails = facts.heads_with_facts(relation)
    counts[heads] = tails
    return np.minimum(_MOST_EXPECTED, _GROWTH * counts).astype(np.float32).astype(np.float64)


def best(degrees: Floats | npt.NDArray[np.float64], count: int) -> Ids:
    """The entities with the highest degrees above 0, at most `count`; of equal degrees the lower id first."""
    ids = np.flatnonzero(degrees > 0)
    if count < len(ids):
        least = np.partition(degrees[ids], len(ids) - count)[len(ids) - count] if count else np.inf
        ids = ids[degrees[ids] >= least]
    order = np.argsort(-degrees[ids], kind="stable")[:count]
    return ids[order].astype(np.int32)

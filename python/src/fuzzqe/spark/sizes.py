"""How much of a graph a round of mining looks at."""

from __future__ import annotations

from dataclasses import dataclass

from .random_stream import round_half_up

MOST_PATHS = 60
"""The most path rules of a relation that are kept."""
MOST_CONSTANTS = 500
"""The most constant rules of a relation that are kept."""
FEWEST_HITS = 2
"""The fewest hits of a rule."""
DOUBT = 5
"""How many failed predictions each rule is charged with, in addition to its own."""
MOST_ROUNDS = 6
"""Beyond it, attributes of a tail could be too many for the table in which one machine counts them."""
MOST_TUPLES = 2**19
"""The most distinct paths of a relation that are counted."""


@dataclass(frozen=True, slots=True)
class MiningSizes:
    """The sizes of round 0, 1, …; each round does about twice the work of the round before."""

    facts: int
    edges: int
    candidates: int
    heads: int
    work: int
    tails: int
    attributes: int

    @classmethod
    def of_round(cls, number: int) -> MiningSizes:
        """The sizes of a round."""
        more = 2 ** (number / 2)
        some, edges = round_half_up(48 * more), round_half_up(24 * 2 ** (number / 4))
        work, attributes = round_half_up(2**14 * more), round_half_up(6 * more)
        return cls(some, edges, some, some, work, some, attributes)


def usual_rounds(facts: int) -> int:
    """How many rounds a calibration mines by default."""
    return 4 if facts <= 500_000 else 2 if facts <= 5_000_000 else 1

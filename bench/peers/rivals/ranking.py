"""Filtered ranking of hard answers: mean over a query's hard answers, then over queries, then over structures."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .query import Query, structures, with_negation, without_negation
from .timing import clock_of


@dataclass
class Figures:
    """Of one structure; shares in [0, 1], the median time of one query's scores of all entities in milliseconds."""

    queries: int
    mrr: float
    hits1: float
    hits3: float
    hits10: float
    milliseconds: float


def filtered_ranks(scores: np.ndarray, easy: list[int], hard: list[int]) -> np.ndarray:
    """Each hard answer's rank among itself and all entities that are no answer; those of equal score share the mean rank."""
    if np.isnan(scores).any():
        raise ValueError("scores: expected numbers, got NaN")
    others = np.ones(len(scores), bool)
    others[easy] = False
    others[hard] = False
    ascending = np.sort(scores[others])
    own = scores[hard]
    above = len(ascending) - np.searchsorted(ascending, own, "right")
    equal = len(ascending) - np.searchsorted(ascending, own, "left") - above
    return 1 + above + equal / 2


def evaluate(score: Callable[[Query], np.ndarray], queries: list[Query], device: str = "cpu") -> dict[str, Figures]:
    """`score` gives the scores of all entities [entities]; only its time counts, one query after the other."""
    clock = clock_of(device)
    ranks: dict[str, list[np.ndarray]] = {}
    times: dict[str, list[float]] = {}
    for query in queries:
        if query.structure not in ranks:
            score(query)  # the first run of a kind allocates
        start = clock()
        scores = score(query)
        times.setdefault(query.structure, []).append(1000 * (clock() - start))
        ranks.setdefault(query.structure, []).append(filtered_ranks(scores, query.easy, query.hard))
    mean = lambda each, of: float(np.mean([of(r).mean() for r in each]))
    return {
        name: Figures(
            len(each),
            mean(each, lambda r: 1 / r),
            mean(each, lambda r: r <= 1),
            mean(each, lambda r: r <= 3),
            mean(each, lambda r: r <= 10),
            statistics.median(times[name]),
        )
        for name, each in sorted(ranks.items(), key=lambda item: structures.index(item[0]))
    }


def means(figures: dict[str, Figures], metric: str = "mrr") -> tuple[float, float]:
    """The means over the structures without and with negation; NaN where there are none."""
    of = lambda names: [getattr(figures[name], metric) for name in names if name in figures]
    return tuple(float(np.mean(values)) if values else float("nan") for values in map(of, (without_negation, with_negation)))

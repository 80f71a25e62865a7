"""Names that a mistyped name most likely stands for."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def near_names(name: str, candidates: Sequence[str], limit: int = 3) -> list[str]:
    """The candidates nearest to a name, the likeliest first; empty where none is near.

    Compares without regard to case, space and underscore alike, by the edits (insert, delete, replace, swap of
    neighbours) that lead from one to the other; what begins with the name or contains it counts as nearer.
    """
    wanted = _fold(name.strip())
    if not wanted:
        return []
    folded = [_fold(candidate) for candidate in candidates]
    scores: dict[int, float] = {}
    for index, candidate in enumerate(folded):
        more = len(candidate) - len(wanted)
        if candidate == wanted:
            scores[index] = 0.0
        elif more > 0 and len(wanted) > 1 and candidate.startswith(wanted):
            scores[index] = 0.5 + more / (1000 + more)
        elif more > 0 and len(wanted) > 2 and wanted in candidate:
            scores[index] = 1.5 + more / (1000 + more)
    # A third of the letters wrong is the most that still looks like a typing error.
    tolerance = min(6, max(1, -(-len(wanted) // 3)))
    lengths = np.fromiter((len(candidate) for candidate in folded), np.int64, len(folded))
    close = np.flatnonzero((np.abs(lengths - len(wanted)) <= tolerance) & (lengths > 0))
    distances = _distances(wanted, [folded[index] for index in close])
    for index, distance in zip(close.tolist(), distances.tolist(), strict=True):
        if distance <= tolerance and index not in scores:
            # People seldom mistype the first letter.
            scores[index] = distance - (0.25 if folded[index][0] == wanted[0] else 0.0)
    best = sorted(scores, key=lambda index: (scores[index], index))[:limit]
    return [candidates[index] for index in best]


def offer_names(names: Sequence[str], otherwise: str) -> str:
    """The sentence that offers names: `did you mean "a", "b" or "c"?`."""
    if not names:
        return otherwise
    *others, last = (json.dumps(name, ensure_ascii=False) for name in names)
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def _fold(name: str) -> str:
    return name.lower().replace("_", " ")


def _distances(wanted: str, names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Optimal string alignment distances from one name to many, a row of the table for all of them at a time."""
    if not names:
        return np.zeros(0, np.int64)
    longest = max(map(len, names))
    letters = np.array(names, dtype=f"<U{longest}").view(np.uint32).reshape(len(names), longest)
    own = np.frombuffer(wanted.encode("utf-32-le", "surrogatepass"), np.uint32)
    columns = np.arange(longest + 1)
    before = np.zeros((len(names), longest + 1), np.int64)
    row = np.broadcast_to(columns, before.shape).astype(np.int64)
    for i, letter in enumerate(own, start=1):
        above, row = row, np.empty_like(row)
        row[:, 0] = i
        replaced = above[:, :-1] + (letters != letter)
        for j in range(1, longest + 1):
            edits = np.minimum(np.minimum(above[:, j], row[:, j - 1]) + 1, replaced[:, j - 1])
            if i > 1 and j > 1:
                swapped = (letters[:, j - 1] == own[i - 2]) & (letters[:, j - 2] == letter)
                edits = np.where(swapped, np.minimum(edits, before[:, j - 2] + 1), edits)
            row[:, j] = edits
        before = above
    ends = np.fromiter(map(len, names), np.int64, len(names))
    distances: npt.NDArray[np.int64] = row[np.arange(len(names)), ends]
    return distances

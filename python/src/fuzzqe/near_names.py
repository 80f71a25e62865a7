"""Names that a mistyped name most likely stands for."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

MOST_CANDIDATES = 400_000
"""Among more candidates nobody looks for near names: it would take seconds."""

_LONGEST_NAME = 200
_PLAIN = str.maketrans(
    {chr(accent): "" for accent in range(0x300, 0x370)}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "_": " "}
)
_NAMES_AT_ONCE = 4096


def near_names(name: str, candidates: Sequence[str], limit: int = 3, folded: Sequence[str] | None = None) -> list[str]:
    """The candidates nearest to a name, the likeliest first; empty where none is near, or there are too many.

    Compares without regard to case and accents, space and underscore alike, by the edits (insert, delete, replace, swap
    of neighbours) that lead from one to the other; what begins with the name or contains it counts as nearer. `folded`
    are the candidates as `fold_name` gives them, for those who ask often.
    """
    if len(name) > _LONGEST_NAME or len(candidates) > MOST_CANDIDATES:
        return []
    wanted = fold_name(name.strip())
    if not wanted:
        return []
    if folded is None:
        folded = [fold_name(candidate) for candidate in candidates]
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
    for first in range(0, len(close), _NAMES_AT_ONCE):
        block = close[first : first + _NAMES_AT_ONCE].tolist()
        distances = _distances(wanted, [folded[index] for index in block])
        for index, distance in zip(block, distances.tolist(), strict=True):
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


def fold_name(name: str) -> str:
    """A name without what `near_names` does not tell apart."""
    apart = unicodedata.normalize("NFD", name.lower())
    return unicodedata.normalize("NFC", apart.translate(_PLAIN))


def _distances(wanted: str, names: Sequence[str]) -> npt.NDArray[np.int16]:
    """Optimal string alignment distances from one name to many, a row of the table for all of them at a time."""
    if not names:
        return np.zeros(0, np.int16)
    longest = max(map(len, names))
    letters = np.array(names, dtype=f"<U{longest}").view(np.uint32).reshape(len(names), longest)
    own = np.frombuffer(wanted.encode("utf-32-le", "surrogatepass"), np.uint32)
    # Names that are compared are a few hundred letters long.
    columns = np.arange(longest + 1, dtype=np.int16)
    before = np.zeros((len(names), longest + 1), np.int16)
    row = np.broadcast_to(columns, before.shape).copy()
    for i, letter in enumerate(own, start=1):
        above, row = row, np.empty_like(row)
        row[:, 0] = i
        replaced = above[:, :-1] + (letters != letter).astype(np.int16)
        for j in range(1, longest + 1):
            edits = np.minimum(np.minimum(above[:, j], row[:, j - 1]) + 1, replaced[:, j - 1])
            if i > 1 and j > 1:
                swapped = (letters[:, j - 1] == own[i - 2]) & (letters[:, j - 2] == letter)
                edits = np.where(swapped, np.minimum(edits, before[:, j - 2] + 1), edits)
            row[:, j] = edits
        before = above
    ends = np.fromiter(map(len, names), np.int64, len(names))
    distances: npt.NDArray[np.int16] = row[np.arange(len(names)), ends]
    return distances

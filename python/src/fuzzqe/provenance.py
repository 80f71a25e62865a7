"""What the data of a graph say of its facts: `provenance.tsv`."""

from __future__ import annotations

from .errors import FuzzError, describe_value
from .facts import Facts, Said, Triple
from .instants import validity_of

_AGAIN = "Export or download the bundle again."


def read_said(text: str, facts: Facts, path: str) -> dict[Triple, Said]:
    """How sure facts are, and when they hold; facts of which neither is said are left out.

    First come the lines of what is said, `number source date confidence from until`, then those of the facts,
    `head relation tail number`, ascending. Raises FuzzError `bundle` with the line.
    """
    lines = text.split("\n")
    if lines.pop() != "":
        raise _damaged("expected a line feed at the end", f"{path}:{len(lines) + 1}")
    stated: list[Said] = []
    said: dict[Triple, Said] = {}
    last: Triple = (-1, -1, -1)
    for number, line in enumerate(lines, 1):
        cells = line.split("\t")
        if len(cells) == 6 and last[0] < 0 and cells[0] == str(len(stated)):
            stated.append(_stated(cells, f"{path}:{number}"))
            continue
        fact = _numbers(cells)
        bounds = (facts.entities, facts.relations, facts.entities, len(stated))
        fits = len(fact) == 4 and all(value < bound for value, bound in zip(fact, bounds, strict=True))
        if not fits or fact[1] % 2 or fact[:3] <= last:
            expected = "what is said, or a fact of the graph in ascending order"
            raise _damaged(f"expected {expected}, got {describe_value(line)}", f"{path}:{number}")
        last = fact[0], fact[1], fact[2]
        if stated[fact[3]] != Said() and fact[2] in facts.tails(fact[0], fact[1]):
            said[last] = stated[fact[3]]
    return said


def _stated(cells: list[str], path: str) -> Said:
    confidence, begin, end = (cell.strip() or None for cell in cells[3:])
    try:
        sure = 1.0 if confidence is None else float(confidence)
        holds = validity_of(begin, end, path)
    except (ValueError, FuzzError) as error:
        raise _damaged(str(error), path) from error
    if not 0 < sure <= 1:
        raise _damaged(f"expected a confidence in (0, 1], got {describe_value(confidence)}", path)
    return Said(sure, holds)


def _numbers(cells: list[str]) -> tuple[int, ...]:
    plain = all(cell.isascii() and cell.isdecimal() and len(cell) <= 10 for cell in cells)
    return tuple(map(int, cells)) if plain else ()


def _damaged(what: str, path: str) -> FuzzError:
    return FuzzError("bundle", f"provenance: {what}", path, _AGAIN)

"""Changes of facts, and the batches of a log of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ChangeKind: TypeAlias = Literal["add", "remove", "reject"]


@dataclass(frozen=True, slots=True)
class FactChange:
    """A change of a fact by the names of queries: keys, labels, `<key>`, `#id`; a relation `r^-1` turns it round.

    The fact holds from `from_` until just before `until`: dates as 2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z.
    """

    head: str
    relation: str
    tail: str
    does: ChangeKind = "add"
    source: str | None = None
    date: str | None = None
    confidence: float | None = None
    said: float | None = None
    from_: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class FactBatch:
    """The changes of one write; `by` is the name of the key of the writer.

    `new_entities` and `new_relations` are keys that the write created. `names` are objects with the `key` of an entity
    and what it is called from then on: `label`, `aliases`, `attributes`.
    """

    epoch: int
    at: str
    changes: tuple[FactChange, ...]
    by: str | None = None
    new_entities: tuple[str, ...] = ()
    new_relations: tuple[str, ...] = ()
    names: tuple[Mapping[str, Any], ...] = ()


def read_batch(line: str | bytes) -> FactBatch:
    """A batch as `GET /v1/facts` and `fuzzqe facts log --json` write it: a line of JSON. Raises ValueError."""
    try:
        batch = json.loads(line)
        fields = FactChange.__dataclass_fields__
        changes = tuple(FactChange(**given_fields(each, fields)) for each in batch["changes"])
        new = [tuple(batch.get("creates", {}).get(kind, ())) for kind in ("entities", "relations")]
        names = tuple(batch.get("names", ()))
        return FactBatch(batch["epoch"], batch["at"], changes, batch.get("by"), new[0], new[1], names)
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"expected a batch of changes: {error}") from error


def given_fields(said: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields with these names, from JSON."""
    return {name: said[name.rstrip("_")] for name in names if name.rstrip("_") in said}

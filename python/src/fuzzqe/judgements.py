"""Judgements of links and changes of names, as a server answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

_ENDS = ("head", "relation", "tail")


@dataclass(frozen=True, slots=True)
class NamesWritten:
    """What a change of names came to: the epoch at which it is durable and visible, and how many entities changed."""

    epoch: int
    changed: int
    store: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class ProposedLink:
    """A link that is not recorded, by its keys: its degree, what a judgement teaches, and what speaks against it."""

    head: str
    relation: str
    tail: str
    labels: tuple[str, str, str]
    degree: float
    teaches: float
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged links: `said` is the mean degree that they had, `found` the share of accepted links.

    If degrees are right, `found` differs from `said` by about `spread`.
    """

    accepted: int
    rejected: int
    said: float
    found: float
    spread: float


@dataclass(frozen=True, slots=True)
class Judgements:
    """All judged links, those of each week by its Monday, and those of each relation by its key."""

    all: Judged
    weeks: dict[str, Judged]
    relations: dict[str, Judged]


def names_written(said: Mapping[str, Any], store: str) -> NamesWritten:
    """What a change of names came to. Raises `KeyError` or `TypeError`: another form."""
    if type(said["epoch"]) is not int or type(said["changed"]) is not int:
        raise TypeError("expected an epoch and a count")
    return NamesWritten(said["epoch"], said["changed"], store, said.get("repeated") is True)


def proposed_links(said: Mapping[str, Any]) -> tuple[ProposedLink, ...]:
    """Links to judge. Raises `KeyError` or `TypeError`: another form."""
    return tuple(
        ProposedLink(
            each["head"]["key"],
            each["relation"]["key"],
            each["tail"]["key"],
            labels=cast(tuple[str, str, str], tuple(each[end]["label"] for end in _ENDS)),
            degree=float(each["degree"]),
            teaches=float(each["teaches"]),
            conflicts=tuple(each["conflicts"]),
        )
        for each in said["results"]
    )


def judgements(said: Mapping[str, Any]) -> Judgements:
    """A report of judgements. Raises `KeyError` or `TypeError`: another form."""

    def judged(of: Mapping[str, Any]) -> Judged:
        return Judged(**{name: of[name] for name in Judged.__dataclass_fields__})

    return Judgements(
        judged(said),
        {each["begins"]: judged(each) for each in said["weeks"]},
        {each["key"]: judged(each) for each in said["relations"]},
    )

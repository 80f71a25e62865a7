"""`sets` of a manifest: how answers by sets are made, beside `evidence.json` and `rules.tsv`."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import Fields


@dataclass(frozen=True, slots=True)
class ProjectionSettings:
    """The numbers of (10) of docs/model.md."""

    support: float
    """How much members other than the best one add to a projection, in [0, 1]."""
    certain_members: int
    predicted_members: int


@dataclass(frozen=True, slots=True)
class SetsEntry:
    """How a bundle answers by sets."""

    projection: ProjectionSettings
    fitted: bool
    """Whether the weights of evidence were fitted on facts of this graph."""


def read_sets(fields: Fields) -> SetsEntry:
    """Reads `sets` of a manifest. Raises FuzzError `bundle`."""
    fields.only("projection", "fitted", "likeness", "reliability")
    if "likeness" in fields.values:
        fields.number("likeness", 0, 1, above=True)
    fitted = fields.optional_object("fitted")
    if fitted is not None:
        fitted.only("links", "candidates", "found", "knownShare")
        for count in ("links", "candidates", "found"):
            fitted.integer(count, 0)
        fitted.number("knownShare", 0, 1, above=True)
    reliability = fields.optional_object("reliability")
    if reliability is not None:
        reliability.only("links", "answers")
        _check_reliability(reliability.object("links"))
        answers = reliability.optional_object("answers")
        if answers is not None:
            _check_reliability(answers)
    projection = fields.object("projection")
    projection.only("support", "certainMembers", "predictedMembers")
    return SetsEntry(
        ProjectionSettings(
            support=projection.number("support", 0, 1),
            certain_members=projection.integer("certainMembers", 1, 100_000),
            predicted_members=projection.integer("predictedMembers", 0, 100_000),
        ),
        fitted is not None,
    )


def _check_reliability(fields: Fields) -> None:
    fields.only("count", "found", "ece", "bins")
    fields.integer("count", 0)
    fields.number("found", 0, 1e308)
    fields.number("ece", 0, 1)
    for part in fields.each("bins"):
        part.only("count", "stated", "found")
        part.number("count", 0, 1e308)
        for share in ("stated", "found"):
            part.number(share, 0, 1)

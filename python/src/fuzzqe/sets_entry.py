"""`sets` of a manifest: how degrees and probabilities of links are made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .fields import SHA256, Fields


@dataclass(frozen=True, slots=True)
class Calibration:
    """The numbers that make degrees of links out of cosines: (9) and (10) of docs/model.md."""

    temperature: float
    cap: float
    weight: float
    exponent: float
    exclusivity: float
    neighbour_weight: float
    support: float
    negation_lambda: float
    certain_members: int
    predicted_members: int


@dataclass(frozen=True, slots=True)
class LinkProbability:
    """How likely predicted links are: (11) of docs/model.md."""

    temperature: float
    partitions: npt.NDArray[np.float32]
    log_shares: npt.NDArray[np.float64]
    probabilities: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SetsEntry:
    """How a bundle answers by sets."""

    calibration: Calibration
    fitted: bool
    """Whether the calibration was fitted on validation queries of this model."""
    probability: LinkProbability | None


def read_sets(fields: Fields, relations: int) -> SetsEntry:
    """Reads `sets` of a manifest. Raises FuzzError `bundle`."""
    fields.only("calibration", "fitted", "probability")
    fitted = fields.optional_object("fitted")
    if fitted is not None:
        fitted.only("queries", "each", "mrr", "defaultMrr", "entities")
        fitted.matching("queries", *SHA256)
        fitted.integer("each", 1)
        # Where the fit was on a part of the graph.
        if "entities" in fitted.values:
            fitted.integer("entities", 1)
        for share in ("mrr", "defaultMrr"):
            fitted.number(share, 0, 1)
    probability = fields.optional_object("probability")
    return SetsEntry(
        _read_calibration(fields.object("calibration")),
        fitted is not None,
        None if probability is None else _read_probability(probability, relations),
    )


def _read_calibration(fields: Fields) -> Calibration:
    fields.only(
        "temperature",
        "cap",
        "weight",
        "exponent",
        "exclusivity",
        "neighbourWeight",
        "support",
        "negationLambda",
        "certainMembers",
        "predictedMembers",
    )
    return Calibration(
        temperature=fields.number("temperature", 0, 1000, above=True),
        cap=fields.number("cap", 0, 0.94, above=True),
        weight=fields.number("weight", 0, 100, above=True),
        exponent=fields.number("exponent", 0, 1.5),
        exclusivity=fields.number("exclusivity", 0, 2),
        neighbour_weight=fields.number("neighbourWeight", 0, 100) if "neighbourWeight" in fields.values else 0.0,
        support=fields.number("support", 0, 1),
        negation_lambda=fields.number("negationLambda", 0, 100) if "negationLambda" in fields.values else 0.0,
        certain_members=fields.integer("certainMembers", 1, 100_000),
        predicted_members=fields.integer("predictedMembers", 0, 100_000),
    )


_POPULATION = ("links", "best", "candidates", "facts")


def _read_probability(fields: Fields, relations: int) -> LinkProbability:
    fields.only("temperature", "partitions", "knots", "fitted", "test")
    knots = list(fields.each("knots"))
    for knot in knots:
        knot.only("logShare", "probability")
    log_shares = np.array([knot.number("logShare", -1e308, 1e308) for knot in knots])
    if not knots or np.any(np.diff(log_shares) < 0):
        raise fields.wrong(".knots", "one or more, ascending", fields.get("knots"))
    partitions = fields.array("partitions")
    numbers = (isinstance(each, float | int) and not isinstance(each, bool) and abs(each) < 1e6 for each in partitions)
    if len(partitions) != relations or not all(numbers):
        raise fields.wrong(".partitions", f"{relations} numbers", partitions)
    fitted, test = fields.object("fitted"), fields.optional_object("test")
    fitted.only(*_POPULATION)
    _check_population(fitted)
    if test is not None:
        test.only(*_POPULATION, "ece", "eceOfTen", "bins")
        _check_population(test)
        for share in ("ece", "eceOfTen"):
            test.number(share, 0, 1)
        for part in test.each("bins"):
            part.only("count", "stated", "found")
            part.integer("count", 0)
            for share in ("stated", "found"):
                part.number(share, 0, 1)
    return LinkProbability(
        temperature=fields.number("temperature", 0, 1000, above=True),
        partitions=np.array(partitions, np.float32),
        log_shares=log_shares,
        probabilities=np.array([knot.number("probability", 0, 1) for knot in knots]),
    )


def _check_population(fields: Fields) -> None:
    for key in _POPULATION:
        fields.integer(key, 0)

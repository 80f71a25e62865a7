"""`evidence.json`: what joins the evidence of links."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .errors import FuzzError
from .fields import Fields

FEATURES = (
    "constant",
    "share",
    "tails",
    "functional",
    "inverseFunctional",
    "range",
    "domain",
    "frequency",
    "neighbours",
    "bestRule",
    "joinedRules",
    "hasRule",
)
"""The features of a link and an entity, in the order of weights."""


@dataclass(frozen=True, slots=True)
class LinkWeights:
    """The weights w_r of (9) of docs/model.md."""

    temperature: float | None
    """τ; None without a model, whose share is 0 then."""
    type_relations: tuple[int, ...]
    """The relations by which entities say what they are."""
    relations: npt.NDArray[np.float64]
    """A row of weights for each relation, inverses included. Shape: [|R|, 12]."""

    def of(self, relation: int) -> dict[str, float]:
        """The weights of a relation, by their features."""
        return dict(zip(FEATURES, self.relations[relation].tolist(), strict=True))


def read_weights(text: str, relations: int, path: str) -> LinkWeights:
    """The weights in the text of `evidence.json`.

    Raises FuzzError `bundle`: a text of another form, or weights of another graph.
    """
    try:
        fields = Fields(json.loads(text), path)
    except (ValueError, RecursionError) as error:
        raise FuzzError(
            "bundle", f"expected JSON, got {error}", path, "Export or download the bundle again."
        ) from error
    fields.only("format", "version", "temperature", "typeRelations", "features", "weights")
    fields.text("format", ("fuzzqe-evidence",))
    fields.integer("version", 1, 1)
    if tuple(fields.array("features")) != FEATURES:
        raise fields.wrong(".features", ", ".join(FEATURES), fields.array("features"))
    types = fields.array("typeRelations")
    if not all(isinstance(each, int) and not isinstance(each, bool) and 0 <= each < relations for each in types):
        raise fields.wrong(".typeRelations", f"relations in [0, {relations})", types)
    rows = fields.array("weights")
    if len(rows) != relations:
        raise fields.wrong(".weights", f"weights of {relations} relations", rows)
    for place, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(FEATURES) or not all(map(_is_number, row)):
            raise fields.wrong(f".weights[{place}]", f"{len(FEATURES)} finite numbers", row)
    temperature = fields.get("temperature")
    if temperature is not None:
        temperature = fields.number("temperature", 0, 1e308, above=True)
    return LinkWeights(temperature, tuple(types), np.array(rows, np.float64))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300

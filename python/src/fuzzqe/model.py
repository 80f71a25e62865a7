"""The counts and formulas of a model, as a manifest and each of its graphs hold them."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import Fields

_MAPPINGS = ("logistic", "boundedRectifier")
_BY_DISTANCES = {"gqe": 4, "gqeDeepSets": 6, "query2box": 12, "betae": 8, "betaeDm": 4}
"""Families by distances, with d / m."""


@dataclass(frozen=True, slots=True)
class Model:
    """Counts and formulas of a model."""

    entities: int
    relations: int
    """Inverses included: 2k is the k-th relation, and 2k + 1 its inverse."""
    dimension: int
    relation_form: str
    """The family: what relations are."""
    bases: int
    logic: str
    negation_lambda: float
    """Sugeno's, of embeddings: (1 - a) / (1 + lambda a); 0 is the canonical 1 - a."""
    mapping: str
    entity_mapping: str
    entity_normalisation: str
    projection_input: str
    score: str

    @property
    def by_distances(self) -> bool:
        """Whether scores are distances."""
        return self.relation_form in _BY_DISTANCES

    @property
    def is_positive(self) -> bool:
        """Whether only queries of the structures without negation are embedded."""
        return self.relation_form in ("gqe", "gqeDeepSets", "query2box")

    @property
    def embeds_links(self) -> bool:
        """Whether only queries of the structure 1p are embedded."""
        return self.relation_form == "complex"

    @property
    def embeds_trees(self) -> bool:
        """Whether queries of any shape are embedded, and not those of some structures only."""
        return self.relation_form in ("bases", "blocks", "betaeDm")


def read_model(fields: Fields) -> Model:
    """Reads `model` of a manifest or of a graph. Raises FuzzError `bundle`."""
    fields.only(
        "entities",
        "relations",
        "dimension",
        "relationForm",
        "bases",
        "logic",
        "negationLambda",
        "mapping",
        "entityMapping",
        "entityNormalisation",
        "projectionInput",
        "score",
    )
    relations = fields.integer("relations", 2, 2**31 - 2)
    if relations % 2:
        raise fields.wrong(".relations", "an even number: relations with their inverses", relations)
    # Absent where they are bases.
    forms = ("bases", "blocks", "complex", *_BY_DISTANCES)
    form = fields.text("relationForm", forms) if "relationForm" in fields.values else "bases"
    model = Model(
        entities=fields.integer("entities", 1, 2**31 - 1),
        relations=relations,
        dimension=fields.integer("dimension", 1, 8192),
        relation_form=form,
        bases=fields.integer("bases", 1, 4096),
        logic=fields.text("logic", ("product", "godel", "lukasiewicz")),
        # Absent where it is 1 - a.
        negation_lambda=fields.number("negationLambda", -0.99, 100) if "negationLambda" in fields.values else 0.0,
        mapping=fields.text("mapping", _MAPPINGS),
        entity_mapping=fields.text("entityMapping", _MAPPINGS),
        entity_normalisation=fields.text("entityNormalisation", ("l1", "l2")),
        projection_input=fields.text(
            "projectionInput", ("raw", "l2", "lengthened", "domain") if form == "blocks" else ("raw", "l2")
        ),
        score=fields.text("score", ("innerProduct", "cosine")),
    )
    if form == "blocks":
        _expect_blocks(fields, model)
    if model.dimension % (parts := 2 if form == "complex" else _BY_DISTANCES.get(form, 1)):
        raise fields.wrong(".dimension", f"a multiple of {parts} for {form}", model.dimension)
    return model


def _expect_blocks(fields: Fields, model: Model) -> None:
    """Raises FuzzError `bundle` where a model cannot have blocks."""
    if model.dimension % 2:
        raise fields.wrong(".dimension", "an even number for blocks", model.dimension)
    wanted = {"mapping": "logistic", "entityMapping": "logistic", "entityNormalisation": "l1", "score": "innerProduct"}
    for key, value in wanted.items():
        fields.text(key, (value,))

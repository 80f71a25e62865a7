"""Why the rows of a pattern are its answers, as a server says it."""

from __future__ import annotations

from dataclasses import dataclass

from .explain import Derivation, Fact, FactProvenance, FiringRule, Named, Objection, Reasons, SupportingLink
from .fields import Fields
from .link_reasons import ObjectionKind


@dataclass(frozen=True, slots=True)
class ConditionSupport:
    """Why a condition on a variable holds in a row."""

    variable: str
    """Its name without question mark; empty for an entity of the pattern."""
    derivation: Derivation
    links: tuple[SupportingLink, ...]
    """The links of the derivation that speak for the row."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number, date, boolean or text of an entity."""

    key: str
    """The key of the attribute."""
    label: str
    type: str
    """`number`, `date`, `boolean` or `text`."""
    language: str
    """Of a text; may be empty."""
    unit: str
    """A unit or the IRI of a datatype; may be empty."""
    value: str
    """As the data write it."""


@dataclass(frozen=True, slots=True)
class SharedFact:
    """Where two entities both lead along a relation."""

    relation: Named
    entity: Named
    share: float
    """What it adds to the degree of the likeness."""


@dataclass(frozen=True, slots=True)
class ValueSupport:
    """The values that pass a condition on values."""

    variable: str
    where: str
    """The condition: `height > 200`."""
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class LikeSupport:
    """What an entity has in common with the entity that it is to be like."""

    variable: str
    like: Named
    shared: tuple[SharedFact, ...]
    """The facts that add most first."""
    by_model: float = 0.0
    """What the vectors of the model add to the degree, in [0, 1]; 0 where facts alone are compared."""


SetSupport = ValueSupport | LikeSupport
"""What supports a condition on values or on likeness."""


def read_because(row: Fields) -> tuple[ConditionSupport, ...]:
    """The links that support a row; no link unless explanations were asked for. Raises FuzzError: another form."""
    return tuple(
        ConditionSupport(
            each.text("variable"), _derivation(each.object("derivation")), tuple(map(_link, each.each("links")))
        )
        for each in _some(row, "because")
    )


def read_sets(row: Fields) -> tuple[SetSupport, ...]:
    """What supports the conditions of a row on values and on likeness. Raises FuzzError: another form."""
    return tuple(map(_set, _some(row, "sets")))


def read_value(value: Fields) -> Value:
    """A literal. Raises FuzzError: another form."""
    return Value(*(value.text(name) for name in ("key", "label", "type", "language", "unit", "value")))


def _some(fields: Fields, key: str) -> list[Fields]:
    return list(fields.each(key)) if key in fields.values else []


def _set(given: Fields) -> SetSupport:
    variable = given.text("variable")
    if "where" in given.values:
        return ValueSupport(variable, given.text("where"), tuple(map(read_value, given.each("values"))))
    shared = (
        SharedFact(_relation(each.object("relation")), _entity(each.object("entity")), each.number("share", 0, 1))
        for each in given.each("shared")
    )
    by_model = given.number("byModel", 0, 1) if "byModel" in given.values else 0.0
    return LikeSupport(variable, _entity(given.object("like")), tuple(shared), by_model)


def _derivation(given: Fields) -> Derivation:
    entity, degree = _entity(given.object("entity")), given.number("degree", 0, 1)
    link = _link_to(given.object("link"), entity) if "link" in given.values else None
    inner = [given.object(key) for key in ("from", "operand") if key in given.values]
    operands = tuple(map(_derivation, [*inner, *_some(given, "operands")]))
    return Derivation(given.text("op", ("entity", "project", "and", "or", "not")), entity, degree, link, operands)


def _link(given: Fields) -> SupportingLink:
    return _link_to(given, _entity(given.object("tail")))


def _link_to(given: Fields, tail: Named) -> SupportingLink:
    return SupportingLink(
        _entity(given.object("head")),
        _relation(given.object("relation")),
        tail,
        given.flag("recorded"),
        given.number("degree", 0, 1),
        _reasons(given.object("reasons")) if "reasons" in given.values else None,
        _provenance(given.object("provenance")) if "provenance" in given.values else None,
    )


def _reasons(given: Fields) -> Reasons:
    return Reasons(
        given.flag("entailed"),
        tuple(
            FiringRule(
                rule.number("confidence", 0, 1),
                rule.integer("hits", 0),
                rule.integer("predictions", 0),
                tuple(
                    Fact(_entity(fact.object("head")), _relation(fact.object("relation")), _entity(fact.object("tail")))
                    for fact in rule.each("facts")
                ),
            )
            for rule in given.each("rules")
        ),
        tuple(map(_entity, given.each("neighbours"))),
        tuple(_objection(each) for each in given.each("against")),
    )


def _objection(given: Fields) -> Objection:
    kinds: tuple[ObjectionKind, ...] = ("other tail", "other head", "unusual tail")
    kind = given.text("kind", kinds)
    entities = tuple(map(_entity, given.each("entities")))
    return Objection(kinds[kinds.index(kind)], entities, given.number("share", 0, 1))


def _provenance(given: Fields) -> FactProvenance:
    def text(name: str) -> str | None:
        return given.text(name) if name in given.values else None

    def number(name: str) -> float | None:
        return given.number(name, 0, 1) if name in given.values else None

    return FactProvenance(
        source=text("source"),
        date=text("date"),
        by=text("by"),
        at=text("at"),
        confidence=number("confidence"),
        said=number("said"),
        from_=text("from"),
        until=text("until"),
    )


def _entity(given: Fields) -> Named:
    return Named(given.integer("id", 0), given.text("key"), given.text("label"))


def _relation(given: Fields) -> Named:
    """Labels of inverses end with `^-1`, as they do in explanations of bundles."""
    label = given.text("label") + ("^-1" if given.flag("inverse") else "")
    return Named(given.integer("id", 0), given.text("key"), label)

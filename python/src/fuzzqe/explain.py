"""Why entities answer a query: the links through which each answer follows, and the reasons of predicted links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .answers import SetsAnswer
from .facts import Facts
from .link_reasons import LinkReasons, ObjectionKind
from .project_set import JOINED
from .query import And, Entity, Not, Or, Project, Query, name_of, operands_of
from .rules import RuleInstance
from .sets import Sets
from .vocabulary import Vocabulary

Floats = npt.NDArray[np.float32]

ReasonsOf = Callable[[int, int, int], LinkReasons]
"""The reasons of a link: head, relation and tail."""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity or a relation with its names; the key and the label of an inverse end with `^-1`."""

    id: int
    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A recorded fact."""

    head: Named
    relation: Named
    tail: Named


@dataclass(frozen=True, slots=True)
class FiringRule:
    """A rule that names the tail of a link, with the recorded facts that let it."""

    confidence: float
    """How often the rule is right: `hits / (predictions + 5)`, in [0, 1)."""
    hits: int
    predictions: int
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Objection:
    """What speaks against a link: facts that mostly are the only ones of their kind, or a tail of an unusual kind."""

    kind: ObjectionKind
    entities: tuple[Named, ...]
    """The tails or heads that are recorded, at most 3."""
    share: float
    """How often a second one, or such a tail, is recorded, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """What speaks for a predicted link, and what speaks against it."""

    entailed: bool
    """Whether a declared axiom entails the link."""
    rules: tuple[FiringRule, ...]
    """The rules that name the tail, best first: at most 3."""
    neighbours: tuple[Named, ...]
    """The heads that are most similar to that of the link and have its tail recorded: at most 3."""
    against: tuple[Objection, ...]


@dataclass(frozen=True, slots=True)
class FactProvenance:
    """Where a recorded fact comes from, as far as a server knows it."""

    source: str | None = None
    date: str | None = None
    by: str | None = None
    """The name of the key that wrote it."""
    at: str | None = None
    """When it was written."""
    confidence: float | None = None
    said: float | None = None
    """The degree that the link had before it was accepted."""
    from_: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class SupportingLink:
    """A link that an answer rests on."""

    head: Named
    relation: Named
    tail: Named
    recorded: bool
    """Whether it is a recorded fact; otherwise it is predicted."""
    degree: float
    """(9) of docs/model.md, in (0, 1]."""
    reasons: Reasons | None
    """None of a recorded link."""
    provenance: FactProvenance | None = None
    """Of a recorded link that a server says something of."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """How far an entity answers a part of a query, and through what: a tree of the query's form."""

    op: str
    """`entity`, `project`, `and`, `or` or `not`."""
    entity: Named
    degree: float
    """In [0, 1]."""
    link: SupportingLink | None
    """Of a projection the link that counts most; None where nothing leads to the entity."""
    operands: tuple[Derivation, ...]
    """Of a projection the derivation of the head of its link; of a negation what speaks against the entity."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an entity answers a query."""

    answer: SetsAnswer
    derivation: Derivation
    links: tuple[SupportingLink, ...]
    """The links of the derivation, from the anchors on: without links that speak against the entity, and
    without those of a disjunction's other operands where one is certain."""


class Explainer:
    """Explains answers by fuzzy sets of one bundle."""

    def __init__(self, sets: Sets, facts: Facts, logic: str, vocabulary: Vocabulary, reasons_of: ReasonsOf) -> None:
        self._sets, self._facts = sets, facts
        self._conjunction, _ = JOINED[logic]
        self._vocabulary, self._reasons_of = vocabulary, reasons_of

    def explain(self, query: Query, answers: Sequence[SetsAnswer]) -> list[Explanation]:
        """The explanation of each answer, in their order."""
        parts = list(dict.fromkeys(_parts(query)))
        degrees = dict(zip(parts, self._sets.degrees(parts), strict=True))
        derivations = self._derive(query, [answer.id for answer in answers], degrees)
        found = []
        for answer in answers:
            derivation = derivations[answer.id]
            found.append(Explanation(answer, derivation, tuple(_supporting(derivation))))
        return found

    def _derive(self, node: Query, entities: Iterable[int], degrees: Mapping[Query, Floats]) -> dict[int, Derivation]:
        """The derivations of some entities, each once."""
        wanted = list(dict.fromkeys(entities))

        def made(op: str, entity: int, link: SupportingLink | None, *operands: Derivation) -> Derivation:
            return Derivation(op, self._entity(entity), float(degrees[node][entity]), link, operands)

        match node:
            case Entity():
                return {each: made("entity", each, None) for each in wanted}
            case Not(operand):
                against = self._derive(operand, wanted, degrees)
                return {each: made("not", each, None, against[each]) for each in wanted}
            case And(operands) | Or(operands):
                inner = [self._derive(operand, wanted, degrees) for operand in operands]
                return {each: made(name_of(node), each, None, *(some[each] for some in inner)) for each in wanted}
            case Project(relation, operand):
                heads = self._heads(node, wanted, degrees)
                before = self._derive(operand, [head for head, _, _ in heads.values()], degrees)
                found = {}
                for each in wanted:
                    if each in heads:
                        head, recorded, degree = heads[each]
                        link = self._link(head, relation, each, recorded, degree)
                        found[each] = made("project", each, link, before[head])
                    else:
                        found[each] = made("project", each, None)
                return found

    def _heads(
        self, node: Project, wanted: Sequence[int], degrees: Mapping[Query, Floats]
    ) -> dict[int, tuple[int, bool, float]]:
        """The link that counts most for each entity, if any: its head, whether it is recorded, and its degree."""
        relation, facts = node.relation, self._facts
        if isinstance(node.operand, Entity):
            head, row = node.operand.entity, degrees[node]
            recorded = set(facts.tails(head, relation).tolist())
            return {each: (head, each in recorded, float(row[each])) for each in wanted if row[each] > 0}
        operand = degrees[node.operand]
        members = np.sort(self._sets.members(operand, relation))
        if not len(members):
            return {}
        rows = self._sets.rows([(member, relation) for member in members.tolist()])
        found = {}
        for each in wanted:
            best, link = np.float32(0), None
            # Of equal heads one with a recorded link, and then the lower id, stays.
            recorded_heads = set(facts.tails(each, relation ^ 1).tolist())
            for head in sorted(recorded_heads):
                degree = facts.degree(head, relation, each)
                value = operand[head]
                if degree < 1:
                    value = self._conjunction(operand[[head]], np.array([degree], np.float32))[0]
                if value > best:
                    best, link = value, (head, True, degree)
            reached = self._conjunction(operand[members], rows[:, each])
            for head, degree, value in zip(members.tolist(), rows[:, each], reached, strict=True):
                # a ∧ 1 may be a digit more than a: a recorded link is not offered as a predicted one.
                if head not in recorded_heads and value > best:
                    best, link = value, (head, False, float(degree))
            if link is not None:
                found[each] = link
        return found

    def _link(self, head: int, relation: int, tail: int, recorded: bool, degree: float) -> SupportingLink:
        reasons = None if recorded else self._named_reasons(self._reasons_of(head, relation, tail))
        return SupportingLink(
            self._entity(head), self._relation(relation), self._entity(tail), recorded, degree, reasons
        )

    def _named_reasons(self, reasons: LinkReasons) -> Reasons:
        return Reasons(
            reasons.entailed,
            tuple(map(self._named_rule, reasons.rules)),
            tuple(map(self._entity, reasons.neighbours)),
            tuple(
                Objection(each.kind, tuple(map(self._entity, each.entities)), each.share) for each in reasons.against
            ),
        )

    def _named_rule(self, instance: RuleInstance) -> FiringRule:
        rule, entities = instance.rule, instance.entities
        path = rule.path if rule.constant is None else (rule.constant[1],)
        facts = (
            Fact(self._entity(head), self._relation(relation), self._entity(tail))
            for head, relation, tail in zip(entities[:-1], path, entities[1:], strict=True)
        )
        return FiringRule(rule.confidence, rule.hits, rule.predictions, tuple(facts))

    def _entity(self, entity: int) -> Named:
        names = self._vocabulary.entities
        return Named(entity, names.keys[entity], names.labels[entity])

    def _relation(self, relation: int) -> Named:
        names, inverse = self._vocabulary.relations, "^-1" if relation % 2 else ""
        return Named(relation, names.keys[relation // 2] + inverse, names.labels[relation // 2] + inverse)


def _parts(query: Query) -> list[Query]:
    """A query and the parts of it."""
    return [query, *(part for operand in operands_of(query) for part in _parts(operand))]


def _supporting(node: Derivation, holds: bool = True) -> list[SupportingLink]:
    """The links that speak for an entity from the anchors on, or where it does not hold, that speak against it."""
    if node.op == "not":
        return _supporting(node.operands[0], not holds)
    operands = node.operands
    # What is certain needs no other operand; by De Morgan a negated conjunction is a disjunction.
    if node.op == ("or" if holds else "and"):
        certain = 1 if holds else 0
        operands = tuple(each for each in operands if each.degree == certain) or operands
    links = [link for operand in operands for link in _supporting(operand, holds)]
    return [*links, node.link] if node.link is not None and holds else links

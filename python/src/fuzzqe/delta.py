"""What changes of facts come to in a graph: what is said of each link last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from .errors import FuzzError, describe_value
from .fact_changes import FactBatch, FactChange, read_batch
from .facts import Said, Triple
from .instants import validity_of
from .vocabulary import Names, Vocabulary, key_behind

Net: TypeAlias = dict[Triple, Said | None]
"""What is said of links; None where nothing is known of a link."""

GivenFact: TypeAlias = FactChange | Sequence[int | str]
"""A fact as head, relation and tail by names or ids, or with its confidence and validity."""

Batches: TypeAlias = Iterable[FactBatch] | Iterable[str] | Iterable[bytes]
"""Batches of a log of facts, or lines of JSON as `GET /v1/facts` writes them."""


def said_of(change: FactChange, path: str) -> Said | None:
    """What a change says of its link. Raises FuzzError `data`: a confidence or a date."""
    if change.does not in ("add", "remove", "reject"):
        raise FuzzError("data", f"does: expected add, remove or reject, got {describe_value(change.does)}", path)
    sure: object = 1 if change.confidence is None else change.confidence
    if not isinstance(sure, int | float) or isinstance(sure, bool) or not 0 < sure <= 1:
        message = f"confidence: expected a number in (0, 1], got {describe_value(sure)}"
        raise FuzzError("data", message, f"{path}.confidence", "Reject a fact that is known to be wrong.")
    holds = validity_of(change.from_, change.until, path)
    if change.does == "add":
        return Said(float(sure), holds)
    return Said(0.0) if change.does == "reject" else None


def forward(head: int, relation: int, tail: int) -> Triple:
    """A fact along its relation forwards."""
    return (tail, relation - 1, head) if relation % 2 else (head, relation, tail)


def net_of(batches: Batches, vocabulary: Vocabulary) -> Net:
    """What batches come to in the graph of a vocabulary; their names are keys.

    Raises FuzzError `data`: no batches, or not in the order of their epochs. `vocabulary`: names that the graph lacks.
    """
    net: Net = {}
    epoch = 0
    for number, each in enumerate(batches, 1):
        place = f"line {number}"
        batch = each if isinstance(each, FactBatch) else _read(each, place)
        if not isinstance(batch.epoch, int) or batch.epoch <= epoch:
            message = f"batch: expected an epoch above {epoch}, got {describe_value(batch.epoch)}"
            raise FuzzError("data", message, place, "Give the batches of one store, in their order.")
        epoch = batch.epoch
        for what, new in (
            ("entities", batch.new_entities),
            ("relations", batch.new_relations),
            ("names", [name.get("key") for name in batch.names]),
        ):
            if new:
                message = f"batch: expected changes of facts, got new {what}: {describe_value(list(new[:3]))}"
                hint = "A bundle in Python keeps its names: ask the server, or export a bundle that has them."
                raise FuzzError("usage", message, f"{place}, epoch {epoch}", hint)
        for change in batch.changes:
            path = f"{place}, epoch {epoch}"
            head, tail = (_key(vocabulary.entities, name, path) for name in (change.head, change.tail))
            relation = 2 * _key(vocabulary.relations, change.relation, path)
            net[head, relation, tail] = said_of(change, path)
    return net


def _read(line: object, place: str) -> FactBatch:
    try:
        if isinstance(line, str | bytes):
            return read_batch(line)
    except ValueError:
        pass
    message = f"batch: expected a line of JSON as GET /v1/facts writes it, got {describe_value(line)}"
    raise FuzzError("data", message, place, "Give an open file of such lines, or FactsServer(...).changes().")


def _key(names: Names, key: object, path: str) -> int:
    place = names.of_key(key) if isinstance(key, str) else None
    if place is None:
        message = f"{names.kind}: expected a key of the graph, got {describe_value(key)}"
        raise FuzzError("vocabulary", message, path, "The changes are of another graph, or of a later bundle.")
    return place


_TERMS = (
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2002/07/owl#",
)
_AXIOMS = {
    *(f"{_TERMS[0]}{name}" for name in ("subClassOf", "subPropertyOf", "domain", "range")),
    *(f"{_TERMS[1]}{name}" for name in ("equivalentClass", "equivalentProperty", "inverseOf")),
}
_PROPERTY_KINDS = {
    f"{_TERMS[1]}{name}Property"
    for name in ("Symmetric", "Asymmetric", "Reflexive", "Irreflexive", "Transitive", "Functional", "InverseFunctional")
}
_USUAL_PREFIXES: Mapping[str, str] = {"rdfs": _TERMS[0], "owl": _TERMS[1]}


def declares_axioms(vocabulary: Vocabulary) -> bool:
    """Whether a graph may declare axioms of RDFS and OWL, by which changed facts would entail other facts."""
    prefixes = {**_USUAL_PREFIXES, **vocabulary.prefixes}

    def full(key: str) -> str:
        bare = key.strip("<>")
        return key_behind(bare, prefixes) or bare

    return any(full(key) in _AXIOMS for key in vocabulary.relations.keys) or any(
        full(key) in _PROPERTY_KINDS for key in vocabulary.entities.keys if "Property" in key
    )

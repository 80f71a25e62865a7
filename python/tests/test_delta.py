from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import BUNDLES, said_by_node
from test_node import compare, options_of, reasons_as_node_tells_them

from fuzzqe import Bundle, Entity, FactBatch, FactChange, FuzzError, Not, Project, Vocabulary
from fuzzqe.delta import declares_axioms
from fuzzqe.instants import instant_of
from fuzzqe.vocabulary import Names

WITH_FACTS = [path for path in BUNDLES if said_by_node(path)["delta"] is not None]


def refused(run: Callable[[], object]) -> FuzzError:
    with pytest.raises(FuzzError) as caught:
        run()
    return caught.value


@pytest.fixture
def unsure() -> Bundle:
    """A bundle with facts that are less than certain, or hold for a time."""
    return Bundle.open(next(path for path in BUNDLES if path.name == "unsure"), threads=1)


@pytest.mark.parametrize("folder", WITH_FACTS, ids=lambda path: path.name)
def test_after_changes_answers_are_nodes(folder: Path) -> None:
    node = said_by_node(folder)
    delta = node["delta"]
    before = Bundle.open(folder, profile=delta["profile"], threads=1)
    bundle = before.with_changes(delta["lines"])
    differs, dated, links, recorded = 0, 0, 0, []
    for case in delta["cases"]:
        for run in case["runs"]:
            answers = bundle.answer(case["json"], k=node["k"], **options_of(run))
            compare(answers, run["answers"])
            compare(answers.suggestions, run["suggestions"])
            assert list(answers.warnings) == run["warnings"]
            # Negative controls: neither the facts before nor those of all dates give the same.
            differs += list(answers) != list(before.answer(case["json"], k=node["k"], **options_of(run)))
            if "at" in run:
                always = options_of({**run, "at": None})
                dated += list(answers) != list(bundle.answer(case["json"], k=node["k"], **always))
        found = {each.answer.id: each for each in bundle.explain(case["json"], k=node["k"], min_degree=0)}
        for answer in case["explanations"]:
            if answer["id"] not in found:
                continue
            own = found[answer["id"]].links
            assert [(link.head.id, link.relation.id, link.tail.id) for link in own] == [
                tuple(link["ids"]) for link in answer["links"]
            ]
            for link, said in zip(own, answer["links"], strict=True):
                assert link.recorded == said["recorded"]
                assert link.degree == pytest.approx(said["degree"], rel=2e-4, abs=1e-6)
                assert reasons_as_node_tells_them(link.reasons) == said["reasons"]
                links += 1
                recorded += [link.degree] if link.recorded else []
    assert differs > 10
    assert dated > 3
    assert links > 30
    assert min(recorded) < 1


def test_facts_of_data_have_their_confidences_and_times(unsure: Bundle) -> None:
    facts = unsure.facts
    degrees = [facts.degree(*triple) for triple in facts.triples.tolist()]
    assert sorted(set(degrees)) == [0.3, 0.75, 1.0]
    head, relation, tail = facts.triples[degrees.index(0.75)].tolist()
    (link,) = unsure.links([(head, relation, tail)])
    assert (link.known, link.degree) == (True, 0.75)
    found = {answer.id: answer for answer in unsure.answer(Project(relation, Entity(head)), k=300)}
    # The confidence is the degree; no negation makes it doubtful.
    assert (found[tail].state, found[tail].degree) == ("recorded", 0.75)
    head, relation, tail = facts.triples[degrees.index(np.float64(0.3))].tolist()
    one = Project(relation, Entity(head))
    assert [answer.state for answer in unsure.answer(one, at="2001", k=300) if answer.id == tail] == ["recorded"]
    assert "recorded" not in [answer.state for answer in unsure.answer(one, at="2000", k=300) if answer.id == tail]


def test_facts_come_go_and_are_rejected(bundle: Bundle) -> None:
    head, relation, tail = bundle.facts.triples[0].tolist()
    one = Project(relation, Entity(head))

    def state(of: Bundle, entity: int) -> tuple[str, float] | None:
        answers = of.answer(one, k=300, min_degree=0)
        return next(((each.state, each.degree) for each in answers if each.id == entity), None)

    assert state(bundle, tail) == ("recorded", 1.0)
    without = bundle.with_facts(removed=[(head, relation, tail)])
    removed = state(without, tail)
    assert removed is not None
    assert removed[0] == "predicted"
    assert len(without.facts.triples) == len(bundle.facts.triples) - 1
    # The fact itself, turned round and by names, and the bundle before stays.
    names = bundle.relations.keys[relation // 2]
    keys = bundle.entities.keys
    back = without.with_facts(added=[(keys[tail], f"{names}^-1", keys[head])])
    assert np.array_equal(back.facts.triples, bundle.facts.triples)
    assert bundle.degrees([one])[0] == pytest.approx(back.degrees([one])[0], abs=1e-6)
    assert state(bundle, tail) == ("recorded", 1.0)

    rejected = bundle.with_facts(rejected=[(head, relation, tail)])
    assert state(rejected, tail) is None
    assert state(rejected.with_facts(removed=[(head, relation, tail)]), tail) == removed
    unsure = bundle.with_facts(added=[FactChange(keys[head], names, keys[tail], confidence=0.25)])
    assert state(unsure, tail) == ("recorded", 0.25)
    # What is removed and added is there.
    both = bundle.with_facts(added=[(head, relation, tail)], removed=[(head, relation, tail)])
    assert state(both, tail) == ("recorded", 1.0)
    doubt = {each.id: each for each in unsure.answer(Not(Not(one)), k=300, min_degree=0)}[tail]
    assert doubt.state == "doubted"
    assert doubt.degree == pytest.approx(0.25)


def test_a_date_without_validity_says_so(bundle: Bundle) -> None:
    query = Project(0, Entity(3))
    answers = bundle.answer(query, at="2001")
    assert answers.warnings[0].startswith("no-validity: ")
    assert list(answers) == list(bundle.answer(query))
    assert refused(lambda: bundle.answer(query, at="soon")).message.startswith("at: expected a date as 2001")
    assert "none in mode embedding" in str(refused(lambda: bundle.answer(query, mode="embedding", at="2001")))  # type: ignore[call-overload]


def test_batches_of_a_server_are_taken(bundle: Bundle) -> None:
    head, relation, tail = bundle.facts.triples[0].tolist()
    keys, names = bundle.entities.keys, bundle.relations.keys
    change = FactChange(keys[head], names[relation // 2], keys[tail], does="remove")
    batch = FactBatch(1, "2026-11-28T12:00:00Z", (change,))
    changed = bundle.with_changes([batch])
    assert np.array_equal(changed.facts.triples, bundle.with_facts(removed=[(head, relation, tail)]).facts.triples)
    with bundle.path.joinpath("manifest.json").open() as lines:
        error = refused(lambda: bundle.with_changes(lines))
    assert (error.code, error.path) == ("data", "line 1")
    later = FactBatch(1, "2026-11-28T12:00:01Z", (change,))
    assert "an epoch above 1" in refused(lambda: bundle.with_changes([batch, later])).message
    new = FactBatch(1, "2026-11-28T12:00:00Z", (), new_entities=("Sealand",))
    assert 'got new entities: ["Sealand"]' in refused(lambda: bundle.with_changes([new])).message
    unknown = FactBatch(1, "2026-11-28T12:00:00Z", (FactChange("Sealand", names[0], keys[0]),))
    error = refused(lambda: bundle.with_changes([unknown]))
    assert (error.code, error.path) == ("vocabulary", "line 1, epoch 1")


@pytest.mark.parametrize(
    ("fact", "code", "path"),
    [
        (("nobody", "r0", "e1"), "vocabulary", "added[0].head"),
        ((0, 6, 1), "range", "added[0].relation"),
        ((0, 0), "query", "added[0]"),
        (FactChange("e0", "r0", "e1", confidence=0), "data", "added[0].confidence"),
        (FactChange("e0", "r0", "e1", confidence=True), "data", "added[0].confidence"),
        (FactChange("e0", "r0", "e1", from_="soon"), "data", "added[0].from"),
        (FactChange("e0", "r0", "e1", from_="2001", until="2000"), "data", "added[0].until"),
    ],
)
def test_what_is_no_fact_is_refused(bundle: Bundle, fact: FactChange, code: str, path: str) -> None:
    error = refused(lambda: bundle.with_facts(added=[fact]))
    assert (error.code, error.path) == (code, path)


@pytest.mark.parametrize(
    ("relation", "entity", "axioms"),
    [
        ("rdfs:subClassOf", "a", True),
        ("<http://www.w3.org/2002/07/owl#inverseOf>", "a", True),
        ("x:domain", "a", True),
        ("rdf:type", "http://www.w3.org/2002/07/owl#SymmetricProperty", True),
        ("rdf:type", "owl:Thing", False),
        ("domain", "Property", False),
    ],
)
def test_facts_of_graphs_with_axioms_do_not_change(folder: Path, relation: str, entity: str, axioms: bool) -> None:
    prefixes = {"x": "http://www.w3.org/2000/01/rdf-schema#"}
    names = Names("entity", [entity], [""]), Names("relation", [relation], [""])
    other = Bundle.open(folder, threads=1)
    other.vocabulary = Vocabulary(*names, prefixes)
    assert declares_axioms(other.vocabulary) == axioms
    if axioms:
        assert "declares axioms" in refused(lambda: other.with_facts(added=[(0, 0, 1)])).message
    else:
        other.with_facts(added=[(0, 0, 1)])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970", 0),
        ("2000-03", 951868800),
        ("1900-03-01", -2203891200),
        ("0044-03-15", -60772291200),
        ("2001-05-31T10:00:07+02:00", 991296007),
        ("2023-02-29", None),
        ("2001-13", None),
        ("yesterday", None),
    ],
)
def test_moments_are_those_of_the_calendar(text: str, seconds: int | None) -> None:
    assert instant_of(text) == seconds

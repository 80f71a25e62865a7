from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Fake

from fuzzqe import (
    Bundle,
    Fact,
    FactChange,
    FactProvenance,
    FactsServer,
    FuzzError,
    GraphServer,
    LikeSupport,
    Match,
    MatchCounts,
    MatchedEntity,
    Named,
    SharedFact,
    Value,
    ValueSupport,
)

_ENTITIES = [{"id": i, "key": key, "label": label} for i, (key, label) in enumerate([("Q1", "Ann"), ("Q2", "Bob")])]
_ROW = {"entities": _ENTITIES, "state": "recorded", "degree": 1, "others": {"c": _ENTITIES[0]}}
_ANSWER: dict[str, Any] = {
    "columns": ["x", "degree"],
    "rows": [_ROW],
    "suggestions": [{**_ROW, "state": "predicted", "degree": 0.25, "others": {}}],
    "exact": False,
    "unseen": 0.1,
    "warnings": ["not-exact: the search ended"],
    "plan": {"kind": "search", "variables": [], "links": 3},
}


def refused(run: Callable[[], object]) -> FuzzError:
    with pytest.raises(FuzzError) as caught:
        run()
    return caught.value


def answering(fake: Fake, **other: object) -> None:
    fake.answers.append((200, {}, json.dumps({**_ANSWER, **other})))


def test_a_pattern_is_asked_with_its_options_and_answered_with_rows(fake: Fake) -> None:
    answering(fake, counts={"recorded": 3, "atLeast": False, "expected": 3.5})
    pattern = "?x, ?degree : spouse(?x, ?degree)"
    server = GraphServer(fake.url + "/", key="secret")
    matches = server.match(pattern, k=5, min_degree=0.4, exclude="known", count=True, links=9, at="2001")
    (asked,) = fake.asked
    assert (asked["method"], asked["path"]) == ("POST", "/v1/patterns")
    assert json.loads(asked["body"]) == {
        "pattern": pattern,
        "k": 5,
        "minDegree": 0.4,
        "exclude": "known",
        "count": True,
        "links": 9,
        "at": "2001",
    }
    assert asked["headers"]["authorization"] == "Bearer secret"
    ann, bob = MatchedEntity(0, "Q1", "Ann"), MatchedEntity(1, "Q2", "Bob")
    assert list(matches) == [Match((ann, bob), "recorded", 1.0, {"c": ann})]
    assert matches.suggestions == (Match((ann, bob), "predicted", 0.25, {}),)
    assert (matches.columns, matches.exact) == (("x", "degree"), False)
    assert matches.counts == MatchCounts(3, False, 3.5)
    assert matches.warnings == ("not-exact: the search ended",)


def test_a_table_has_a_column_a_variable(fake: Fake) -> None:
    answering(fake)
    matches = GraphServer(fake.url).match({"select": ["?x", "?degree"], "where": []})
    assert json.loads(fake.asked[0]["body"])["pattern"] == {"select": ["?x", "?degree"], "where": []}
    # A variable of the name of another column keeps its question mark.
    assert matches.to_dicts() == [{"x": "Ann", "?degree": "Bob", "state": "recorded", "degree": 1.0}]
    with_suggestions = matches.to_dicts(suggestions=True, keys=True)
    assert [row["answer"] for row in with_suggestions] == [True, False]
    assert with_suggestions[1] == {
        "x": "Q1",
        "?degree": "Q2",
        "state": "predicted",
        "degree": 0.25,
        "answer": False,
    }
    assert repr(matches).splitlines()[1:] == [
        "  degree  ?x   ?degree  state",
        "  1.000   Ann  Bob      recorded",
        "  0.250   Ann  Bob      suggestion: predicted",
    ]
    assert "<th>?x</th>" in matches._repr_html_()
    pytest.importorskip("pandas")
    assert list(matches.to_pandas().columns) == ["x", "?degree", "state", "degree"]
    assert matches.to_pandas(suggestions=True).shape == (2, 5)


def test_rows_say_why(fake: Fake) -> None:
    ann, bob = _ENTITIES
    relation = {"id": 3, "key": "spouse^-1", "label": "spouse", "inverse": True}
    rule = {
        "confidence": 0.9,
        "hits": 60,
        "predictions": 61,
        "facts": [{"head": bob, "relation": relation, "tail": ann}],
    }
    reasons = {
        "entailed": False,
        "rules": [rule],
        "neighbours": [bob],
        "against": [{"kind": "other tail", "entities": [ann], "share": 0.01}],
    }
    link = {"head": ann, "relation": relation, "recorded": False, "degree": 0.75, "reasons": reasons}
    leaf = {"op": "entity", "entity": ann, "degree": 1}
    derivation = {"op": "project", "entity": bob, "degree": 0.75, "link": link, "from": leaf}
    fact = {**link, "recorded": True, "degree": 1, "tail": bob, "provenance": {"source": "atlas", "from": "2001"}}
    del fact["reasons"]
    value = {"key": "P1", "label": "height", "type": "number", "language": "", "unit": "cm", "value": "203"}
    because = {"variable": "x", "derivation": derivation, "links": [{**link, "tail": bob}]}
    row = {
        **_ROW,
        "value": value,
        "because": [because, {"variable": "", "derivation": leaf, "links": [fact]}],
        "sets": [
            {"variable": "x", "where": "height > 200", "values": [value]},
            {"variable": "x", "like": ann, "shared": [{"relation": relation, "entity": bob, "share": 0.5}]},
        ],
    }
    answering(fake, rows=[row])
    server = GraphServer(fake.url)
    (match,) = server.match("?x, ?degree : spouse(?x, ?degree)", explain=True, order="height")
    assert json.loads(fake.asked[0]["body"]) == {
        "pattern": "?x, ?degree : spouse(?x, ?degree)",
        "explain": True,
        "order": {"property": "height"},
    }
    predicted, recorded = match.links
    inverse = Named(3, "spouse^-1", "spouse^-1")
    assert (predicted.relation, predicted.recorded, predicted.degree) == (inverse, False, 0.75)
    assert predicted.reasons is not None
    assert predicted.reasons.rules[0].facts == (Fact(Named(1, "Q2", "Bob"), inverse, Named(0, "Q1", "Ann")),)
    assert (recorded.reasons, recorded.provenance) == (None, FactProvenance(source="atlas", from_="2001"))
    first = match.because[0].derivation
    assert (first.op, first.link, first.operands[0].op) == ("project", predicted, "entity")
    height = Value("P1", "height", "number", "", "cm", "203")
    assert match.value == height
    assert match.sets == (
        ValueSupport("x", "height > 200", (height,)),
        LikeSupport("x", Named(0, "Q1", "Ann"), (SharedFact(inverse, Named(1, "Q2", "Bob"), 0.5),)),
    )
    # Negative control: a link of another form is no link.
    answering(fake, rows=[{**row, "because": [{**because, "links": [{**link, "tail": "Bob"}]}]}])
    assert refused(lambda: server.match("r(a, b)", explain=True)).code == "runtime"


def test_an_option_that_is_misspelt_is_not_sent(fake: Fake) -> None:
    error = refused(lambda: GraphServer(fake.url).match("r(a, b)", explian=True))  # type: ignore[call-arg]
    assert (error.code, error.hint) == ("usage", 'did you mean "explain"?')
    assert fake.asked == []


def test_a_question_in_words_is_answered_with_its_pattern(fake: Fake) -> None:
    said = {"question": "who?", "by": "templates", "count": False, "pattern": {"text": "?x : r(?x, a)", "json": {}}}
    fake.answers = [(200, {}, json.dumps({**said, "answer": _ANSWER})), (200, {}, json.dumps(said))]
    server = GraphServer(fake.url)
    matches = server.ask("who?", k=3)
    assert (matches.pattern, len(matches)) == ("?x : r(?x, a)", 1)
    (asked,) = fake.asked
    assert asked["path"] == "/v1/ask"
    assert json.loads(asked["body"]) == {"question": "who?", "k": 3}
    assert refused(lambda: server.ask("who?")).code == "runtime"


def test_yes_has_a_row_and_no_has_none(fake: Fake) -> None:
    yes = {"entities": [], "state": "recorded", "degree": 1, "others": {}}
    answering(fake, columns=[], rows=[yes], suggestions=[])
    answering(fake, columns=[], rows=[], suggestions=[])
    server = GraphServer(fake.url, model="the world/2")
    assert server.match("spouse(Ann, Bob)")
    assert not server.match("spouse(Ann, Carl)")
    assert fake.asked[0]["path"] == "/v1/models/the%20world%2F2/patterns"


def test_a_wrong_pattern_is_told_once_and_a_busy_server_asked_again(fake: Fake) -> None:
    problem = {"code": "vocabulary", "detail": "expected a key", "path": "$.pattern", "hint": 'did you mean "Ann"?'}
    fake.answers = [(422, {}, json.dumps(problem)), (503, {"retry-after": "0"}, "{}")]
    answering(fake)
    server = GraphServer(fake.url)
    error = refused(lambda: server.match("?x : spouse(?x, Anne)"))
    assert (error.code, error.path, error.hint) == ("vocabulary", "$.pattern", 'did you mean "Ann"?')
    assert len(server.match("?x : spouse(?x, Ann)")) == 1
    assert len(fake.asked) == 3
    fake.answers = [(404, {}, '{"detail": "no such model"}')]
    assert refused(lambda: GraphServer(fake.url, model="m").match("r(a, b)")).message == "no such model"


@pytest.mark.parametrize(
    "other",
    [
        {"columns": ["x"]},
        {"rows": [{**_ROW, "state": "surely"}]},
        {"rows": [{**_ROW, "degree": 2}]},
        {"rows": None},
        {"counts": {"recorded": -1, "atLeast": False, "expected": 0}},
    ],
)
def test_an_answer_of_another_form_is_refused(fake: Fake, other: dict[str, object]) -> None:
    answering(fake, **other)
    assert refused(lambda: GraphServer(fake.url).match("r(a, b)")).code == "runtime"


def test_a_server_answers_patterns(served: str, bundle: Bundle) -> None:
    head, relation, tail = (int(value) for value in bundle.facts.triples[0])
    keys, names = bundle.entities.keys, bundle.relations.keys
    server = GraphServer(served, attempts=50)
    fact = f"<{names[relation // 2]}>(<{keys[head]}>, <{keys[tail]}>)"
    (yes,) = server.match(fact)
    assert (yes.state, yes.entities) == ("recorded", ())
    matches = server.match(
        {"select": ["?t"], "where": [{"link": str(names[relation // 2]), "from": str(keys[head]), "to": "?t"}]}, k=40
    )
    known = {str(keys[t]) for h, r, t in bundle.facts.triples.tolist() if (h, r) == (head, relation)}
    recorded = {entity.key for row in matches if row.state == "recorded" for entity in row.entities}
    assert recorded == known
    assert refused(lambda: server.match(f"?x : <{names[0]}>(?x, Nobody)")).code == "vocabulary"


def test_a_server_explains_counts_sorts_and_takes_the_facts_of_a_date(served: str, bundle: Bundle) -> None:
    head, relation, tail = (int(value) for value in bundle.facts.triples[0])
    keys = bundle.entities.keys
    link = str(bundle.relations.keys[relation // 2])
    pattern = {"select": ["?t"], "where": [{"link": link, "from": str(keys[head]), "to": "?t"}]}
    server, facts = GraphServer(served, attempts=50), FactsServer(served)
    explained = server.match(pattern, k=40, explain=True, exists="or")
    for row in (*explained, *explained.suggestions):
        (found,) = row.links
        assert (found.head.id, found.relation.id, found.tail.id) == (head, relation, row.entities[0].id)
        assert found.recorded == (row.state == "recorded")
        assert (found.reasons is None) == found.recorded
        assert found.degree == pytest.approx(row.degree, abs=1e-6)
    assert {row.state for row in (*explained, *explained.suggestions)} == {"recorded", "predicted"}
    # The reasons are those of the bundle.
    own = {each.answer.id: each.links for each in bundle.explain({"project": link, "from": str(keys[head])}, k=30)}
    shared = [row for row in explained.suggestions if row.entities[0].id in own]
    assert shared
    for row in shared:
        assert row.links[0].reasons == own[row.entities[0].id][0].reasons

    recorded = sum(1 for row in explained if row.state == "recorded")
    counts = server.match(pattern, count=True).counts
    assert counts is not None
    assert (counts.recorded, counts.at_least) == (recorded, False)
    # A fact that holds from 2001 on is one in 2001 and not in 2000, and says where it comes from.
    dated = FactChange(str(keys[head]), link, str(keys[tail]), source="atlas", from_="2001")
    facts.add([dated])
    fact = f"<{link}>(<{keys[head]}>, <{keys[tail]}>)"
    (row,) = server.match(fact, at="2001", explain=True)
    origin = row.links[0].provenance
    assert origin is not None
    assert (row.state, origin.source, origin.from_) == ("recorded", "atlas", "2001")
    assert not any(each.state == "recorded" for each in server.match(fact, at="2000"))
    assert "population" in refused(lambda: server.match(pattern, order="population")).message

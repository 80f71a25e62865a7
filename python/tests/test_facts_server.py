from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Answer, Fake

from fuzzqe import (
    Bundle,
    FactBatch,
    FactChange,
    FactLike,
    FactsServer,
    FoundFact,
    FuzzError,
    Judged,
    Judgements,
    NamesWritten,
    ProposedLink,
)

_EPOCH = {"fuzzqe-epoch": "3", "fuzzqe-store": "here"}
_WRITTEN = (200, _EPOCH, '{"epoch": 3, "added": 1, "removed": 0, "unchanged": 0}')


def refused(run: Callable[[], object]) -> FuzzError:
    with pytest.raises(FuzzError) as caught:
        run()
    return caught.value


def test_a_write_sends_a_line_a_change_with_its_key(fake: Fake) -> None:
    fake.answers = [_WRITTEN]
    facts: list[FactLike] = [
        ("France", "borders", "Monaco"),
        FactChange("a", "b", "c", source="atlas", confidence=0.5, from_="1990", until="2000"),
    ]
    written = FactsServer(fake.url + "/", key="secret").add(facts)
    assert (written.epoch, written.added, written.store, written.repeated) == (3, 1, "here", False)
    (asked,) = fake.asked
    assert asked["path"] == "/v1/facts"
    assert [json.loads(line) for line in asked["body"].splitlines()] == [
        {"head": "France", "relation": "borders", "tail": "Monaco", "does": "add"},
        {
            "head": "a",
            "relation": "b",
            "tail": "c",
            "does": "add",
            "source": "atlas",
            "confidence": 0.5,
            "from": "1990",
            "until": "2000",
        },
    ]
    assert asked["headers"]["authorization"] == "Bearer secret"
    assert re.fullmatch("[0-9a-f-]{36}", asked["headers"]["idempotency-key"])


def test_a_write_whose_answer_is_lost_is_sent_again_with_the_same_key(fake: Fake) -> None:
    fake.answers = [None, (503, {"retry-after": "0"}, "{}"), _WRITTEN, _WRITTEN]
    server = FactsServer(fake.url)
    assert server.remove([("a", "b", "c")]).epoch == 3
    assert len({asked["headers"]["idempotency-key"] for asked in fake.asked}) == 1
    assert len({asked["body"] for asked in fake.asked}) == 1
    server.remove([("a", "b", "c")])
    assert len({asked["headers"]["idempotency-key"] for asked in fake.asked}) == 2


def test_names_are_created_only_if_a_call_says_so(fake: Fake) -> None:
    created = (200, _EPOCH, '{"epoch": 3, "added": 1, "removed": 0, "unchanged": 0, "created": 2, "rejected": 1}')
    fake.answers = [_WRITTEN, created, _WRITTEN]
    server = FactsServer(fake.url)
    assert server.add([("a", "b", "c")]).created == 0
    written = server.add([("a", "b", "c")], create=True)
    assert (written.created, written.rejected) == (2, 1)
    server.reject([("a", "b", "c")])
    assert [asked["path"] for asked in fake.asked] == ["/v1/facts", "/v1/facts?create=true", "/v1/facts"]
    assert [json.loads(asked["body"])["does"] for asked in fake.asked] == ["add", "add", "reject"]


def test_a_source_is_removed_once_whatever_is_lost(fake: Fake) -> None:
    fake.answers = [None, _WRITTEN]
    FactsServer(fake.url).remove_source("the atlas & more", store="here")
    first, second = fake.asked
    assert (first["method"], first["path"], first["body"]) == ("DELETE", "/v1/facts?source=the+atlas+%26+more", "")
    assert first["headers"]["fuzzqe-store"] == "here"
    assert first["headers"]["idempotency-key"] == second["headers"]["idempotency-key"]


def test_a_fact_is_found_at_an_epoch(fake: Fake) -> None:
    keys = {"head": "a", "relation": "b", "tail": "c"}
    provenance = {"source": "atlas", "at": "then", "confidence": 0.5, "from": "1990"}
    known = {**keys, "recorded": True, "provenance": provenance}
    fake.answers = [
        (503, {"retry-after": "0"}, '{"detail": "expected epoch 4"}'),
        (200, _EPOCH, json.dumps(known)),
        (200, _EPOCH, json.dumps({**keys, "recorded": False, "rejected": True})),
        *((200, _EPOCH, bad) for bad in ("[]", "{}", json.dumps({"recorded": True}))),
    ]
    server = FactsServer(fake.url)
    found = server.find("a", "b", "c", at_least=4)
    assert found == FoundFact("a", "b", "c", True, source="atlas", at="then", confidence=0.5, from_="1990")
    rejected = server.find("a", "b", "c")
    assert (rejected.recorded, rejected.rejected, rejected.source) == (False, True, None)
    assert {asked["path"] for asked in fake.asked} == {"/v1/facts?head=a&relation=b&tail=c"}
    assert [asked["headers"].get("fuzzqe-at-least") for asked in fake.asked] == ["4", "4", None]
    for _ in range(3):
        assert refused(lambda: server.find("a", "b", "c")).code == "runtime"


def test_changes_wait_and_name_an_epoch(fake: Fake) -> None:
    line = {"epoch": 4, "at": "now", "changes": [], "creates": {"entities": ["d"]}}
    fake.answers = [(200, _EPOCH, f"{json.dumps(line)}\n")]
    (batch,) = FactsServer(fake.url).changes(3, wait=20, at_least=3)
    assert (batch.new_entities, batch.new_relations) == (("d",), ())
    (asked,) = fake.asked
    assert (asked["path"], asked["headers"]["fuzzqe-at-least"]) == ("/v1/facts?since=3&wait=20", "3")


def test_names_are_sent_as_objects_a_line(fake: Fake) -> None:
    fake.answers = [None, (200, _EPOCH, '{"epoch": 3, "changed": 2}'), (200, _EPOCH, '{"epoch": 3}')]
    server = FactsServer(fake.url)
    changes: list[dict[str, Any]] = [{"entity": "a", "label": None}, {"entity": 1, "attributes": {"area": 7}}]
    assert server.rename(changes) == NamesWritten(3, 2, "here")
    first, second = fake.asked
    assert (first["method"], first["path"]) == ("PATCH", "/v1/entities")
    assert [json.loads(line) for line in first["body"].splitlines()] == changes
    assert first["headers"]["idempotency-key"] == second["headers"]["idempotency-key"]
    assert refused(lambda: server.rename(changes)).code == "runtime"


def test_judgements_are_sent_and_reported(fake: Fake) -> None:
    judged: dict[str, Any] = {"accepted": 1, "rejected": 2, "said": 0.5, "found": 0.25, "spread": 0.1}
    week, relation = {"begins": "2026-11-23", **judged}, {"key": "b", "label": "the b", **judged}
    ends = {
        name: {"key": key, "label": f"the {key}"} for name, key in (("head", "a"), ("relation", "b"), ("tail", "c"))
    }
    proposed = {**ends, "degree": 0.5, "teaches": 1, "conflicts": ["Too far."]}
    bad = '{"accepted": 1, "weeks": [], "relations": []}'
    fake.answers = [
        _WRITTEN,
        (409, {}, '{"code": "conflict", "detail": "Too far."}'),
        (200, _EPOCH, json.dumps({**judged, "weeks": [week], "relations": [relation]})),
        (200, _EPOCH, json.dumps({"results": [proposed]})),
        *((200, _EPOCH, text) for text in (bad, "[]", "no JSON")),
    ]
    server = FactsServer(fake.url)
    accept: list[FactLike] = [FactChange("a", "b", "c", does="remove", source="atlas")]
    assert server.judge(accept, [("a", "b", "d")], conflicts="accept").epoch == 3
    error = refused(lambda: server.judge(accept))
    assert (error.code, error.message) == ("usage", "Too far.")
    report = server.judgements()
    assert report == Judgements(Judged(**judged), {"2026-11-23": Judged(**judged)}, {"b": Judged(**judged)})
    link = ProposedLink("a", "b", "c", ("the a", "the b", "the c"), 0.5, 1.0, ("Too far.",))
    assert server.next_judgements(entity="the a", limit=5) == (link,)
    assert [asked["path"] for asked in fake.asked] == [
        "/v1/judgements?conflicts=accept",
        "/v1/judgements?conflicts=refuse",
        "/v1/judgements",
        "/v1/judgements/next?entity=the+a&limit=5",
    ]
    assert json.loads(fake.asked[0]["body"]) == {
        "accept": [{"head": "a", "relation": "b", "tail": "c", "source": "atlas"}],
        "reject": [{"head": "a", "relation": "b", "tail": "d"}],
    }
    assert refused(server.judgements).code == "runtime"
    assert refused(server.judgements).code == "runtime"
    assert refused(server.next_judgements).code == "runtime"


def test_a_write_is_given_up_after_its_attempts(fake: Fake) -> None:
    fake.answers = [(503, {"retry-after": "0"}, '{"detail": "away", "hint": "wait"}')] * 2
    error = refused(lambda: FactsServer(fake.url, attempts=2).add([("a", "b", "c")]))
    assert (error.code, error.message, error.hint, len(fake.asked)) == ("runtime", "away", "wait", 2)


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (422, {"code": "vocabulary", "detail": "no France", "path": "line 1"}, "vocabulary"),
        (403, {"code": "forbidden", "detail": "not you"}, "usage"),
        (409, {"code": "conflict", "detail": "another store"}, "usage"),
        (404, {"detail": "no such path"}, "usage"),
        (500, {"detail": "a fault"}, "runtime"),
        (307, {}, "usage"),
    ],
)
def test_a_refusal_is_told_once(fake: Fake, status: int, body: dict[str, str], code: str) -> None:
    fake.answers = [(status, {"location": fake.url + "/elsewhere"}, json.dumps(body))]
    error = refused(lambda: FactsServer(fake.url).add([("a", "b", "c")]))
    assert (error.code, len(fake.asked)) == (code, 1)
    if status != 404 and body:
        assert error.message == body["detail"]


@pytest.mark.parametrize(
    "answer",
    [
        (200, _EPOCH, "no JSON"),
        (200, _EPOCH, "[]"),
        (200, _EPOCH, '{"epoch": "3", "added": 1, "removed": 0, "unchanged": 0}'),
        (200, _EPOCH, '{"epoch": 3, "added": 1, "removed": 0, "unchanged": 0, "created": null}'),
        (200, {}, _WRITTEN[2]),
    ],
)
def test_an_answer_of_another_form_is_refused(fake: Fake, answer: Answer) -> None:
    fake.answers = [answer]
    assert refused(lambda: FactsServer(fake.url).add([("a", "b", "c")])).code == "runtime"


@pytest.mark.parametrize("line", ["no JSON", "[]", "{}", '{"epoch": 1, "at": "now", "changes": [{"head": "a"}]}'])
def test_a_batch_of_another_form_is_refused(fake: Fake, line: str) -> None:
    fake.answers = [(200, _EPOCH, f"{line}\n")]
    assert refused(lambda: list(FactsServer(fake.url).changes())).code == "runtime"


@pytest.mark.parametrize("url", ["localhost:8080", "file:///etc", "http://", "http://a/?b=c"])
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    assert refused(lambda: FactsServer(url)).code == "usage"


def test_bad_arguments_are_refused_before_anything_is_sent(fake: Fake) -> None:
    assert refused(lambda: FactsServer(fake.url, attempts=0)).code == "range"
    bad: Any = ("a", "b")
    assert refused(lambda: FactsServer(fake.url).add([bad])).code == "usage"
    assert fake.asked == []


def test_nobody_answers() -> None:
    error = refused(lambda: FactsServer("http://127.0.0.1:9", attempts=1).add([("a", "b", "c")]))
    assert (error.code, "no server answers" in error.message) == ("runtime", True)


def test_a_server_takes_facts_and_lists_the_changes(served: str, bundle: Bundle) -> None:
    keys = bundle.entities.keys
    relation = str(bundle.relations.keys[0])
    known = {tuple(fact) for fact in bundle.facts.triples.tolist()}
    tail = next(tail for tail in range(len(keys)) if (0, 0, tail) not in known)
    fact = (str(keys[0]), relation, str(keys[tail]))
    # The port is bound before the bundle is open.
    server = FactsServer(served, attempts=50)
    added = server.add([FactChange(*fact, source="test")], idempotency_key="one")
    assert (added.epoch, added.added, added.unchanged) == (1, 1, 0)
    again = server.add([FactChange(*fact, source="test")], idempotency_key="one")
    assert (again.epoch, again.added, again.repeated) == (1, 0, True)
    removed = server.remove([(fact[2], f"{relation}^-1", fact[0])])
    assert (removed.epoch, removed.removed, removed.store) == (2, 1, added.store)

    log = server.changes(store=added.store)
    assert (log.epoch, log.store) == (2, added.store)
    batches = list(log)
    assert [batch.changes for batch in batches] == [
        (FactChange(*fact, source="test"),),
        (FactChange(*fact, does="remove"),),
    ]
    assert [batch.epoch for batch in server.changes(1)] == [2]
    assert all(isinstance(batch, FactBatch) and batch.by is None for batch in batches)

    unknown = refused(lambda: server.add([fact, ("nobody at all", relation, fact[2])]))
    assert (unknown.code, unknown.path) == ("vocabulary", "line 2")
    assert refused(lambda: server.changes(9)).code == "range"
    assert refused(lambda: server.changes(store="another")).code == "usage"
    assert refused(lambda: server.write([], idempotency_key="two")).code == "usage"
    with server.changes(2) as none:
        assert list(none) == []


def test_a_server_creates_names_and_forgets_a_source(served: str, bundle: Bundle) -> None:
    relation = str(bundle.relations.keys[0])
    known = str(bundle.entities.keys[0])
    server = FactsServer(served, attempts=50)
    facts: list[FactLike] = [
        FactChange("Fay of nowhere", relation, known, source="atlas", confidence=0.75),
        FactChange("Fay of nowhere", "knows of", known, source="atlas"),
    ]
    assert refused(lambda: server.add(facts)).code == "vocabulary"
    added = server.add(facts, create=True, idempotency_key="one")
    assert (added.epoch, added.added, added.created) == (1, 2, 2)
    again = server.add(facts, create=True, idempotency_key="one")
    assert (again.repeated, again.created) == (True, 0)
    (batch,) = server.changes(at_least=added.epoch)
    assert (batch.new_entities, batch.new_relations) == (("Fay of nowhere",), ("knows of",))
    found = server.find("Fay of nowhere", relation, known, at_least=added.epoch, store=added.store)
    assert (found.recorded, found.source, found.confidence) == (True, "atlas", 0.75)

    assert server.remove_source("another").removed == 0
    removed = server.remove_source("atlas", store=added.store)
    assert (removed.epoch, removed.removed) == (2, 2)
    assert not server.find(known, f"{relation}^-1", "Fay of nowhere", at_least=removed.epoch).recorded
    rejected = server.reject([("Fay of nowhere", relation, known)])
    assert (rejected.rejected, server.find("Fay of nowhere", relation, known).rejected) == (1, True)
    ahead = FactsServer(served, attempts=1)
    assert refused(lambda: ahead.find("Fay of nowhere", relation, known, at_least=rejected.epoch + 1)).code == "runtime"


def test_a_server_takes_names_and_judgements(served: str, bundle: Bundle) -> None:
    relation = str(bundle.relations.keys[0])
    key = str(bundle.entities.keys[0])
    server = FactsServer(served, attempts=50)
    renamed = server.rename([{"entity": f"<{key}>", "label": "Fay of nowhere", "attributes": {"age": 7}}])
    assert (renamed.epoch, renamed.changed) == (1, 1)
    (batch,) = server.changes(store=renamed.store)
    assert [(each["key"], each["label"]) for each in batch.names] == [(key, "Fay of nowhere")]
    assert refused(lambda: server.rename([{"entity": "Fay of nowhere", "attributes": {"age": "old"}}])).code == "usage"

    (first, *_) = server.next_judgements(entity="Fay of nowhere", limit=100)
    assert 0 < first.degree < 1
    link = (f"<{first.head}>", f"<{first.relation}>", f"<{first.tail}>")
    assert server.judge(reject=[link]).rejected == 1
    assert server.find(*link).rejected
    assert link[0] == f"<{key}>" or link[2] == f"<{key}>"
    again = refused(lambda: server.judge([link]))
    assert (again.code, "was rejected" in again.message) == ("usage", True)
    assert server.judge([link], conflicts="accept").added == 1
    report = server.judgements()
    assert (report.all.accepted, report.all.rejected) == (1, 0)
    assert report.all.said == pytest.approx(first.degree, abs=1e-3)
    assert list(report.relations) == [first.relation]
    assert refused(lambda: server.next_judgements(relation=f"{relation} and more")).code == "vocabulary"

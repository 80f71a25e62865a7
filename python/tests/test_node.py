from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import BUNDLES, PROFILES, Case, said_by_node

from fuzzqe import (
    Bundle,
    EmbeddingAnswer,
    Fact,
    FuzzError,
    Named,
    Reasons,
    SetsAnswer,
    format_query,
    from_kgreasoning,
    to_kgreasoning,
)

# Both run ONNX Runtime; runs of another size may round a sum otherwise.
_RELATIVE, _ABSOLUTE = 2e-4, 1e-6


def options_of(run: Case) -> dict[str, Any]:
    least = {"min_degree": run["minDegree"]} if "minDegree" in run else {}
    at = {"at": run["at"]} if "at" in run else {}
    return {"mode": run["mode"], "exclude": run["exclude"], **least, **at}


def _value(answer: SetsAnswer | EmbeddingAnswer) -> float:
    return answer.degree if isinstance(answer, SetsAnswer) else answer.score


def compare(found: Sequence[SetsAnswer | EmbeddingAnswer], expected: Sequence[Case]) -> None:
    """The same entities in the same order, but for those that tie within rounding."""
    assert [_value(answer) for answer in found] == pytest.approx(
        [answer["value"] for answer in expected], rel=_RELATIVE, abs=_ABSOLUTE
    )
    by_id = {answer["id"]: answer for answer in expected}
    for place, answer in enumerate(found):
        node = by_id.get(answer.id)
        if node is None:
            # At the end of the list one may stand for another that ties with the last.
            assert _value(answer) == pytest.approx(expected[-1]["value"], rel=_RELATIVE, abs=_ABSOLUTE)
            continue
        said = node["state"] if isinstance(answer, SetsAnswer) else node["known"]
        state = answer.state if isinstance(answer, SetsAnswer) else answer.known
        assert (answer.key, answer.label, state) == (node["key"], node["label"], said)
        assert node["value"] == pytest.approx(expected[place]["value"], rel=_RELATIVE, abs=_ABSOLUTE)


@pytest.mark.parametrize(("folder", "profile"), PROFILES)
def test_answers_what_node_answers(folder: Path, profile: str) -> None:
    node = said_by_node(folder)
    bundle = Bundle.open(folder, profile=profile, threads=1)
    cases = node["profiles"][profile]
    assert len(cases) >= 28
    modes = set()
    for case in cases:
        for run in case["runs"]:
            modes.add(run["mode"])
            answers = bundle.answer(case["text"], k=node["k"], **options_of(run))
            compare(answers, run["answers"])
            compare(answers.suggestions, run["suggestions"])
            assert list(answers.warnings) == run["warnings"]
    assert modes == {"sets", "embedding"}


@pytest.mark.parametrize("mode", ["sets", "embedding"])
@pytest.mark.parametrize("folder", BUNDLES, ids=lambda path: path.name)
def test_many_queries_together_have_the_answers_of_each(folder: Path, mode: str) -> None:
    node = said_by_node(folder)
    bundle = Bundle.open(folder, threads=1)
    wanted = [
        (case["json"], run)
        for case in node["profiles"][bundle.profile]
        for run in case["runs"]
        if run["mode"] == mode and run["exclude"] == "known" and run.get("minDegree", 0) == 0
    ]
    options: Any = {"mode": mode, "exclude": "known", "k": node["k"]}
    if mode == "sets":
        options["min_degree"] = 0
    for answers, (_, run) in zip(bundle.answer_many([query for query, _ in wanted], **options), wanted, strict=True):
        compare(answers, run["answers"])


@pytest.mark.parametrize("folder", BUNDLES, ids=lambda path: path.name)
def test_answers_rest_on_nodes_links(folder: Path) -> None:
    node = said_by_node(folder)
    bundle = Bundle.open(folder, threads=1)
    predicted = 0
    for case in node["profiles"][bundle.profile]:
        expected = case["explanations"]
        found = {each.answer.id: each for each in bundle.explain(case["json"], k=node["k"], min_degree=0)}
        for answer in expected:
            # One that ties with the last may stand for it.
            if answer["id"] not in found:
                continue
            links = found[answer["id"]].links
            assert [(link.head.id, link.relation.id, link.tail.id) for link in links] == [
                tuple(link["ids"]) for link in answer["links"]
            ]
            for link, said in zip(links, answer["links"], strict=True):
                assert link.recorded == said["recorded"]
                assert link.degree == pytest.approx(said["degree"], rel=_RELATIVE, abs=_ABSOLUTE)
                assert [link.head.label, link.tail.label] == [said["names"][0], said["names"][2]]
                assert reasons_as_node_tells_them(link.reasons) == said["reasons"]
                predicted += link.reasons is not None
    assert predicted > 10


def reasons_as_node_tells_them(reasons: Reasons | None) -> Case | None:
    """Reasons as Node tells them."""
    if reasons is None:
        return None

    def entity(named: Named) -> Case:
        return {"id": named.id, "key": named.key, "label": named.label}

    def relation(named: Named) -> Case:
        return {**entity(named), "label": named.label.removesuffix("^-1"), "inverse": named.id % 2 == 1}

    def fact(fact: Fact) -> Case:
        return {"head": entity(fact.head), "relation": relation(fact.relation), "tail": entity(fact.tail)}

    return {
        "entailed": reasons.entailed,
        "rules": [
            {
                "confidence": rule.confidence,
                "hits": rule.hits,
                "predictions": rule.predictions,
                "facts": list(map(fact, rule.facts)),
            }
            for rule in reasons.rules
        ],
        "neighbours": list(map(entity, reasons.neighbours)),
        "against": [
            {"kind": each.kind, "entities": list(map(entity, each.entities)), "share": each.share}
            for each in reasons.against
        ],
    }


def test_an_answer_that_is_not_nodes_is_noticed(folder: Path, bundle: Bundle) -> None:
    case = said_by_node(folder)["profiles"]["fp32"][0]
    run = next(run for run in case["runs"] if run["mode"] == "embedding")
    first, *others = run["answers"]
    for wrong in ({"value": first["value"] * 1.001}, {"label": "another"}, {"known": not first["known"]}):
        with pytest.raises(AssertionError):
            compare(bundle.answer(case["text"], mode="embedding"), [{**first, **wrong}, *others])


@pytest.mark.parametrize("folder", BUNDLES, ids=lambda path: path.name)
def test_the_three_notations_are_nodes(folder: Path) -> None:
    bundle = Bundle.open(folder)
    for case in said_by_node(folder)["profiles"][bundle.profile]:
        query = bundle.read(case["text"])
        assert bundle.read(case["json"]) == query
        assert from_kgreasoning(case["tuple"]) == query
        assert bundle.read(case["tuple"]) == query
        assert from_kgreasoning(to_kgreasoning(query)) == query
        assert format_query(query, bundle.vocabulary) == case["text"]


@pytest.mark.parametrize("folder", BUNDLES, ids=lambda path: path.name)
def test_what_is_no_query_gets_nodes_error(folder: Path) -> None:
    bundle = Bundle.open(folder)
    refusals = said_by_node(folder)["refusals"]
    for case in [*refusals["texts"], *refusals["values"]]:
        value = case["text"] if "text" in case else case["value"]
        with pytest.raises(FuzzError) as caught:
            bundle.read(value)
        error = caught.value
        assert error.code == case["code"], value
        if isinstance(value, str):
            assert (error.path, error.message) == (case["path"], case["message"]), value
            assert error.hint is not None
            assert error.hint.split("\n")[1:] == case["hint"].split("\n")[1:], value

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import BUNDLES
from test_golden import seal

from fuzzqe import And, Bundle, Entity, FuzzError, Not, Or, Project, Query, match_structure, sets, to_pandas
from fuzzqe.answers import Answers, SetsAnswer
from fuzzqe.bundle import _opened
from fuzzqe.embedding import rank
from fuzzqe.facts import Facts
from fuzzqe.graphs import Graphs
from fuzzqe.near_names import near_names
from fuzzqe.vocabulary import Names, read_aliases, read_names


@pytest.fixture(scope="session")
def demo() -> Bundle:
    """The bundle of the demo: labels and a fitted calibration."""
    return Bundle.open(next(path for path in BUNDLES if path.name == "demo"), threads=1)


def test_names_are_numpy_arrays_by_id(bundle: Bundle) -> None:
    assert isinstance(bundle.entities.keys, np.ndarray)
    assert bundle.entities.keys[7] == "e7"
    assert bundle.entities.labels[7] == "e 7"
    assert bundle.vocabulary.entity("E 7") == 7
    assert bundle.vocabulary.relation("r1") == 2
    assert bundle.vocabulary.relation("r 1^-1") == 3
    assert bundle.vocabulary.relation_name(3) == "r 1^-1"
    with pytest.raises(ValueError, match="read-only"):
        bundle.entities.keys[0] = "x"


def test_a_label_that_is_empty_is_the_key() -> None:
    lines = "0\tQ142\tFrance\n1\tQ183\t\n2\tQ31\t\ta country\n"
    assert read_names(lines, "entities.tsv", "entity", 3, 1)[1] == ["France", "Q183", "Q31"]


def test_accents_may_be_composed_in_another_way() -> None:
    apart = unicodedata.normalize("NFD", "Zürich")
    names = Names("entity", ["a", "b"], ["Bern", apart])
    assert names.find("Zürich") == names.find("ZÜRICH") == names.find(apart) == 1
    assert near_names("Zürch", [apart]) == [apart]


def test_a_further_name_that_only_one_has_names_it_after_labels() -> None:
    aliases = read_aliases(
        "0\tlabel\tde\tDeutschland\n0\tlabel\tda\tDeutschland\n0\tdescription\t\tland\n1\talias\t\tBRD\n"
        "1\talias\t\tX\n2\talias\t\tx\n2\talias\t\tGermany\n",
        "aliases.tsv",
        3,
    )
    names = Names("entity", ["Q183", "Q713750", "Q3"], ["Germany", "West Germany", "Other"], None, aliases)
    assert names.find("DEUTSCHLAND") == names.find("Germany") == 0
    assert names.find("BRD") == 1
    with pytest.raises(FuzzError, match="one that 2 share") as shared:
        names.find("X")
    assert '"Q713750", "Q3"' in str(shared.value)
    with pytest.raises(FuzzError, match="expected a key or label"):
        names.find("land")


def test_recorded_facts_have_degree_1_and_can_be_left_out(bundle: Bundle) -> None:
    head, relation, tail = bundle.facts.triples[0].tolist()
    answers = bundle.answer(Project(relation, Entity(head)), k=300, min_degree=0)
    recorded = {answer.id for answer in answers if answer.state == "recorded"}
    assert tail in recorded
    assert {answer.id for answer in answers if answer.degree == 1} == recorded
    others = bundle.answer(Project(relation, Entity(head)), k=300, exclude="known", min_degree=0)
    assert recorded.isdisjoint(answer.id for answer in others)
    assert len(others) + len(recorded) == len(answers)
    certain = bundle.answer(Project(relation, Entity(head)), k=300, min_degree=1)
    assert {answer.id for answer in certain} == recorded
    alone = bundle.answer(Project(relation, Entity(head)), k=300, min_degree=1, suggestions=False)
    assert (list(alone), alone.suggestions) == (list(certain), ())
    likely = [answer.id for answer in answers if answer.id not in recorded and answer.degree >= np.float32(0.01)]
    assert [answer.id for answer in certain.suggestions] == likely[: 300 - len(certain)]


def test_a_score_that_rounding_put_below_0_stays_an_answer(bundle: Bundle) -> None:
    class Rounded(Graphs):
        def __init__(self) -> None:
            pass

        def run(self, name: str, **feeds: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
            assert (name, feeds["k"].tolist()) == ("rank", [3])
            return [np.array([[4, 2, 9]], np.int32), np.array([[0.5, -1e-7, -1]], np.float32)]

    vectors = np.zeros((1, bundle.manifest.model.dimension), np.float32)
    (ranking,) = rank(Rounded(), bundle.manifest.model, vectors, [None], 3)
    assert ranking[0].tolist() == [4, 2]


def naive(facts: set[tuple[int, int, int]], entities: int, query: Query) -> set[int]:
    """The exact answers, by the definition of each operator."""
    match query:
        case Entity(entity):
            return {entity}
        case Project(relation, operand):
            heads = naive(facts, entities, operand)
            return {t for h, r, t in facts if r == relation and h in heads}
        case Not(operand):
            return set(range(entities)) - naive(facts, entities, operand)
        case And(operands):
            return set.intersection(*(naive(facts, entities, each) for each in operands))
        case Or(operands):
            return set.union(*(naive(facts, entities, each) for each in operands))


def test_known_answers_are_those_of_set_logic(bundle: Bundle) -> None:
    facts: Facts = bundle.facts
    triples = {(h, r, t) for h, r, t in facts.triples.tolist()}
    triples |= {(t, r + 1, h) for h, r, t in triples}
    two = Project(3, Project(0, Entity(5)))
    for query in (Project(1, Entity(7)), two, Not(two), And((Not(two), Project(4, Entity(9)))), Or((two, Entity(1)))):
        assert set(np.flatnonzero(facts.answers(query)).tolist()) == naive(triples, 300, query)


def test_links_have_degrees(demo: Bundle) -> None:
    known, other = demo.links([("France", "borders", "Germany"), ("France", "borders", "Japan")])
    assert (known.known, known.degree) == (True, 1)
    assert not other.known
    assert 0 < other.degree < 1
    answers = demo.answer("project(borders, France)", k=879, min_degree=0)
    assert next(answer for answer in answers if answer.label == "Japan").degree == other.degree


def test_pandas_frames_have_a_row_an_answer(demo: Bundle) -> None:
    pytest.importorskip("pandas")
    answers = demo.answer("project(borders, France)", k=10)
    frame = answers.to_pandas()
    assert list(frame.columns) == ["id", "key", "label", "state", "degree"]
    assert frame["label"].tolist() == [answer.label for answer in answers]
    both = answers.to_pandas(suggestions=True)
    assert both["answer"].tolist() == [True] * len(answers) + [False] * len(answers.suggestions)
    frame = to_pandas(demo.answer_each(["France", "Frnace", "Germany"], mode="embedding", k=2))
    assert frame["query"].tolist() == [0, 0, 1, 2, 2]
    assert "did you mean" in frame["error"][2]


def test_an_empty_frame_has_the_columns_of_its_answers(demo: Bundle) -> None:
    pytest.importorskip("pandas")
    empty = to_pandas(demo.answer_each(["and(France, not(France))"], exclude="known", min_degree=1))
    assert len(empty) == 0
    assert list(empty.columns) == ["query", "id", "key", "label", "state", "degree"]


def test_sets_are_the_same_however_few_are_held_at_once(bundle: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    part = "project(r0, project(r1^-1, e5))"
    queries = [f"and({part}, not(project(r2, e{i})), {part})" for i in range(6)] + [part, "e3"]
    together = bundle.degrees(queries)
    assert together[6:] == pytest.approx(bundle.degrees(queries[6:]), abs=1e-6)
    monkeypatch.setattr(sets, "_NUMBERS_AT_ONCE", 1)
    assert bundle.degrees(queries) == pytest.approx(together, rel=1e-4, abs=1e-6)


def test_structures_are_recognised_in_any_order() -> None:
    left, right = Project(0, Entity(1)), Not(Project(2, Entity(3)))
    for query in (And((left, right)), And((right, left))):
        match = match_structure(query)
        assert match is not None
        assert (match.structure.name, match.anchors, match.relations) == ("2in", (1, 3), (0, 2))
    assert match_structure(Not(left)) is None


def test_a_bundle_for_workers_has_the_answers_of_the_same_model() -> None:
    folder = next((path for path in BUNDLES if path.name == "workers"), None)
    if folder is None:
        pytest.skip("no bundle for Workers was given")
    combined = Bundle.open(folder, threads=1)
    bundle = Bundle.open(folder.parent / "blocks", threads=1)
    assert ("2i" in bundle.manifest.profile("fp32").graphs, "2i" in combined.manifest.profile("fp32").graphs) == (
        True,
        False,
    )
    query = "and(project(r0, project(r1^-1, e5)), not(project(r2, e7)))"
    assert combined.degrees([query]) == pytest.approx(bundle.degrees([query]), rel=1e-4, abs=1e-6)
    assert combined.embed([query]) == pytest.approx(bundle.embed([query]), rel=1e-5, abs=1e-6)
    ids = [answer.id for answer in bundle.answer(query, mode="embedding")]
    assert [answer.id for answer in combined.answer(query, mode="embedding")] == ids


_UNION_OF_AN_ENTITY = "or(project(r0, e5), e7)"
_NEGATION = "and(project(r0, e5), not(project(r1, e7)))"
_CONJUNCTION = "and(project(r0, e5), project(r1, e7))"


@pytest.mark.parametrize(
    ("name", "which", "embedded", "beyond"),
    [
        ("gqe", "structures without negation", [_CONJUNCTION], [_NEGATION, _UNION_OF_AN_ENTITY]),
        ("gqeDeepSets", "structures without negation", [_CONJUNCTION], [_NEGATION, _UNION_OF_AN_ENTITY]),
        ("query2box", "structures without negation", [_CONJUNCTION], [_NEGATION, _UNION_OF_AN_ENTITY]),
        ("betae", "structures", [_CONJUNCTION, _NEGATION], [_UNION_OF_AN_ENTITY]),
        ("betaeDm", "", [_CONJUNCTION, _NEGATION, _UNION_OF_AN_ENTITY], []),
        ("complex", "structure 1p", ["project(r0, e5)"], [_CONJUNCTION, _NEGATION, _UNION_OF_AN_ENTITY]),
    ],
)
def test_a_family_embeds_what_it_can_and_answers_all_by_sets(
    name: str, which: str, embedded: list[str], beyond: list[str]
) -> None:
    folder = next((path for path in BUNDLES if path.name == name), None)
    if folder is None:
        pytest.skip(f"no bundle of {name} was given")
    bundle = Bundle.open(folder, threads=1)
    for refused in beyond:
        with pytest.raises(FuzzError, match=f"mode: {name} embeds queries of the {which} only") as raised:
            bundle.answer(refused, mode="embedding")
        assert raised.value.code == "usage"
        with pytest.raises(FuzzError):
            bundle.embed([refused], plan="operators")
        found = bundle.answer_each([refused, *embedded], mode="embedding")
        assert [isinstance(each, FuzzError) for each in found] == [True, *[False] * len(embedded)]
    for query in (*embedded, *beyond):
        assert len(bundle.answer(query, min_degree=0)) == 10
    assert bundle.embed(embedded).shape == (len(embedded), bundle.manifest.model.dimension)


def test_nothing_is_answered_to_no_queries(bundle: Bundle) -> None:
    assert bundle.answer_many([]) == []
    assert bundle.answer_many([], mode="embedding") == []
    assert bundle.degrees([]).shape == (0, 300)
    assert bundle.embed([]).shape == (0, 16)


def test_threads_may_share_a_bundle(folder: Path) -> None:
    bundle = Bundle.open(folder, threads=1)
    queries = [f"project(r0, project(r1, e{i}))" for i in range(24)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda query: list(bundle.answer(query, min_degree=0)), queries))
    assert together == [list(bundle.answer(query, min_degree=0)) for query in queries]
    assert any(together)


def test_a_bundle_is_cached_by_what_it_holds(copy: Path) -> None:
    bundle = Bundle.cached(copy, threads=1)
    assert Bundle.cached(str(copy), threads=1) is bundle
    assert Bundle.cached(copy, threads=1, profile="int8") is not bundle
    before = len(_opened)
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    seal({**manifest, "name": "again"}, copy)
    again = Bundle.cached(copy, threads=1)
    assert again.manifest.name == "again"
    assert len(_opened) == before
    again.close()
    assert len(Bundle.cached(copy, threads=1).answer("project(r0, e1)", k=1, min_degree=0)) == 1
    assert len(_opened) == before


def test_a_closed_bundle_lets_go_of_its_weights_and_says_so(copy: Path) -> None:
    with Bundle.open(copy, threads=1) as bundle:
        asked = bundle.answer("project(r0, e1)", k=3, min_degree=0)
        assert len(asked) == 3
        assert not Path("/proc/self/maps").exists() or _mapped(copy)
    assert _mapped(copy) == set()
    bundle.close()
    for ask in (
        lambda: bundle.answer("project(r0, e1)"),
        # Neither is run for.
        lambda: bundle.answer("#0", mode="embedding"),
        lambda: bundle.answer_each(["#0"]),
        lambda: bundle.embed(["project(r0, e1)"]),
        lambda: bundle.degrees([]),
        lambda: bundle.links([]),
        bundle.__enter__,
    ):
        with pytest.raises(FuzzError, match="the bundle is closed") as caught:
            ask()
        assert (caught.value.code, caught.value.path) == ("runtime", str(copy))
        assert "Bundle.open" in str(caught.value.hint)
    assert bundle.format("project(r0, e1)") == asked.query
    with pytest.raises(ZeroDivisionError), Bundle.open(copy, threads=1) as other:
        _ = 1 / 0
    assert other.graphs.closed


def _mapped(folder: Path) -> set[str]:
    """Files of a folder that this process has mapped, where the system tells."""
    maps = Path("/proc/self/maps")
    lines = maps.read_text("utf-8").splitlines() if maps.exists() else []
    return {line.split()[-1] for line in lines if str(folder) in line}


def test_onnxruntime_is_told_to_send_nothing() -> None:
    code = "import fuzzqe, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    for given, expected in ((None, "1"), ("", "1"), ("0", "0")):
        environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
        environment |= {} if given is None else {"ORT_DISABLE_TELEMETRY": given}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert run.stdout.strip() == expected


def test_answers_read_as_lines_and_as_a_table_of_a_notebook(demo: Bundle) -> None:
    answers = demo.answer("project(borders, Germany)", k=5, min_degree=0.5)
    first = answers[0]
    assert repr(answers).startswith(f"<{len(answers)} answers")
    assert f"  {first.degree:.3f}  {first.label} " in repr(answers)
    table = answers._repr_html_()
    assert table.count("<tr>") == 1 + len(answers) + len(answers.suggestions)
    assert f"<td>{first.label}</td>" in table
    by_embedding = demo.answer("project(borders, Germany)", k=3, mode="embedding")
    assert "<th>score</th>" in by_embedding._repr_html_()


def test_a_label_is_no_markup_of_a_notebook(demo: Bundle) -> None:
    hostile = replace(demo.answer("project(borders, Germany)", k=1)[0], label="<b>x</b>")
    shown = Answers("q", [hostile], [], SetsAnswer)._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b&gt;x&lt;/b&gt;" in shown

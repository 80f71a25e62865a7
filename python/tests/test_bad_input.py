from __future__ import annotations

import hashlib
import json
import pickle
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import BUNDLES
from test_golden import seal

from fuzzqe import And, Bundle, Entity, FuzzError, Or, Project, check_golden
from fuzzqe.__main__ import main
from fuzzqe.near_names import near_names
from fuzzqe.onnx_check import check_graph

Manifest = dict[str, Any]


def refused(run: Callable[[], object]) -> FuzzError:
    with pytest.raises(FuzzError) as caught:
        run()
    return caught.value


def edit(folder: Path, change: Callable[[Manifest], None]) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    change(manifest)
    seal(manifest, folder)


def test_a_folder_without_a_bundle_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    for path, what in ((tmp_path / "none", "there is none"), (file, "got a file"), (tmp_path, "manifest.json")):
        error = refused(partial(Bundle.open, path))
        assert (error.code, error.path) == ("bundle", str(path))
        assert what in error.message
        assert "fuzzqe export" in str(error.hint)


def test_a_repository_means_its_newest_version(folder: Path, tmp_path: Path) -> None:
    for version in ("2", "10"):
        (tmp_path / version).symlink_to(folder)
    (tmp_path / "11").mkdir()
    assert Bundle.open(tmp_path).path == tmp_path / "10"


@pytest.mark.parametrize(
    ("path", "content", "what"),
    [
        ("facts.bin", None, "facts.bin: expected a file, there is none"),
        ("facts.bin", b"", "facts.bin: cut off: expected [0-9]+ bytes, got 0"),
        ("vocabulary/entities.tsv", b"x" * 100_000, "entities.tsv: too long"),
        ("extra.txt", b"", "extra.txt: expected no such file"),
        ("models/fp32/extra", b"", "models/fp32/extra: expected no such file"),
    ],
)
def test_files_that_are_not_the_manifests_are_named(copy: Path, path: str, content: bytes | None, what: str) -> None:
    if content is None:
        (copy / path).unlink()
    else:
        (copy / path).write_bytes(content)
    error = refused(lambda: Bundle.open(copy))
    assert (error.code, error.path) == ("bundle", str(copy))
    assert re.search(what, error.message)


def test_links_as_a_volume_of_kubernetes_has_them_are_followed(folder: Path, tmp_path: Path) -> None:
    volume = tmp_path / "volume"
    shutil.copytree(folder, volume / "..2026_11_29")
    (volume / "..data").symlink_to("..2026_11_29")
    for entry in folder.iterdir():
        (volume / entry.name).symlink_to(Path("..data", entry.name))
    with Bundle.open(volume, threads=1) as bundle:
        assert len(bundle.answer("project(r0, e1)", mode="embedding")) == 10
    (volume / "..2026_11_29" / "models" / "extra").touch()
    assert "models/extra: expected no such file" in refused(lambda: Bundle.open(volume)).message


def test_a_link_to_a_folder_around_it_is_one_more_file(copy: Path) -> None:
    (copy / "models" / "around").symlink_to("..")
    assert "models/around: expected no such file" in refused(lambda: Bundle.open(copy)).message


def test_an_altered_byte_of_any_file_is_found(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    for path in ("README.md", "evidence.json", "rules.tsv", "models/fp32/rank.onnx", "models/fp32/golden.json"):
        assert path in manifest["files"]
        content = (copy / path).read_bytes()
        (copy / path).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert f"{path}: altered: expected sha256" in refused(lambda: Bundle.open(copy)).message
        (copy / path).write_bytes(content)
    text = (copy / "manifest.json").read_bytes()
    (copy / "manifest.json").write_bytes(text.replace(b'"licence": "CC0-1.0"', b'"licence": "CC0-1.1"'))
    assert "altered: expected sha256" in refused(lambda: Bundle.open(copy)).message


def test_a_file_that_changes_after_it_was_verified_is_refused(copy: Path) -> None:
    bundle = Bundle.open(copy, threads=1)
    graph = copy / "models/fp32/rank.onnx"
    graph.write_bytes(graph.read_bytes() + b"x" * 10_000)
    error = refused(lambda: bundle.answer("#0", mode="embedding"))
    assert (error.code, error.message) == ("bundle", "altered since the bundle was opened")


def test_weights_of_a_new_export_in_the_same_folder_are_refused(copy: Path) -> None:
    bundle = Bundle.open(copy, threads=1)
    # The graphs stay as they are; the other weights are of the same size.
    weights = copy / "models/fp32/weights.bin"
    content = weights.read_bytes()
    weights.unlink()
    weights.write_bytes(bytes(len(content)))
    error = refused(lambda: bundle.answer("project(r0, e1)", mode="embedding"))
    assert error.code == "bundle"
    assert "models/fp32/weights.bin: altered" in error.message
    weights.write_bytes(content)
    assert len(bundle.answer("project(r0, e1)", mode="embedding")) == 10


def test_an_error_that_quotes_half_a_character_can_be_written(bundle: Bundle) -> None:
    queries: list[Any] = ['"\ud800"', '"\\ud800"', "\udfff", {"and\udfff": []}, {"entity": "\ud800"}]
    for query in queries:
        (error,) = bundle.answer_each([query])
        assert isinstance(error, FuzzError)
        assert "\N{REPLACEMENT CHARACTER}" in str(error).encode().decode()
        pickle.loads(pickle.dumps(error))
    error = FuzzError("query", "\ud800", "\ud801", "\ud802")
    assert (error.message, error.path, error.hint) == ("\ufffd",) * 3


def test_the_terminal_gets_no_commands_from_names(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", str(copy), '"\x1b[2J\u009b2J"']) == 2
    output = capsys.readouterr().err
    assert "expected a key or label" in output
    assert "\x1b" not in output
    assert "\u009b" not in output


def test_files_of_other_profiles_are_nobodys_business(copy: Path) -> None:
    (copy / "models/int8/weights.bin").unlink()
    assert Bundle.open(copy, profile="fp16").profile == "fp16"
    assert "int8/weights.bin" in refused(lambda: Bundle.open(copy, profile="int8")).message


def _set(path: str, value: object) -> Callable[[Manifest], None]:
    def change(manifest: Manifest) -> None:
        *parents, last = path.split("/")
        target: Any = manifest
        for key in parents:
            target = target[int(key) if isinstance(target, list) else key]
        target[int(last) if isinstance(target, list) else last] = value

    return change


def _many_entities(manifest: Manifest) -> None:
    """As many as no file has names of, in all graphs as well."""
    text = json.dumps([manifest["model"], manifest["profiles"]]).replace(" 300", f" {10**9}")
    manifest["model"], manifest["profiles"] = json.loads(text)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_set("format", "other"), 'format: expected "fuzzqe-bundle", got "other"'),
        (_set("version", 5), "version: expected 6, got 5"),
        (_set("version", 7), "version: expected 6, got 7"),
        (_set("model/entities", 10**9), r"rank.inputs\[1\]: expected allowed float\[batch, 1000000000\]"),
        (_many_entities, "at least 4999999999"),
        (lambda manifest: manifest["profiles"]["fp32"]["rank"]["inputs"].pop(), 'expected k int.*, got "none"'),
        (_set("model/relations", 7), "an even number"),
        (_set("model/logic", "crisp"), "product or godel or lukasiewicz"),
        (_set("sets/projection/support", 2), r"a number in \[0, 1\]"),
        (_set("sets/projection/support", 10**400), r"a number in"),
        (_set("sets/projection/certainMembers", 0), r"an integer in \[1, 100000\]"),
        (_set("sets/likeness", 0), r"likeness: expected a number in \(0, 1\]"),
        (_set("sets/calibration", {}), r"sets.calibration: expected no such key"),
        (_set("profiles", {}), "at least one profile"),
        (_set("profiles/fp32/rank", {}), 'the key "weights"'),
        (_set("profiles/fp32/rank/inputs/2/dtype", "float"), r'rank.inputs\[2\]: expected k int\[1\], got "k float'),
        (
            _set("profiles/fp32/structures/2i/inputs/0/shape", ["batch", 3]),
            r"2i.inputs\[0\]: expected anchors int\[batch, 2\], got",
        ),
        (
            _set("profiles/fp32/links/outputs/0/name", "degree"),
            r"links.outputs\[0\]: expected scores float\[links, 300\], got",
        ),
        (_set("profiles/fp32/links/case", 6), r"links.case: expected none, got 6"),
        (_set("profiles/fp32/rank/case", 5), r"structures: expected none, as graphs are combined"),
        (_set("profiles/fp32/rank/weights", ["../weights.bin"]), "paths inside the bundle"),
        (_set("profiles/fp32/bytes", 1), r"fp32.bytes: expected [0-9]+, the sum of its files"),
        (_set("profiles/fp32/quality", {"reason": 3}), "a string, got 3"),
        (_set("profiles/fp32/tolerances/degree/relative", -1), r"a number in \[0, 1e\+308\]"),
        (
            _set("profiles/fp32/tolerances/degrees", {}),
            r'tolerances.degrees: expected no such key.*did you mean "degree"',
        ),
        (_set("modes", ["embedding"]), "no facts and no evidence without the mode sets"),
        (_set("modes", ["sets"]), '"embedding" among modes'),
        (_set("modes", ["embedding", "embedding"]), "among modes that differ"),
        (_set("mods", ["embedding"]), r'\$.mods: expected no such key, got "mods"; did you mean "modes"'),
        (_set("model/d", 16), r"\$.model.d: expected no such key"),
        (_set("data/edges", 3), "twice the facts of the bundle, got 3"),
        (_set("metrics", []), "an object, got"),
        (
            _set("sets/fitted", {"links": -1, "candidates": 1, "found": 1, "knownShare": 1}),
            r"links: expected an integer in",
        ),
        (
            _set("sets/fitted", {"links": 1, "candidates": 1, "found": 1, "knownShare": 0}),
            r"knownShare: expected a number in \(0, 1\]",
        ),
        (_set("sets/reliability", {"links": {}, "answers": None}), 'the key "count"'),
        (_set("model/dimension", float("nan")), "expected JSON, got NaN"),
        (_set("profiles/fp32/golden", "../golden.json"), r"golden: expected a path inside the bundle"),
        (_set("files/..", {"bytes": 0, "sha256": "0" * 64}), "paths inside the bundle"),
        (_set("files/facts.bin", {"bytes": 13, "sha256": "0" * 64}), "12 for each fact"),
        (lambda manifest: manifest.pop("sets"), 'the key "sets"'),
    ],
)
def test_a_manifest_that_breaks_the_format_is_refused(
    copy: Path, change: Callable[[Manifest], None], what: str
) -> None:
    edit(copy, change)
    error = refused(lambda: Bundle.open(copy))
    assert error.code == "bundle"
    assert re.search(what, error.message), error.message


def test_evidence_that_was_fitted_and_judged_is_read(copy: Path) -> None:
    reliability = {"count": 3, "found": 1, "ece": 0.1, "bins": [{"count": 3, "stated": 0.4, "found": 1 / 3}]}
    edit(copy, _set("sets/fitted", {"links": 9, "candidates": 90, "found": 5, "knownShare": 0.5}))
    assert not Bundle.open(copy).warnings
    edit(copy, _set("sets/reliability", {"links": reliability, "answers": None}))
    edit(copy, _set("sets/reliability", {"links": reliability, "answers": reliability}))
    assert Bundle.open(copy).manifest.sets.fitted


def _rewrite(copy: Path, path: str, change: Callable[[str], str]) -> None:
    """Changes a text file of a bundle, and its digest in the manifest."""
    text = (copy / path).read_text("utf-8")
    content = change(text).encode()
    assert content != text.encode()
    (copy / path).write_bytes(content)
    entry = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    edit(copy, lambda manifest: manifest["files"].update({path: entry}))


def _json(change: Callable[[Manifest], None]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        value = json.loads(text)
        change(value)
        return json.dumps(value)

    return changed


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda text: text[:-9], "expected JSON"),
        (lambda _: "[]", "expected an object"),
        (_json(_set("format", "other")), "expected fuzzqe-evidence"),
        (_json(_set("version", 2)), r"an integer in \[1, 1\]"),
        (_json(_set("temperature", 0)), r"temperature: expected a number in \(0,"),
        (_json(_set("typeRelations", [6])), r"typeRelations: expected relations in \[0, 6\)"),
        (_json(lambda value: value["features"].reverse()), "features: expected constant, share"),
        (_json(lambda value: value["weights"].pop()), "weights of 6 relations"),
        (_json(lambda value: value["weights"][3].pop()), r"weights\[3\]: expected 12 finite numbers"),
        (_json(_set("weights/0/0", True)), r"weights\[0\]: expected 12 finite numbers"),
        (_json(_set("weights/0/0", float("nan"))), r"weights\[0\]: expected 12 finite numbers"),
        (_json(_set("tau", 1)), "tau: expected no such key"),
    ],
)
def test_evidence_that_is_damaged_or_of_another_graph_is_refused(
    copy: Path, change: Callable[[str], str], what: str
) -> None:
    _rewrite(copy, "evidence.json", change)
    error = refused(lambda: Bundle.open(copy))
    assert (error.code, str(error.path)) == ("bundle", "evidence.json")
    assert re.search(what, error.message), error.message


def _lines(change: Callable[[list[str]], None]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        lines = text.split("\n")
        change(lines)
        return "\n".join(lines)

    return changed


@pytest.mark.parametrize(
    ("change", "line", "what"),
    [
        (lambda text: text[:-1], 0, "expected a line feed"),
        (lambda _: "", 1, "expected a line feed"),
        (lambda text: text.replace("fuzzqe-rules", "rules", 1), 1, "the first line of a file of rules"),
        (lambda text: text.replace("fuzzqe-rules\t1", "fuzzqe-rules\t2", 1), 1, "the first line"),
        (lambda text: text.replace("\t300\t", "\t301\t", 1), 1, "of another graph: expected 300 entities"),
        (lambda text: text.replace("\t-\n", f"\t{'0' * 64}\n", 1), 1, "of other facts: expected facts with SHA-256"),
        (_lines(lambda lines: lines.insert(2, lines[1])), 3, "each rule once"),
        (_lines(lambda lines: lines.insert(1, "")), 2, "expected relation, hits, predictions"),
        (_lines(lambda lines: lines.insert(1, "0\t1\t2\tpath 1 2 3 4")), 2, "expected relation, hits, predictions"),
        (_lines(lambda lines: lines.insert(1, "0\t01\t2\tpath 1")), 2, "expected relation, hits, predictions"),
        (_lines(lambda lines: lines.insert(1, "0\t1\t2\tconstant 1 2")), 2, "expected relation, hits, predictions"),
        (_lines(lambda lines: lines.insert(1, "6\t1\t2\tpath 1 1 1")), 2, r"relations in \[0, 6\)"),
        (_lines(lambda lines: lines.insert(1, "0\t1\t2\tpath 6")), 2, r"relations in \[0, 6\)"),
        (_lines(lambda lines: lines.insert(1, "0\t1\t2\tconstant 300 0 0")), 2, r"entities in \[0, 300\)"),
        (_lines(lambda lines: lines.insert(1, "0\t3\t2\tpath 1 1 1")), 2, "1 ≤ hits ≤ predictions"),
        (_lines(lambda lines: lines.insert(1, "0\t0\t2\tpath 1 1 1")), 2, "1 ≤ hits ≤ predictions"),
    ],
)
def test_rules_that_are_damaged_or_of_another_graph_are_refused(
    copy: Path, change: Callable[[str], str], line: int, what: str
) -> None:
    _rewrite(copy, "rules.tsv", change)
    error = refused(lambda: Bundle.open(copy))
    assert error.code == "bundle"
    assert str(error.path).startswith(f"rules.tsv:{line or ''}")
    assert re.search(what, error.message), error.message


def test_rules_of_these_facts_are_read(copy: Path) -> None:
    digest = json.loads((copy / "manifest.json").read_text("utf-8"))["files"]["facts.bin"]["sha256"]
    _rewrite(copy, "rules.tsv", lambda text: text.replace("\t-\n", f"\t{digest}\n", 1))
    assert Bundle.open(copy).profile == "fp32"


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"{", b"[" * 100_000, b'{"format": "fuzzqe-bundle"}'])
def test_a_manifest_that_is_none_is_refused(copy: Path, content: bytes) -> None:
    (copy / "manifest.json").write_bytes(content)
    assert refused(lambda: Bundle.open(copy)).code == "bundle"


def test_files_in_parts_are_refused_with_what_to_do(copy: Path) -> None:
    half = {"bytes": 1, "sha256": "0" * 64}

    def change(manifest: Manifest, sizes: tuple[int, ...]) -> None:
        paths = [f"models/fp32/weights.{place}.bin" for place in range(len(sizes))]
        parts = [{"path": path, **half, "bytes": size} for path, size in zip(paths, sizes, strict=True)]
        manifest["files"]["models/fp32/weights.bin"]["parts"] = parts

    size = (copy / "models/fp32/weights.bin").stat().st_size
    for sizes, what in (
        ((size - 1, 1), "fuzzqe export --target node"),
        ((size, 1), f"{size} bytes in all, got {size + 1}"),
        ((size,), "two or more"),
    ):
        edit(copy, partial(change, sizes=sizes))
        assert what in refused(lambda: Bundle.open(copy)).message


def test_what_needs_the_facts_is_refused_where_they_are_not_there(tmp_path: Path) -> None:
    copy = shutil.copytree(next(path for path in BUNDLES if path.name == "workers"), tmp_path / "bundle")
    negation = "not(project(r0, e1))"
    with_facts = Bundle.open(copy, threads=1).answer(negation, mode="embedding")
    assert any(answer.known for answer in with_facts)

    def change(manifest: Manifest) -> None:
        manifest["modes"] = ["embedding"]
        for path in ("facts.bin", "evidence.json", "rules.tsv"):
            manifest["files"].pop(path)

    edit(copy, change)
    assert "facts.bin: expected no such file" in refused(lambda: Bundle.open(copy)).message
    for path in ("facts.bin", "evidence.json", "rules.tsv"):
        (copy / path).unlink()
    bundle = Bundle.open(copy, threads=1)
    answers = bundle.answer(negation, mode="embedding")
    assert [(answer.id, answer.score) for answer in answers] == [(answer.id, answer.score) for answer in with_facts]
    assert not any(answer.known for answer in answers)
    assert answers.warnings[1:] == bundle.warnings
    assert bundle.warnings[0].startswith("embedding-only: ")
    assert check_golden(bundle).degree == 0
    assert refused(lambda: bundle.with_facts(added=[("e0", "r0", "e1")])).code == "usage"
    runs: list[Callable[[], object]] = [
        lambda: bundle.answer("e0"),
        lambda: bundle.answer("e0", mode="embedding", exclude="known"),
        lambda: bundle.degrees(["e0"]),
        lambda: bundle.links([("e0", "r0", "e1")]),
        lambda: bundle.explain("e0"),
    ]
    for run in runs:
        error = refused(run)
        assert error.code == "usage"
        assert "facts" in error.message


def test_a_graph_with_another_operator_or_of_another_model_never_runs(bundle: Bundle, folder: Path) -> None:
    graph = bundle.manifest.profile("fp32").graphs["1p"]
    content = (folder / graph.path).read_bytes()
    check_graph(content, graph, bundle.manifest, "fp32")
    # A name of the same length, so that the message stays one.
    foreign = content.replace(b"Sqrt", b"Loop")
    assert "the operator 'Loop'" in refused(lambda: check_graph(foreign, graph, bundle.manifest, "fp32")).message
    other = content.replace(b"weights.bin", b"secrets.bin")
    assert "secrets.bin" in refused(lambda: check_graph(other, graph, bundle.manifest, "fp32")).message
    assert "fuzzqe.profile" in refused(lambda: check_graph(content, graph, bundle.manifest, "int8")).message
    for end in range(0, len(content), 37):
        error = refused(partial(check_graph, content[:end], graph, bundle.manifest, "fp32"))
        assert error.code == "bundle"


def test_profiles_and_threads_that_are_none_are_refused(folder: Path) -> None:
    error = refused(lambda: Bundle.open(folder, profile="fp3"))
    assert str(error).startswith('profile: expected one of fp32, fp16, int8, int8-basis, got "fp3"')
    assert 'did you mean "fp32"' in str(error.hint)
    bad: list[Any] = [0, -1, True, 1.5]
    for threads in bad:
        assert refused(partial(Bundle.open, folder, threads=threads)).code == "usage"


@pytest.mark.parametrize(
    ("options", "code", "what"),
    [
        ({"k": 0}, "range", r"k: expected an integer in \[1, 300\], got 0"),
        ({"k": 301}, "range", "got 301"),
        ({"k": 1.5}, "range", "got 1.5"),
        ({"mode": "crisp"}, "usage", 'mode: expected sets or embedding, got "crisp"'),
        ({"exclude": "all"}, "usage", "exclude: expected none or known"),
        ({"min_degree": 2}, "range", r"min_degree: expected a number in \[0, 1\]"),
        ({"mode": "embedding", "min_degree": 0.5}, "usage", "none in mode embedding"),
        ({"suggestions": 1}, "usage", "suggestions: expected True or False, got 1"),
        ({"mode": "embedding", "suggestions": True}, "usage", "none in mode embedding"),
        ({"top": 3}, "usage", 'option: expected one of mode, k, exclude, min_degree, suggestions, at, got "top"'),
    ],
)
def test_options_that_are_none_are_refused(bundle: Bundle, options: Any, code: str, what: str) -> None:
    error = refused(lambda: bundle.answer("#0", **options))
    assert error.code == code
    assert re.search(what, error.message)


def test_answers_by_the_embedding_rest_on_no_links(bundle: Bundle) -> None:
    options: Any = {"mode": "embedding"}
    error = refused(lambda: bundle.explain("#0", **options))
    assert (error.code, error.message) == ("usage", 'mode: expected sets, got "embedding"')


def test_errors_name_the_query_and_survive_a_process(bundle: Bundle) -> None:
    error = refused(lambda: bundle.answer_many(["e0", "project(r0, e9999)"]))
    assert str(error) == (
        f'queries[1], line 1, column 13: entity: expected a key or label of the graph, got "e9999"\n  {error.hint}'
    )
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.code, copy.path) == (str(error), error.code, error.path)
    results = bundle.answer_each(["e0", "and(e1)", "e2", {"not": 3}])
    assert [isinstance(result, FuzzError) for result in results] == [False, True, False, True]


def test_one_query_is_not_many(bundle: Bundle) -> None:
    queries: list[Any] = ["project(r0, e1)", {"entity": "e1"}, bundle.read("project(r0, e1)")]
    for query in queries:
        for method in (bundle.answer_many, bundle.answer_each, bundle.embed, bundle.degrees):
            error = refused(partial(method, query))
            assert error.code == "query"
            assert error.message.startswith("query: expected a list of queries, got ")
    assert len(bundle.answer_many(("project(r0, e1)", "e2"))) == 2


def test_names_and_paths_of_another_kind_are_refused(bundle: Bundle) -> None:
    others: list[Any] = [3, None, ["e0"]]
    for other in others:
        assert refused(partial(bundle.vocabulary.entity, other)).message.startswith("entity: expected a key or label")
        assert refused(partial(bundle.vocabulary.relation, other)).message.startswith("relation: expected a key or")
        assert refused(partial(Bundle.open, other)).message.startswith("bundle: expected the path of a folder, got ")


def test_degrees_are_bounds_of_degrees(bundle: Bundle) -> None:
    degrees = bundle.degrees(["project(r0, e1)"])[0]
    answers = bundle.answer("project(r0, e1)", min_degree=degrees.max())
    assert len(answers) == np.count_nonzero(degrees == degrees.max())


def test_triples_that_are_none_are_refused(bundle: Bundle) -> None:
    bad: list[Any] = [("e0", "r0"), "e0 r0 e1", ("e0", "r9", "e1"), ("e0", 6, "e1"), (0, 0, -1), (0, 0, True)]
    for triple in bad:
        error = refused(partial(bundle.links, [(0, 0, 0), triple]))
        assert str(error.path).startswith("triples[1]")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Frnace", ["France"]),
        ("germany", ["Germany"]),
        ("united kingdom", ["United_Kingdom"]),
        ("Congo", ["DR Congo"]),
        ("Grmeany", ["Germany"]),
        ("xyzzy", []),
        ("", []),
    ],
)
def test_near_names_are_offered(name: str, near: list[str]) -> None:
    names = ["France", "Germany", "United_Kingdom", "DR Congo", "Spain", "", "São Tomé"]
    assert near_names(name, names)[: len(near)] == near
    assert bool(near_names(name, names)) == bool(near)


@pytest.mark.parametrize(
    "query",
    [
        {"entity": float("inf")},
        {"entity": float("nan")},
        {"entity": 10**5000},
        '{"entity": 1e999}',
        (float("nan"), (0,)),
        (0, (float("inf"),)),
        (0, (float("nan"),)),
        (0, (10**5000,)),
        Entity(10**5000),
        Entity(float("inf")),  # type: ignore[arg-type]
        Entity(np.zeros(3)),  # type: ignore[arg-type]
        Project(np.zeros((2, 2)), Entity(0)),  # type: ignore[arg-type]
        And([Entity(0), Entity(1)]),  # type: ignore[arg-type]
        Or(5),  # type: ignore[arg-type]
        {10**5000: 1},
        np.zeros(3),
        None,
        "x" * 2**21,
        f'"{"x" * 10_000}"',
    ],
)
def test_every_value_that_is_no_query_gets_the_one_error(bundle: Bundle, query: Any) -> None:
    (error,) = bundle.answer_each([query])
    assert isinstance(error, FuzzError)
    assert len(str(error)) < 5000


def test_a_table_of_unknown_names_is_offered_near_ones_for_the_first(bundle: Bundle) -> None:
    errors = bundle.answer_each([f"project(r0, e{i}x)" for i in range(40)])
    offered = ["did you mean" in str(error) for error in errors]
    assert offered == [True] * 16 + [False] * 24
    assert "Ask this query alone" in str(errors[-1])


def test_near_names_among_many_are_those_of_a_block_each() -> None:
    names = [f"entity number {i}" for i in range(9000)]
    assert near_names("entity nmuber 8765", names)[0] == "entity number 8765"
    assert near_names("entity number 8765", [*names[:10], "entity"] * 50_000) == []


def _golden(copy: Path, change: Callable[[Any], None]) -> Bundle:
    path = "models/fp32/golden.json"
    golden = json.loads((copy / path).read_text("utf-8"))
    change(golden)
    content = json.dumps(golden).encode() if golden else b"{"

    def seal_it(manifest: Manifest) -> None:
        entry = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        profile = manifest["profiles"]["fp32"]
        profile["bytes"] += len(content) - manifest["files"][path]["bytes"]
        manifest["files"][path] = entry

    (copy / path).write_bytes(content)
    edit(copy, seal_it)
    return Bundle.open(copy, threads=1)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda golden: golden.clear(), "expected JSON"),
        (lambda golden: golden.update(cases=[]), "a case of each structure, got"),
        (lambda golden: golden.update(cases=golden["cases"][2:]), "none of 1p"),
        (
            lambda golden: [case.update(sets=None) for case in golden["cases"] if case["structure"] == "2in"],
            "a case with a fuzzy set of each structure, got .*none of 2in",
        ),
        (lambda golden: golden["cases"][0].update(anchors=[]), r"1 integers in \[0, 300\)"),
        (lambda golden: golden["cases"][0].update(anchors=[300]), r"1 integers in \[0, 300\)"),
        (lambda golden: golden["cases"][0].update(scores=[]), "10 finite numbers"),
        (lambda golden: golden["cases"][0].update(embedding=["x"] * 16), "16 finite numbers"),
        (lambda golden: golden["cases"][0]["sets"].update(degrees=[]), "10 finite numbers"),
    ],
)
def test_golden_cases_that_are_damaged_pass_no_check(copy: Path, change: Callable[[Any], None], what: str) -> None:
    bundle = _golden(copy, change)
    error = refused(lambda: check_golden(bundle))
    assert error.code == "bundle"
    assert re.search(what, error.message), error.message

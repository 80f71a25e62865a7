"""Queries that Spark samples beside those of Node: FUZZQE_NODE_QUERIES is the folder that node-queries.mjs wrote."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from fuzzqe import FuzzError, from_kgreasoning
from fuzzqe.spark import sample_queries
from fuzzqe.spark.block_draw import DrawnBlock
from fuzzqe.spark.exact_answers import Answerer
from fuzzqe.spark.graph_arrays import GraphArrays
from fuzzqe.spark.query_files import count_names, read_facts
from fuzzqe.spark.random_stream import RandomStream
from fuzzqe.spark.structure_search import StructureSearch
from fuzzqe.structures import match_structure
from pyspark.sql import SparkSession
from sample_queries import main

NODE = Path(os.environ["FUZZQE_NODE_QUERIES"])


def without_queries(name: str, to: Path) -> Path:
    return Path(shutil.copytree(NODE / name, to / name, ignore=shutil.ignore_patterns("queries")))


def queries_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "queries").iterdir()}


def graph_of(name: str) -> GraphArrays:
    folder = NODE / name
    entities, relations = count_names(folder / "entities.tsv"), 2 * count_names(folder / "relations.tsv")
    return GraphArrays.of_triples(read_facts(folder, "train", entities, relations), entities, relations)


@pytest.mark.usefixtures("spark")
def test_a_job_writes_the_files_of_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = without_queries("countries", tmp_path)
    sizes = ["--train", "30", "--train-negation", "10", "--valid", "3", "--test", "6"]
    monkeypatch.setattr(sys, "argv", ["sample_queries.py", "--data", str(folder), *sizes])
    # The session is that of the other tests.
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)
    main()
    assert queries_of(folder) == queries_of(NODE / "countries")
    output = capsys.readouterr().out.splitlines()
    assert output[-4:] == ["296 of 296 queries", "train: 170 queries", "valid: 42 queries", "test: 84 queries"]


def test_added_rules_and_listed_links_give_the_files_of_node(spark: SparkSession, tmp_path: Path) -> None:
    rules = {"every_1p": True, "skip_mirrored": True, "skip_idle_negation": True, "max_answers": 20}
    folder = without_queries("ruled", tmp_path)
    sample_queries(spark, folder, seed=7, train=20, valid=0, test=3, **rules)
    expected = queries_of(NODE / "ruled")
    assert queries_of(folder) == expected
    # Another seed draws other queries.
    sample_queries(spark, folder, seed=8, train=20, valid=0, test=0, **rules, replace=True)
    other = queries_of(folder)
    assert other["train.jsonl"] != expected["train.jsonl"]
    assert other["test.jsonl"] == expected["test.jsonl"]


def test_structures_that_run_out_of_patience_end_as_in_node(spark: SparkSession, tmp_path: Path) -> None:
    folder = without_queries("small", tmp_path)
    sampled = sample_queries(spark, folder, seed=3, train=40, valid=0, test=2)
    assert queries_of(folder) == queries_of(NODE / "small")
    assert 0 < sampled.counts["train"]["3in"] < 40
    assert sampled.counts["test"]["3in"] == 0
    assert "no 2in, no 3in" in str(sampled)


@pytest.mark.parametrize("name", ["countries", "small"])
def test_answers_look_at_as_many_edges_as_in_node(name: str) -> None:
    answerer = Answerer(graph_of(name))
    counts = []
    for line in (NODE / name / "queries/train.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        match = match_structure(from_kgreasoning(row["query"]))
        assert match is not None
        before = answerer.edges
        assert answerer.find(match.structure.tree, match.anchors, match.relations).ids.tolist() == row["easy"]
        counts.append(answerer.edges - before)
    assert counts == json.loads((NODE / name / "edges.json").read_text("utf-8"))
    assert len(set(counts)) > 10


def test_a_structure_ends_after_as_many_idle_edges_or_draws_as_in_node() -> None:
    def search(*blocks: DrawnBlock) -> StructureSearch:
        found = StructureSearch("2i", 9, RandomStream("queries", 1).fork("train", "2i"), lists=False)
        for block in blocks:
            assert not found.done
            found.take(block, 12)
        return found

    most, new = 10**9 - 1, DrawnBlock(5, [3], ["(1,2&3,4)"], ["{}\n"])
    assert not search(DrawnBlock(most)).done
    assert search(DrawnBlock(most), DrawnBlock(1)).done
    # What is new begins the count anew.
    assert not search(DrawnBlock(most), new, DrawnBlock(most)).done
    # Blocks of 32 to 1024 draws: the 24th goes beyond draw 20 000.
    assert not search(*[DrawnBlock()] * 23).done
    assert search(*[DrawnBlock()] * 24).done
    assert not search(*[DrawnBlock()] * 23, new).done


def test_wrong_numbers_and_folders_are_refused_and_nothing_is_written(spark: SparkSession, tmp_path: Path) -> None:
    folder = without_queries("small", tmp_path)
    with pytest.raises(FuzzError, match="test: expected a whole number from 0 on, got -1"):
        sample_queries(spark, folder, test=-1)
    with pytest.raises(FuzzError, match="nothing to sample"):
        sample_queries(spark, folder, train=0, valid=0, test=0)
    with pytest.raises(FuzzError, match="holds out no valid facts"):
        sample_queries(spark, folder, train=5, valid=5, test=0)
    with pytest.raises(FuzzError, match="names: cannot be read"):
        sample_queries(spark, tmp_path / "nowhere")
    # One fact gives no conjunction.
    (folder / "train.tsv").write_text("0\t0\t1\n")
    with pytest.raises(FuzzError, match="no train query of any structure"):
        sample_queries(spark, folder, train=1, train_negation=0, valid=0, test=0)
    for text, expected in [("0\t0\n", "lines of three ids"), ("0\t0\t1\n0\t0\t12\n", "line 2: expected entities in")]:
        (folder / "train.tsv").write_text(text)
        with pytest.raises(FuzzError, match=expected):
            sample_queries(spark, folder, train=1, valid=0, test=0)
    assert not (folder / "queries").exists()
    there = Path(shutil.copytree(NODE / "small", tmp_path / "there"))
    with pytest.raises(FuzzError, match="has train queries already"):
        sample_queries(spark, there, train=1, valid=0, test=0)
    assert queries_of(there) == queries_of(NODE / "small")

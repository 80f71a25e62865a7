"""The example on real Spark beside Node's answers: FUZZQE_BUNDLE and FUZZQE_NODE_ANSWERS name the bundle and them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from answer_queries import answer_queries
from fuzzqe import FuzzError
from pyspark.sql import SparkSession

BUNDLE = Path(os.environ["FUZZQE_BUNDLE"])
NODE: Any = json.loads(Path(os.environ["FUZZQE_NODE_ANSWERS"]).read_text("utf-8"))


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    master = os.environ.get("FUZZQE_SPARK_MASTER", "local[2]")
    builder = SparkSession.builder.master(master).appName("fuzzqe").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    yield session
    session.stop()


def expected(cases: list[Any], mode: str) -> list[tuple[str, int, str, float]]:
    rows = []
    for i, case in enumerate(cases):
        for run in case["runs"]:
            if (run["mode"], run["exclude"]) == (mode, "known") and run.get("minDegree", 0) == 0:
                rows += [(str(i), place, each["key"], each["value"]) for place, each in enumerate(run["answers"], 1)]
    return rows


@pytest.mark.parametrize(("mode", "local"), [("sets", False), ("embedding", True)])
def test_a_table_has_nodes_answers_and_bad_rows_an_error(spark: SparkSession, mode: str, local: bool) -> None:
    profile = next(iter(NODE["profiles"]))
    least = {"min_degree": 0} if mode == "sets" else {}
    cases = [case for case in NODE["profiles"][profile] if any(run["mode"] == mode for run in case["runs"])]
    # Text and JSON by turns.
    rows = [(str(i), case["text"] if i % 2 else json.dumps(case["json"])) for i, case in enumerate(cases)]
    bad = [("unknown", 'project(borders, "no such entity")'), ("broken", "and("), ("empty", None)]
    # Half a pair of surrogates, which Arrow could not write.
    bad += [("half", '"\\ud800"')]
    queries = spark.createDataFrame(rows + bad, "id string, query string").repartition(4)
    answers = answer_queries(queries, BUNDLE, local=local, mode=mode, exclude="known", k=NODE["k"], **least).toPandas()

    errors = answers[answers["error"].notna()].set_index("id")["error"].to_dict()
    assert set(errors) == {"unknown", "broken", "empty", "half"}
    assert "expected a key or label of the graph" in errors["unknown"]
    found = answers[answers["error"].isna()].sort_values(["id", "place"])
    wanted = pd.DataFrame(expected(cases, mode), columns=["id", "place", "entity", "value"])
    wanted = wanted.sort_values(["id", "place"])
    assert found[["id", "place"]].to_numpy().tolist() == wanted[["id", "place"]].to_numpy().tolist()
    assert found["value"].tolist() == pytest.approx(wanted["value"].tolist(), rel=2e-4, abs=1e-6)
    # Others may stand only where values tie within rounding.
    same = (found["entity"].to_numpy() == wanted["entity"].to_numpy()).mean()
    assert same > 0.98
    assert set(found["state"]) <= {"predicted", "partly"}


def test_a_job_stays_with_the_version_that_was_opened(spark: SparkSession, tmp_path: Path) -> None:
    queries = spark.createDataFrame([("1", "#0")], "id string, query string")
    shutil.copytree(BUNDLE, tmp_path / "1")
    answers = answer_queries(queries, tmp_path, local=True)
    # A newer version that is none: a worker that looked for the newest would fail on it.
    (tmp_path / "2").mkdir()
    (tmp_path / "2" / "manifest.json").write_text("{}")
    assert answers.filter("error is null").count() == 1
    (tmp_path / "2" / "manifest.json").unlink()
    # A new export in the same place: another manifest, with its own digest.
    (tmp_path / "1" / "manifest.json").write_bytes(resealed(tmp_path / "1" / "manifest.json"))
    with pytest.raises(Exception, match="expected the bundle with the sha256"):
        answers.count()
    # What is sent is what is there now.
    assert answer_queries(queries, tmp_path).filter("error is null").count() == 1


def resealed(manifest: Path) -> bytes:
    """A manifest with a longer name of its data, and its own digest."""
    fields = json.loads(manifest.read_text("utf-8"))
    fields["data"]["name"] += " again"
    content = json.dumps({**fields, "sha256": "0" * 64}).encode()
    return content.replace(b"0" * 64, hashlib.sha256(content).hexdigest().encode(), 1)


def test_each_worker_opens_the_bundle_once(spark: SparkSession) -> None:
    def opened(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        from fuzzqe import bundle

        for batch in batches:
            bundle.Bundle.cached(path, threads=1)
            yield pd.DataFrame({"process": [os.getpid()] * len(batch), "bundles": [len(bundle._opened)] * len(batch)})

    path = str(BUNDLE)
    counts = spark.range(64, numPartitions=16).mapInPandas(opened, "process long, bundles long").toPandas()
    # Sixteen tasks on two workers, which may have opened the copy that was sent as well.
    assert counts["process"].nunique() < 16
    assert counts["bundles"].max() <= 2


def test_a_damaged_bundle_and_wrong_options_end_the_job_before_it_begins(spark: SparkSession, tmp_path: Path) -> None:
    queries = spark.createDataFrame([("1", "#0")], "id string, query string")
    with pytest.raises(FuzzError, match="k: expected an integer"):
        answer_queries(queries, BUNDLE, k=0)
    copy = Path(shutil.copytree(BUNDLE, tmp_path / "bundle"))
    (copy / "facts.bin").write_bytes(b"")
    with pytest.raises(FuzzError, match=r"facts.bin: cut off"):
        answer_queries(queries, copy)

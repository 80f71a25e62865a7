"""The example on real Ray Data beside Node's answers: FUZZQE_BUNDLE and FUZZQE_NODE_ANSWERS name both."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import ray
from answer_queries import AnswerQueries, answer_queries
from fuzzqe import FuzzError

BUNDLE = Path(os.environ["FUZZQE_BUNDLE"])
NODE: Any = json.loads(Path(os.environ["FUZZQE_NODE_ANSWERS"]).read_text("utf-8"))


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    # Two cores for the actors and two for what reads: a pool that has all would wait for itself.
    here = str(Path(__file__).parent)
    ray.init(num_cpus=4, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": here}}, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.parametrize("mode", ["sets", "embedding"])
def test_a_table_has_nodes_answers_and_bad_rows_an_error(mode: str) -> None:
    profile = next(iter(NODE["profiles"]))
    least = {"min_degree": 0} if mode == "sets" else {}
    cases = [case for case in NODE["profiles"][profile] if any(run["mode"] == mode for run in case["runs"])]
    # Text and JSON by turns.
    rows = [(str(i), case["text"] if i % 2 else json.dumps(case["json"])) for i, case in enumerate(cases)]
    rows += [("unknown", 'project(borders, "no such entity")'), ("broken", "and("), ("half", '"\\ud800"')]
    queries = ray.data.from_items([{"id": name, "query": query} for name, query in rows]).repartition(4)
    answers = answer_queries(queries, BUNDLE, batch=8, mode=mode, exclude="known", k=NODE["k"], **least).to_pandas()

    errors = answers[answers["error"].notna()].set_index("id")["error"].to_dict()
    assert set(errors) == {"unknown", "broken", "half"}
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


def expected(cases: list[Any], mode: str) -> list[tuple[str, int, str, float]]:
    rows = []
    for i, case in enumerate(cases):
        for run in case["runs"]:
            if (run["mode"], run["exclude"]) == (mode, "known") and run.get("minDegree", 0) == 0:
                rows += [(str(i), place, each["key"], each["value"]) for place, each in enumerate(run["answers"], 1)]
    return rows


def test_an_actor_stays_with_the_bundle_that_the_driver_opened() -> None:
    with pytest.raises(FuzzError, match="expected the bundle with the sha256 000"):
        AnswerQueries(str(BUNDLE), "0" * 64, {})


def test_a_damaged_bundle_and_wrong_options_end_the_job_before_it_begins(tmp_path: Path) -> None:
    queries = ray.data.from_items([{"id": "1", "query": "#0"}])
    with pytest.raises(FuzzError, match="k: expected an integer"):
        answer_queries(queries, BUNDLE, k=0)
    copy = Path(shutil.copytree(BUNDLE, tmp_path / "bundle"))
    (copy / "facts.bin").write_bytes(b"")
    with pytest.raises(FuzzError, match=r"facts.bin: cut off"):
        answer_queries(queries, copy)

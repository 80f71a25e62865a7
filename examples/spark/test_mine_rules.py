"""Rules that Spark mines beside those of Node: FUZZQE_NODE_RULES is the folder that node-rules.mjs wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SMALL
from fuzzqe import FuzzError
from fuzzqe.spark import SparkGraph, mine_rules
from pyspark.sql import SparkSession

NODE = Path(os.environ["FUZZQE_NODE_RULES"])
ROUNDS = int(os.environ["FUZZQE_NODE_ROUNDS"])


def test_a_job_writes_the_file_of_node(tmp_path: Path) -> None:
    options = [word for name, value in SMALL.items() for word in ("--conf", f"{name}={value}")]
    arguments = ["--data", str(NODE / "countries"), "--out", str(tmp_path / "rules.tsv"), "--rounds", str(ROUNDS)]
    program = str(Path(__file__).with_name("mine_rules.py"))
    environment = {
        **os.environ,
        "PYSPARK_SUBMIT_ARGS": " ".join(["--master", "local[2]", *(f"'{word}'" for word in options), "pyspark-shell"]),
    }
    subprocess.run([sys.executable, program, *arguments], env=environment, check=True)
    assert (tmp_path / "rules.tsv").read_bytes() == (NODE / "countries/rules.tsv").read_bytes()


def test_hubs_and_another_seed_give_the_rules_of_node(spark: SparkSession) -> None:
    expected, fewer = ((NODE / name / "rules.tsv").read_text("utf-8") for name in ("hubs", "fewer"))
    rows = [tuple(map(int, line.split("\t"))) for line in (NODE / "hubs/train.tsv").read_text("utf-8").splitlines()]
    # In another order, and with a fact that is given twice.
    table = spark.createDataFrame([*reversed(rows), rows[0]], "head int, relation int, tail int").repartition(3)
    graph = SparkGraph(table, 150, 8)
    assert graph.fact_count == len(rows)
    mined = mine_rules(graph, rounds=1, seed=("other", 7)).text()
    assert len(mined.splitlines()) > 500
    assert mined == expected
    # One fact makes a difference.
    assert mined != fewer


def test_wrong_facts_and_rounds_are_refused(spark: SparkSession) -> None:
    def graph(*facts: tuple[int, int, int]) -> SparkGraph:
        return SparkGraph(spark.createDataFrame(list(facts), "head int, relation int, tail int"), 3, 2)

    for fact in [(0, 0, 3), (0, 1, 2), (-1, 0, 2), (0, 2, 1)]:
        with pytest.raises(FuzzError, match="expected entities in"):
            graph(fact)
    with pytest.raises(FuzzError, match="expected a fact or more"):
        graph()
    with pytest.raises(FuzzError, match="rounds: expected a whole number"):
        mine_rules(graph((0, 0, 1)), rounds=7)

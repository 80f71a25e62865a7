"""Data sets that Spark writes beside those of Node: FUZZQE_NODE_DATASETS is the folder that node-datasets.mjs wrote."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fuzzqe import FuzzError
from fuzzqe.spark import write_dataset
from pyspark.sql import DataFrame, SparkSession

NODE = Path(os.environ["FUZZQE_NODE_DATASETS"])


def table(spark: SparkSession, name: str) -> DataFrame:
    """The triples in another order, in three partitions, and one of them twice."""
    text = (NODE / "triples" / f"{name}.tsv").read_text("utf-8")
    rows = [tuple(line.split("\t")) for line in text.removesuffix("\n").split("\n")]
    return spark.createDataFrame([*reversed(rows), rows[0]], "head string, relation string, tail string").repartition(3)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_folder_of_countries_is_that_of_node(spark: SparkSession, tmp_path: Path) -> None:
    countries = table(spark, "countries")
    written = write_dataset(countries, tmp_path / "countries", name="countries", seed=7)
    expected = bytes_of(NODE / "countries")
    assert bytes_of(tmp_path / "countries") == expected
    assert set(expected) == {"dataset.json", "entities.tsv", "relations.tsv", "train.tsv", "valid.tsv", "test.tsv"}
    assert written.test == expected["test.tsv"].count(b"\n") > 50
    # Another seed holds other facts out.
    write_dataset(countries, tmp_path / "other", name="countries", seed=8)
    other = bytes_of(tmp_path / "other")
    assert other["entities.tsv"] == expected["entities.tsv"]
    assert other["test.tsv"] != expected["test.tsv"]


def test_odd_names_and_parts_that_would_be_empty(spark: SparkSession, tmp_path: Path) -> None:
    about = {"licence": "CC0-1.0", "description": "Sieben „Namen“"}
    write_dataset(table(spark, "odd"), tmp_path / "odd", name="odd", hold_out=0.04, seed="5", **about)
    assert bytes_of(tmp_path / "odd") == bytes_of(NODE / "odd")


def test_wrong_triples_and_folders_are_refused_and_nothing_is_left(spark: SparkSession, tmp_path: Path) -> None:
    def write(*rows: tuple[str | None, ...], hold_out: float = 0.1, folder: str = "new") -> None:
        frame = spark.createDataFrame(list(rows), "head string, relation string, tail string")
        write_dataset(frame, tmp_path / folder, name="wrong", hold_out=hold_out)

    for row in [("a", "r", None), ("a", "r", " "), ("a", "r\ts", "b"), ("a\n", "r", "b")]:
        with pytest.raises(FuzzError, match="expected three keys"):
            write(row)
    with pytest.raises(FuzzError, match="expected a fact or more"):
        write()
    with pytest.raises(FuzzError, match="expected a share"):
        write(("a", "r", "b"), hold_out=0.5)
    (tmp_path / "there").mkdir()
    with pytest.raises(FuzzError, match="does not exist yet"):
        write(("a", "r", "b"), folder="there")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]

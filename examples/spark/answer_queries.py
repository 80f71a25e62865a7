"""Answers a table of queries from a FuzzQE bundle on Spark.

    spark-submit answer_queries.py --bundle bundles/mine --queries queries.jsonl --out answers.parquet

The table has the columns `id` and `query`, text in the notation or JSON. Each answer is a row; a query that cannot be
read is a row with `error`, and the job goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from fuzzqe import Bundle, FuzzError, SetsAnswer
from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id string, place int, entity string, label string, known boolean, value double, error string"
"""`value` is the degree in mode `sets`, and the score in mode `embedding`; `place` counts from 1."""
COLUMNS = [field.split()[0] for field in SCHEMA.split(", ")]


def answer_queries(queries: DataFrame, bundle: str | Path, *, local: bool = False, **options: Any) -> DataFrame:
    """The answers to a table of queries.

    The folder of the bundle is sent to every worker with the job, or with `local` read where all workers have it at the
    same path. `options` are those of `Bundle.answer`.
    """
    spark = queries.sparkSession
    # Wrong options and a damaged bundle are found here, before the job begins.
    Bundle.open(bundle).answer_many([], **options)
    folder = Path(bundle).resolve()
    # Workers import what this module has.
    spark.sparkContext.addPyFile(__file__)
    if not local:
        spark.sparkContext.addFile(str(folder), recursive=True)
    path = str(folder)

    def answer(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        # Once a Python worker, which Spark uses for many tasks; one thread, because each core has a worker.
        opened = Bundle.cached(path if local else SparkFiles.get(folder.name), threads=1)
        for batch in batches:
            yield answer_batch(opened, batch, options)

    return queries.select("id", "query").mapInPandas(answer, SCHEMA)


def answer_batch(bundle: Bundle, batch: pd.DataFrame, options: dict[str, Any]) -> pd.DataFrame:
    """The answers to some rows, by `SCHEMA`."""
    rows: list[tuple[Any, ...]] = []
    for name, answers in zip(batch["id"], bundle.answer_each(batch["query"], **options), strict=True):
        if isinstance(answers, FuzzError):
            rows.append((name, None, None, None, None, None, str(answers)))
            continue
        for place, answer in enumerate(answers, start=1):
            value = answer.degree if isinstance(answer, SetsAnswer) else answer.score
            rows.append((name, place, answer.key, answer.label, answer.known, value, None))
    # Objects, so that numbers may be missing.
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


def main() -> None:
    """Reads JSON lines and writes Parquet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", required=True, help="the folder of a bundle")
    parser.add_argument("--queries", required=True, help="JSON lines with id and query")
    parser.add_argument("--out", required=True, help="the folder of Parquet files to write")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--mode", default="sets")
    parser.add_argument("--exclude", default="none")
    given = parser.parse_args()
    spark = SparkSession.builder.appName("fuzzqe").getOrCreate()
    queries = spark.read.schema("id string, query string").json(given.queries)
    answers = answer_queries(queries, given.bundle, k=given.k, mode=given.mode, exclude=given.exclude)
    answers.write.mode("overwrite").parquet(given.out)
    spark.stop()


if __name__ == "__main__":
    main()

"""Answers a table of queries from a FuzzQE bundle on Spark.

    spark-submit answer_queries.py --bundle bundles/mine --queries queries.jsonl --out answers.parquet

The table has the columns `id` and `query`, text in the notation or JSON. Each answer is a row, and no suggestion
is; a query that cannot be read is a row with `error`, and the job goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import pandas as pd
from fuzzqe import Bundle, FuzzError, SetsAnswer
from pyspark import SparkContext, SparkFiles
from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id string, place int, entity string, label string, state string, value double, error string"
"""`value` is the degree in mode `sets`, and the score in mode `embedding`; `place` counts from 1."""
COLUMNS = [field.split()[0] for field in SCHEMA.split(", ")]


def answer_queries(queries: DataFrame, bundle: str | Path, *, local: bool = False, **options: Any) -> DataFrame:
    """The answers to a table of queries.

    The bundle is sent to every worker with the job, as one archive, or with `local` read where all workers have it at the
    same path. `options` are those of `Bundle.answer`. Raises FuzzError: wrong options, or a damaged bundle.
    """
    context = queries.sparkSession.sparkContext
    # Wrong options and a damaged bundle are found here, before the job begins.
    opened = Bundle.open(bundle)
    opened.answer_many([], **options)
    # Of a repository, the version that was just opened: workers look for no newer one.
    path, digest = str(opened.path.resolve()), opened.manifest.sha256
    # Workers import what this module has.
    context.addPyFile(__file__)
    name = f"fuzzqe-{digest[:16]}"
    if not local:
        send_bundle(context, opened, name)

    def answer(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        # Once a Python worker, which Spark uses for many tasks; one thread, because each core has a worker.
        here = Bundle.cached(path if local else SparkFiles.get(name), threads=1)
        if here.manifest.sha256 != digest:
            message = f"expected the bundle with the sha256 {digest}, got {here.manifest.sha256}"
            raise FuzzError("bundle", message, str(here.path), "Run the job again: the folder was written since.")
        for batch in batches:
            yield answer_batch(here, batch, options)

    return queries.select("id", "query").mapInPandas(answer, SCHEMA)


def send_bundle(context: SparkContext, bundle: Bundle, name: str) -> None:
    """Has Spark unpack a bundle, with the profile that was opened, in the folder of this name on every worker."""
    key = (context.applicationId, name)
    if key in _sent:
        return
    manifest = bundle.manifest
    profile = manifest.profile(bundle.profile)
    others = set[str]().union(*(each.files for each in manifest.profiles.values())) - profile.files
    # Executors that start later fetch it as well: it stays until the driver ends.
    folder = TemporaryDirectory(prefix="fuzzqe-")
    archive = Path(folder.name, f"{name}.zip")
    # Weights hardly get smaller.
    with ZipFile(archive, "w", ZIP_STORED, strict_timestamps=False) as file:
        for path in ["manifest.json", *sorted(manifest.files.keys() - others)]:
            file.write(bundle.path / path, path)
    context.addArchive(f"{archive}#{name}")
    _sent[key] = folder


_sent: dict[tuple[str, str], TemporaryDirectory[str]] = {}


def answer_batch(bundle: Bundle, batch: pd.DataFrame, options: dict[str, Any]) -> pd.DataFrame:
    """The answers to some rows, by `SCHEMA`."""
    rows: list[tuple[Any, ...]] = []
    for name, answers in zip(batch["id"], bundle.answer_each(batch["query"], **options), strict=True):
        if isinstance(answers, FuzzError):
            rows.append((name, None, None, None, None, None, str(answers)))
            continue
        for place, answer in enumerate(answers, start=1):
            if isinstance(answer, SetsAnswer):
                value, state = answer.degree, answer.state
            else:
                value, state = answer.score, "recorded" if answer.known else "predicted"
            rows.append((name, place, answer.key, answer.label, state, value, None))
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
    parser.add_argument("--min-degree", type=float, default=0.5, help="the lowest degree of an answer, in mode sets")
    given = parser.parse_args()
    spark = SparkSession.builder.appName("fuzzqe").getOrCreate()
    queries = spark.read.schema("id string, query string").json(given.queries)
    options = {"min_degree": given.min_degree} if given.mode == "sets" else {}
    answers = answer_queries(queries, given.bundle, k=given.k, mode=given.mode, exclude=given.exclude, **options)
    answers.write.mode("overwrite").parquet(given.out)
    spark.stop()


if __name__ == "__main__":
    main()

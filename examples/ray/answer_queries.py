"""Answers a table of queries from a FuzzQE bundle on Ray Data.

    python answer_queries.py --bundle bundles/mine --queries queries.jsonl --out answers

The table has the columns `id` and `query`, text in the notation or JSON. Each answer is a row, and no suggestion
is; a query that cannot be read is a row with `error`, and the job goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd
import ray
from fuzzqe import Bundle, FuzzError, SetsAnswer

COLUMNS = {
    "id": "string",
    "place": "Int64",
    "entity": "string",
    "label": "string",
    "state": "string",
    "value": "Float64",
    "error": "string",
}
"""`value` is the degree in mode `sets`, and the score in mode `embedding`; `place` counts from 1."""


class AnswerQueries:
    """One actor: opens the bundle once, with one thread, and answers batch after batch."""

    def __init__(self, path: str, digest: str, options: dict[str, Any]) -> None:
        """Raises FuzzError `bundle`: the folder holds another bundle than the driver opened."""
        self.bundle = Bundle.open(path, threads=1)
        self.options = options
        if self.bundle.manifest.sha256 != digest:
            message = f"expected the bundle with the sha256 {digest}, got {self.bundle.manifest.sha256}"
            raise FuzzError("bundle", message, path, "Run the job again: the folder was written since.")

    def __call__(self, batch: pd.DataFrame) -> pd.DataFrame:
        """The answers to some rows, by `COLUMNS`."""
        rows: list[tuple[Any, ...]] = []
        for name, answers in zip(batch["id"], self.bundle.answer_each(batch["query"], **self.options), strict=True):
            if isinstance(answers, FuzzError):
                rows.append((name, None, None, None, None, None, str(answers)))
                continue
            for place, answer in enumerate(answers, start=1):
                if isinstance(answer, SetsAnswer):
                    value, state = answer.degree, answer.state
                else:
                    value, state = answer.score, "recorded" if answer.known else "predicted"
                rows.append((name, place, answer.key, answer.label, state, value, None))
        # Blocks whose columns are empty have their types all the same.
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def answer_queries(
    queries: ray.data.Dataset, bundle: str | Path, *, actors: int = 2, batch: int = 256, **options: Any
) -> ray.data.Dataset:
    """The answers to a table of queries, by so many actors with one core each.

    Every node has the bundle at the same path. `options` are those of `Bundle.answer`. Raises FuzzError: wrong
    options, or a damaged bundle.
    """
    # Wrong options and a damaged bundle are found here, before the job begins.
    opened = Bundle.open(bundle)
    opened.answer_many([], **options)
    return queries.select_columns(["id", "query"]).map_batches(
        AnswerQueries,
        # Of a repository, the version that was just opened: actors look for no newer one.
        fn_constructor_args=(str(opened.path.resolve()), opened.manifest.sha256, options),
        batch_format="pandas",
        batch_size=batch,
        compute=ray.data.ActorPoolStrategy(size=actors),
        num_cpus=1,
    )


def main() -> None:
    """Reads JSON lines and writes Parquet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", required=True, help="the folder of a bundle")
    parser.add_argument("--queries", required=True, help="JSON lines with id and query")
    parser.add_argument("--out", required=True, help="the folder of Parquet files to write")
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--mode", default="sets")
    parser.add_argument("--exclude", default="none")
    parser.add_argument("--min-degree", type=float, default=0.5, help="the lowest degree of an answer, in mode sets")
    given = parser.parse_args()
    queries = ray.data.read_json(given.queries, lines=True)
    options = {"k": given.k, "mode": given.mode, "exclude": given.exclude}
    if given.mode == "sets":
        options["min_degree"] = given.min_degree
    answer_queries(queries, given.bundle, actors=given.actors, **options).write_parquet(given.out)


if __name__ == "__main__":
    main()

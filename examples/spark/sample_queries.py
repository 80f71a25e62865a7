"""Samples the queries of a data set on Spark.

    spark-submit sample_queries.py --data data/mine --train 149689 --train-negation 14968

The files are those that `fuzzqe data sample` writes with the same options.
"""

from __future__ import annotations

import argparse

from fuzzqe.spark import sample_queries
from pyspark.sql import SparkSession


def main() -> None:
    """Draws blocks on the executors and writes `queries/` of a data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the folder of a data set, on the disk of the driver")
    parser.add_argument("--train", type=int, default=4000, help="training queries of each structure")
    parser.add_argument("--train-negation", type=int, help="training queries of each structure with negation")
    parser.add_argument("--valid", type=int, default=60, help="validation queries of each structure")
    parser.add_argument("--test", type=int, default=250, help="test queries of each structure")
    parser.add_argument("--max-answers", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    for flag in ("--every-1p", "--skip-mirrored", "--skip-idle-negation", "--replace"):
        parser.add_argument(flag, action="store_true")
    given = vars(parser.parse_args())
    spark = SparkSession.builder.appName("fuzzqe").getOrCreate()
    sampled = sample_queries(
        spark,
        given.pop("data"),
        **given,
        on_progress=lambda done, total: print(f"{done} of {total} queries", flush=True),
    )
    print(sampled)
    spark.stop()


if __name__ == "__main__":
    main()

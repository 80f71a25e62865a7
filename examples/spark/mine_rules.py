"""Mines the rules of a graph on Spark, for a run that is calibrated with them.

    spark-submit mine_rules.py --data data/mine --out runs/mine/rules.tsv

The rules and their counts are those that `fuzzqe calibrate` mines on one machine.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fuzzqe.spark import SparkGraph, mine_rules
from pyspark.sql import SparkSession


def main() -> None:
    """Reads the training facts of a data set and writes `rules.tsv`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the folder of a data set, as Spark reads it")
    parser.add_argument("--out", required=True, type=Path, help="the file to write: rules.tsv in the folder of the run")
    parser.add_argument("--rounds", type=int, help="how many rounds; by default as many as fuzzqe calibrate")
    given = parser.parse_args()
    spark = SparkSession.builder.appName("fuzzqe").getOrCreate()
    mined = mine_rules(SparkGraph.of_dataset(spark, given.data), rounds=given.rounds)
    given.out.write_text(mined.text(), "utf-8")
    print(f"{given.out}: {len(mined.rules)} rules of {mined.rounds} rounds")
    spark.stop()


if __name__ == "__main__":
    main()

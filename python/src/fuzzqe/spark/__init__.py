"""The offline half on Spark, for what is too large for one machine: `pip install 'fuzzqe-py[spark]'`."""

from .dataset import WrittenDataset, write_dataset
from .graph import SparkGraph
from .mining import MinedRules, mine_rules
from .sampling import SampledSets, sample_queries

__all__ = [
    "MinedRules",
    "SampledSets",
    "SparkGraph",
    "WrittenDataset",
    "mine_rules",
    "sample_queries",
    "write_dataset",
]

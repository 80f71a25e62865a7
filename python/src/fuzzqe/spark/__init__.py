"""The offline half on Spark, for graphs beyond the memory of one machine: `pip install 'fuzzqe-py[spark]'`."""

from .dataset import WrittenDataset, write_dataset
from .graph import SparkGraph
from .mining import MinedRules, mine_rules

__all__ = ["MinedRules", "SparkGraph", "WrittenDataset", "mine_rules", "write_dataset"]

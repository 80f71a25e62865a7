"""The offline half on Spark, for graphs beyond the memory of one machine: `pip install 'fuzzqe-py[spark]'`."""

from .graph import SparkGraph
from .mining import MinedRules, mine_rules

__all__ = ["MinedRules", "SparkGraph", "mine_rules"]

"""The facts of a graph as tables of Spark, which are looked up by joins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

from fuzzqe.errors import FuzzError

EDGES_A_LEVEL = 1024
"""How many tails of a head and a relation are kept as a list: a level of a path looks at no more."""
_ENTITIES_A_BUCKET = 2**20


class SparkGraph:
    """Facts and their inverses, each numbered in the order of an index in the memory of one machine.

    `edges` has `head, relation, tail`; `place` of the tail among those of head and relation; `at` among the edges of
    the head, by relation and tail; and `number` among the facts of the relation, by head and tail.
    """

    def __init__(self, facts: DataFrame, entities: int, relations: int) -> None:
        """`facts` has the columns `head`, `relation` (even) and `tail`, as ids.

        Raises FuzzError `range`: an id is out of range. `data`: there is no fact.
        """
        self.entities, self.relations = entities, relations
        facts = facts.select(*(fn.col(name).cast("int") for name in ("head", "relation", "tail")))
        _check(facts, entities, relations)
        self.edges, self.groups, self.degrees, unnumbered = _indexed(facts)
        counts = rows_of(
            self.groups.groupBy("relation").agg(fn.count("*").alias("heads"), fn.sum("size").alias("facts"))
        )
        self.heads = [0] * relations
        """Of each relation, how many entities are heads of a fact."""
        self.facts = [0] * relations
        """Of each relation, how many facts it has."""
        unnumbered.unpersist()
        if not counts:
            raise FuzzError("data", "facts: expected a fact or more, got none", hint="Name a table of facts.")
        for row in counts:
            self.heads[row["relation"]], self.facts[row["relation"]] = row["heads"], row["facts"]

    @classmethod
    def of_dataset(cls, spark: SparkSession, folder: str) -> SparkGraph:
        """The training facts of the folder of a data set, wherever Spark reads it."""
        entities = spark.read.text(f"{folder}/entities.tsv").count()
        relations = 2 * spark.read.text(f"{folder}/relations.tsv").count()
        facts = spark.read.csv(f"{folder}/train.tsv*", sep="\t", schema="head int, relation int, tail int")
        return cls(facts, entities, relations)

    @property
    def spark(self) -> SparkSession:
        """The session of the tables."""
        return self.edges.sparkSession

    @property
    def fact_count(self) -> int:
        """How many facts there are, inverses apart; a fact that is given twice counts once."""
        return sum(self.facts[::2])

    def table(self, **columns: Sequence[int]) -> DataFrame:
        """A table of whole numbers of the driver."""
        arrays = {name: pa.array(values, pa.int64()) for name, values in columns.items()}
        return self.spark.createDataFrame(pa.table(arrays))

    def table_of(self, names: Sequence[str], rows: Sequence[Sequence[int]]) -> DataFrame:
        """A table of rows of the driver."""
        columns = list(zip(*rows, strict=True)) or [()] * len(names)
        return self.table(**dict(zip(names, columns, strict=True)))

    def unpersist(self) -> None:
        """Gives the memory of the tables back."""
        for table in (self.edges, self.groups, self.degrees):
            table.unpersist()


def _indexed(facts: DataFrame) -> tuple[DataFrame, DataFrame, DataFrame, DataFrame]:
    """The tables of a graph, and a table that is needed until they are filled."""
    back = facts.select(fn.col("tail").alias("head"), fn.col("relation").bitwiseXOR(1), fn.col("head").alias("tail"))
    by_tail = Window.partitionBy("head", "relation").orderBy("tail")
    placed = facts.union(back).distinct().withColumn("place", fn.row_number().over(by_tail) - 1)
    grouped = placed.groupBy("head", "relation").agg(
        fn.count("*").alias("size"),
        fn.array_sort(fn.collect_list(fn.when(fn.col("place") < EDGES_A_LEVEL, fn.col("tail")))).alias("tails"),
    )
    before = (Window.unboundedPreceding, -1)
    by_relation = Window.partitionBy("head").orderBy("relation").rowsBetween(*before)
    grouped = grouped.withColumn("first", fn.coalesce(fn.sum("size").over(by_relation), fn.lit(0)))
    # The heads of a relation are numbered in buckets of neighbouring ids, so that no task has to sort them all.
    grouped = grouped.withColumn("bucket", (fn.col("head") / _ENTITIES_A_BUCKET).cast("int")).persist()
    buckets = grouped.groupBy("relation", "bucket").agg(fn.count("*").alias("n"), fn.sum("size").alias("m"))
    earlier = Window.partitionBy("relation").orderBy("bucket").rowsBetween(*before)
    buckets = buckets.select(
        "relation",
        "bucket",
        fn.coalesce(fn.sum("n").over(earlier), fn.lit(0)).alias("heads_before"),
        fn.coalesce(fn.sum("m").over(earlier), fn.lit(0)).alias("facts_before"),
    )
    in_bucket = Window.partitionBy("relation", "bucket").orderBy("head")
    groups = grouped.join(buckets, ["relation", "bucket"]).select(
        "head",
        "relation",
        "size",
        "tails",
        "first",
        (fn.col("heads_before") + fn.row_number().over(in_bucket) - 1).alias("number"),
        (fn.col("facts_before") + fn.coalesce(fn.sum("size").over(in_bucket.rowsBetween(*before)), fn.lit(0))).alias(
            "from"
        ),
    )
    groups = groups.persist()
    edges = placed.join(groups.drop("tails", "number", "size"), ["head", "relation"]).select(
        "head",
        "relation",
        "tail",
        "place",
        (fn.col("first") + fn.col("place")).alias("at"),
        (fn.col("from") + fn.col("place")).alias("number"),
    )
    degrees = groups.groupBy("head").agg(fn.sum("size").alias("degree"))
    return edges.persist(), groups, degrees.persist(), grouped


def _check(facts: DataFrame, entities: int, relations: int) -> None:
    wrong = facts.filter(
        ~(fn.col("head").between(0, entities - 1) & fn.col("tail").between(0, entities - 1))
        | ~fn.col("relation").between(0, relations - 1)
        | (fn.col("relation") % 2 != 0)
        | fn.isnull(fn.col("head") + fn.col("relation") + fn.col("tail"))
    ).first()
    if wrong is not None:
        expected = f"entities in [0, {entities}) and an even relation in [0, {relations})"
        raise FuzzError("range", f"facts: expected {expected}, got {tuple(wrong)}", hint="Give the sizes of the graph.")


def rows_of(table: DataFrame) -> list[Mapping[str, int]]:
    """The rows of a small table, in the driver."""
    rows: list[Mapping[str, int]] = table.toArrow().to_pylist()
    return rows

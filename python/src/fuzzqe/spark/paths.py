"""Paths between the ends of facts: the candidates for rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from .graph import SparkGraph, rows_of
from .random_stream import RandomStream, draw_places
from .sizes import FEWEST_HITS, MOST_TUPLES, MiningSizes

Path = tuple[int, ...]
"""One to three relations."""


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """The most frequent paths of a relation, best first, and whether nothing was left out."""

    paths: list[Path]
    whole: bool


def find_paths(
    graph: SparkGraph, streams: Mapping[int, RandomStream], sizes: MiningSizes, most: int
) -> dict[int, FoundPaths]:
    """For each relation 2k, the paths from head to tail of some drawn facts, through distinct entities."""
    whole: dict[int, bool] = {}
    facts = _draw_facts(graph, streams, sizes, whole)
    ends = _draw_edges(graph, facts, streams, sizes, whole)
    found: dict[int, list[Path]] = {relation: [] for relation in streams}
    for row in rows_of(_most_frequent(_paths_between(graph, facts, ends, sizes), most)):
        relation = row["relation"]
        found[relation].append(tuple(each for each in (row["a"], row["b"], row["c"]) if each >= 0))
        whole[relation] &= row["distinct"] <= MOST_TUPLES and row["frequent"] <= most
    return {relation: FoundPaths(paths, whole[relation]) for relation, paths in found.items()}


def _draw_facts(
    graph: SparkGraph, streams: Mapping[int, RandomStream], sizes: MiningSizes, whole: dict[int, bool]
) -> list[Mapping[str, int]]:
    """Some facts of each relation, as `relation, fact, x, y` with the degrees of both ends."""
    relations: list[int] = []
    places: list[int] = []
    numbers: list[int] = []
    for relation, random in streams.items():
        drawn = draw_places(random, graph.facts[relation], sizes.facts)
        whole[relation] = len(drawn) == graph.facts[relation]
        relations += [relation] * len(drawn)
        places += range(len(drawn))
        numbers += drawn
    drawn_table = graph.table(relation=relations, fact=places, number=numbers)
    ends = drawn_table.join(graph.edges, ["relation", "number"]).filter("head != tail")
    ends = ends.select("relation", "fact", fn.col("head").alias("x"), fn.col("tail").alias("y"))
    for end in ("x", "y"):
        degrees = graph.degrees.select(fn.col("head").alias(end), fn.col("degree").alias(f"degree_{end}"))
        ends = ends.join(degrees, end)
    return sorted(rows_of(ends), key=lambda row: (row["relation"], row["fact"]))


def _draw_edges(
    graph: SparkGraph,
    facts: Sequence[Mapping[str, int]],
    streams: Mapping[int, RandomStream],
    sizes: MiningSizes,
    whole: dict[int, bool],
) -> DataFrame:
    """Some edges of both ends of facts, as `relation, fact, end, i, along, to`; `end` is 0 for a head, 1 for a tail."""
    drawn: list[tuple[int, int, int, int, int, int]] = []
    for row in facts:
        relation, random = row["relation"], streams[row["relation"]]
        for end, name in enumerate(("x", "y")):
            degree = row[f"degree_{name}"]
            places = draw_places(random, degree, sizes.edges)
            whole[relation] &= len(places) == degree
            drawn += [(relation, row["fact"], end, i, row[name], at) for i, at in enumerate(places)]
    requests = graph.table_of(("relation", "fact", "end", "i", "head", "at"), drawn)
    edges = graph.edges.select("head", "at", fn.col("relation").alias("along"), fn.col("tail").alias("to"))
    return requests.join(edges, ["head", "at"]).drop("head", "at")


def _paths_between(
    graph: SparkGraph, facts: Sequence[Mapping[str, int]], ends: DataFrame, sizes: MiningSizes
) -> DataFrame:
    """The paths of each fact, as `relation, fact, a, b, c, order`: -1 behind the end; `order` is one machine's."""
    pairs = graph.table(**{name: [row[name] for row in facts] for name in ("relation", "fact", "x", "y")})
    edges = graph.edges.select("head", fn.col("tail").alias("end_of_edge"), fn.col("relation").alias("r"))
    key = ["relation", "fact"]

    def order(i: Column, j: Column) -> Column:
        width = sizes.edges + 1
        place = (fn.col("fact") * width + i) * width + j
        return (place * graph.relations + fn.col("r").bitwiseXOR(1)).alias("order")

    none = fn.lit(-1)
    one = (
        pairs.join(edges, (fn.col("x") == fn.col("head")) & (fn.col("y") == fn.col("end_of_edge")))
        .filter("r != relation")
        .select(*key, fn.col("r").alias("a"), none.alias("b"), none.alias("c"), order(fn.lit(0), fn.lit(0)))
    )
    ends = ends.join(pairs, key).filter("to != x AND to != y")
    heads = ends.filter("end = 0").select(*key, "x", "y", "i", fn.col("along").alias("a"), fn.col("to").alias("z"))
    two = heads.join(edges, (fn.col("z") == fn.col("head")) & (fn.col("y") == fn.col("end_of_edge"))).select(
        *key, "a", fn.col("r").alias("b"), none.alias("c"), order(fn.col("i") + 1, fn.lit(0))
    )
    tails = ends.filter("end = 1").select(
        *key, fn.col("i").alias("j"), fn.col("along").bitwiseXOR(1).alias("c"), fn.col("to").alias("w")
    )
    three = (
        heads.join(tails, key)
        .filter("z != w")
        .join(edges, (fn.col("z") == fn.col("head")) & (fn.col("w") == fn.col("end_of_edge")))
        .select(*key, "a", fn.col("r").alias("b"), "c", order(fn.col("i") + 1, fn.col("j") + 1))
    )
    return one.union(two).union(three)


def _most_frequent(paths: DataFrame, most: int) -> DataFrame:
    """Of each relation, the paths of at least two facts that most facts have, as `relation, a, b, c`, best first."""
    path = ["relation", "a", "b", "c"]
    once = paths.groupBy(*path, "fact").agg(fn.min("order").alias("order"))
    counted = once.groupBy(*path).agg(fn.count("*").alias("count"), fn.min("order").alias("order"))
    of_relation = Window.partitionBy("relation")
    met = of_relation.orderBy("order")
    counted = counted.withColumn("distinct", fn.count("*").over(of_relation))
    counted = counted.withColumn("met", fn.row_number().over(met))
    frequent = counted.filter((fn.col("met") <= MOST_TUPLES) & (fn.col("count") >= FEWEST_HITS))
    frequent = frequent.withColumn("frequent", fn.count("*").over(of_relation))
    length = (fn.col("b") >= 0).cast("int") + (fn.col("c") >= 0).cast("int")
    best = of_relation.orderBy(fn.desc("count"), length, "a", "b", "c")
    ranked = frequent.withColumn("rank", fn.row_number().over(best)).filter(fn.col("rank") <= most)
    return ranked.orderBy("relation", "rank").select(*path, "distinct", "frequent")

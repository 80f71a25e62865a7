"""Constant rules r(X, c) ← q(X, d)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from .graph import SparkGraph, rows_of
from .random_stream import RandomStream, draw_places
from .sizes import DOUBT, FEWEST_HITS, MiningSizes

Constant = tuple[int, int, int]
"""c, q and d."""

_HEADS_OF_ATTRIBUTE = 8
_EDGES_OF_ATTRIBUTE = 32


@dataclass(slots=True)
class FoundConstants:
    """Constant rules of a relation: hits and predictions of each that was judged, and whether nothing was left out."""

    counts: dict[Constant, tuple[int, int]] = field(default_factory=dict)
    whole: bool = True


def find_constants(
    graph: SparkGraph, streams: Mapping[int, RandomStream], sizes: MiningSizes
) -> dict[int, FoundConstants]:
    """For the tails c of each relation with the most facts, counts the best attributes (q, d) of some heads exactly."""
    found = {relation: FoundConstants() for relation in streams}
    tops = _frequent_tails(graph, found, sizes).persist()
    attributes = _draw_attributes(graph, tops, found, streams, sizes)
    judged = _best_attributes(graph, attributes, sizes).persist()
    for row in rows_of(_count_exactly(graph, judged)):
        of = found[row["relation"]]
        of.whole &= row["candidates"] <= sizes.attributes
        of.counts[row["c"], row["q"], row["d"]] = row["hits"], row["predictions"]
    for table in (tops, judged):
        table.unpersist()
    return found


def _frequent_tails(graph: SparkGraph, found: Mapping[int, FoundConstants], sizes: MiningSizes) -> DataFrame:
    """The tails with the most heads of each relation, as `relation, rank, c, size`."""
    wanted = graph.table(relation=list(found))
    tails = graph.groups.select(
        fn.col("relation").bitwiseXOR(1).alias("relation"), fn.col("head").alias("c"), "size"
    ).filter(fn.col("size") >= FEWEST_HITS)
    tails = tails.join(wanted, "relation", "left_semi")
    for row in rows_of(tails.groupBy("relation").agg(fn.count("*").alias("n"))):
        found[row["relation"]].whole &= row["n"] <= sizes.tails
    by_size = Window.partitionBy("relation").orderBy(fn.desc("size"), "c")
    return tails.withColumn("rank", fn.row_number().over(by_size)).filter(fn.col("rank") <= sizes.tails)


def _draw_attributes(
    graph: SparkGraph,
    tops: DataFrame,
    found: Mapping[int, FoundConstants],
    streams: Mapping[int, RandomStream],
    sizes: MiningSizes,
) -> DataFrame:
    """How many of some heads of each tail have an attribute, as `relation, c, size, drawn, q, d, count`."""
    heads, most = _HEADS_OF_ATTRIBUTE * sizes.attributes, _EDGES_OF_ATTRIBUTE * sizes.attributes
    members = tops.join(
        graph.edges.select(
            fn.col("relation").bitwiseXOR(1).alias("relation"), fn.col("head").alias("c"), "place", "tail"
        ),
        ["relation", "c"],
    ).withColumnRenamed("tail", "x")
    hubs = graph.degrees.filter(fn.col("degree") > most).withColumnRenamed("head", "x")
    # Chance goes on from member to member: which of them draw edges is known before any is drawn.
    drawing = members.join(hubs, "x", "left").filter("degree IS NOT NULL OR x = c")
    special: dict[tuple[int, int], dict[int, Mapping[str, int]]] = {}
    for row in rows_of(drawing.select("relation", "c", "place", "x", "degree")):
        special.setdefault((row["relation"], row["c"]), {})[row["place"]] = row
    plain: list[tuple[int, int, int]] = []
    some: list[tuple[int, int, int, int]] = []
    groups: list[tuple[int, int, int, int]] = []
    for top in sorted(rows_of(tops), key=lambda row: (row["relation"], row["rank"])):
        relation, c, size = top["relation"], top["c"], top["size"]
        random = streams[relation]
        places = draw_places(random, size, heads)
        whole = len(places) == size
        groups.append((relation, c, size, len(places)))
        others = special.get((relation, c), {})
        for place in places:
            hub = others.get(place)
            if hub is None:
                plain.append((relation, c, place))
            elif hub["x"] != c:
                some += [(relation, c, hub["x"], at) for at in draw_places(random, hub["degree"], most)]
                whole = False
        found[relation].whole &= whole
    drawn = members.join(graph.table_of(("relation", "c", "place"), plain), ["relation", "c", "place"])
    edges = graph.edges.select(
        fn.col("head").alias("x"), fn.col("relation").alias("q"), fn.col("tail").alias("d"), "at"
    )
    of_plain = drawn.select("relation", "c", "x").join(edges.drop("at"), "x")
    of_hubs = graph.table_of(("relation", "c", "x", "at"), some).join(edges, ["x", "at"]).drop("at")
    counted = (
        of_plain.unionByName(of_hubs)
        .filter("NOT (q = relation AND d = c)")
        .groupBy("relation", "c", "q", "d")
        .agg(fn.count("*").alias("count"))
    )
    return counted.join(graph.table_of(("relation", "c", "size", "drawn"), groups), ["relation", "c"])


def _best_attributes(graph: SparkGraph, attributes: DataFrame, sizes: MiningSizes) -> DataFrame:
    """The attributes of the highest estimated confidence, as `relation, c, size, q, d, having, candidates`."""
    having = graph.groups.select(
        fn.col("relation").bitwiseXOR(1).alias("q"), fn.col("head").alias("d"), fn.col("size").alias("having")
    )
    candidates = attributes.filter(fn.col("count") >= fn.least(fn.lit(FEWEST_HITS), "drawn")).join(having, ["q", "d"])
    hits = fn.least((fn.col("count") / fn.col("drawn")) * fn.col("size"), fn.col("having").cast("double"))
    of_tail = Window.partitionBy("relation", "c")
    best = of_tail.orderBy(fn.desc("estimate"), "q", "d")
    return (
        candidates.withColumn("estimate", hits / (fn.col("having") + DOUBT))
        .withColumn("candidates", fn.count("*").over(of_tail))
        .withColumn("rank", fn.row_number().over(best))
        .filter(fn.col("rank") <= sizes.attributes)
        .select("relation", "c", "size", "q", "d", "having", "candidates")
    )


def _count_exactly(graph: SparkGraph, judged: DataFrame) -> DataFrame:
    """How many entities, c apart, have both facts, and how many have the attribute."""
    key = ["relation", "c", "q", "d"]
    edges = graph.edges.select("head", fn.col("relation").alias("along"), "tail")
    heads_are_fewer = fn.col("size") < fn.col("having")
    back, attribute = fn.col("relation").bitwiseXOR(1), fn.col("q").bitwiseXOR(1)
    # The shorter list is gone through, and looked up in the other.
    asked = judged.select(
        *key,
        fn.when(heads_are_fewer, fn.col("c")).otherwise(fn.col("d")).alias("head"),
        fn.when(heads_are_fewer, back).otherwise(attribute).alias("along"),
        fn.when(heads_are_fewer, fn.col("d")).otherwise(fn.col("c")).alias("other"),
        fn.when(heads_are_fewer, attribute).otherwise(back).alias("other_along"),
    )
    both = (
        asked.join(edges, ["head", "along"])
        .filter("tail != c")
        .select(*key, fn.col("other").alias("head"), fn.col("other_along").alias("along"), "tail")
        .join(edges, ["head", "along", "tail"], "left_semi")
        .groupBy(*key)
        .agg(fn.count("*").alias("hits"))
    )
    itself = judged.select(*key, fn.col("d").alias("head"), attribute.alias("along"), fn.col("c").alias("tail"))
    itself = itself.join(edges, ["head", "along", "tail"], "left_semi").select(*key, fn.lit(1).alias("own"))
    return (
        judged.join(both, key, "left")
        .join(itself, key, "left")
        .fillna(0, ["hits", "own"])
        .select(*key, "candidates", "hits", (fn.col("having") - fn.col("own")).alias("predictions"))
    )

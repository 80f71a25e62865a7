"""What paths predict, and how many of the predictions are recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from .graph import EDGES_A_LEVEL, SparkGraph, rows_of
from .paths import Path
from .random_stream import RandomStream, draw_places, shuffle

_ROOT = -1
_BEFORE = (Window.unboundedPreceding, -1)


@dataclass(frozen=True, slots=True)
class JudgedPaths:
    """Paths with their counts, and whether every head was looked at."""

    counts: dict[Path, tuple[int, int]]
    """Hits and predictions of each path."""
    whole: bool


def judge_paths(
    graph: SparkGraph,
    paths: Mapping[int, Sequence[Path]],
    heads: int,
    work: int,
    streams: Mapping[int, RandomStream],
) -> dict[int, JudgedPaths]:
    """Judges paths on some heads of their first relation, each until `work` edges were looked at."""
    nodes = _Nodes()
    candidates = [(relation, nodes.add(path)) for relation, some in paths.items() for path in some]
    tasks, whole = _draw_heads(graph, paths, heads, streams)
    tasks = (
        tasks.join(
            graph.table(
                relation=[relation for relation, _ in candidates],
                node=[node for _, node in candidates],
                first=[nodes.paths[node][0] for _, node in candidates],
            ),
            ["relation", "first"],
        )
        .select("relation", "node", "i", "head")
        .persist()
    )
    levels = _expand(graph, tasks, nodes)
    looked, ends = _totals(graph, tasks, nodes, levels)
    said = ends.groupBy("head", "node").agg(fn.count("*").alias("said"))
    recorded = (
        tasks.select("relation", "head")
        .distinct()
        .join(graph.edges.select("head", "relation", "tail"), ["head", "relation"])
    )
    right = (
        recorded.join(ends, ["head", "tail"])
        .join(tasks.select("relation", "head", "node"), ["relation", "head", "node"], "left_semi")
        .groupBy("relation", "head", "node")
        .agg(fn.count("*").alias("right"))
    )
    judged = (
        tasks.join(looked, ["head", "node"], "left")
        .join(said, ["head", "node"], "left")
        .join(right, ["relation", "head", "node"], "left")
        .fillna(0, ["looked", "said", "right"])
    )
    earlier = Window.partitionBy("relation", "node").orderBy("i").rowsBetween(*_BEFORE)
    judged = judged.withColumn("within", fn.coalesce(fn.sum("looked").over(earlier), fn.lit(0)) < work)
    counted = judged.groupBy("relation", "node").agg(
        fn.sum(fn.when(fn.col("within"), fn.col("right")).otherwise(0)).alias("hits"),
        fn.sum(fn.when(fn.col("within"), fn.col("said")).otherwise(0)).alias("predictions"),
        fn.min("within").alias("whole"),
    )
    counts: dict[int, dict[Path, tuple[int, int]]] = {relation: {} for relation in paths}
    for row in rows_of(counted):
        counts[row["relation"]][nodes.paths[row["node"]]] = (row["hits"], row["predictions"])
        whole[row["relation"]] &= bool(row["whole"])
    for table in (tasks, *levels):
        table.unpersist()
    return {relation: JudgedPaths(counts[relation], whole[relation]) for relation in paths}


def _draw_heads(
    graph: SparkGraph, paths: Mapping[int, Sequence[Path]], most: int, streams: Mapping[int, RandomStream]
) -> tuple[DataFrame, dict[int, bool]]:
    """Heads for the paths of each first relation, as `relation, first, i, head`; `i` is their order."""
    whole = dict.fromkeys(paths, True)
    drawn: tuple[list[int], list[int], list[int], list[int]] = ([], [], [], [])
    for relation, some in paths.items():
        random = streams[relation]
        for first in sorted({path[0] for path in some}):
            places = draw_places(random, graph.heads[first], most)
            shuffle(random, places)
            whole[relation] &= len(places) == graph.heads[first]
            for column, values in zip(
                drawn, ([relation] * len(places), [first] * len(places), range(len(places)), places), strict=True
            ):
                column += values
    requests = graph.table(relation=drawn[0], first=drawn[1], i=drawn[2], number=drawn[3])
    numbered = graph.groups.select(fn.col("relation").alias("first"), "number", "head")
    return requests.join(numbered, ["first", "number"]).drop("number"), whole


class _Nodes:
    """Paths and their beginnings, numbered: a beginning is followed once from a head, whoever asks."""

    def __init__(self) -> None:
        self.numbers: dict[Path, int] = {}
        self.paths: list[Path] = []

    def add(self, path: Path) -> int:
        if path not in self.numbers:
            if len(path) > 1:
                self.add(path[:-1])
            self.numbers[path] = len(self.paths)
            self.paths.append(path)
        return self.numbers[path]

    def table(self, graph: SparkGraph) -> DataFrame:
        """Each node with its beginnings and itself: `node, step, parent, along, depth`."""
        rows = [
            (node, self.numbers[path[:k]], self.numbers.get(path[: k - 1], _ROOT), path[k - 1], k)
            for node, path in enumerate(self.paths)
            for k in range(1, len(path) + 1)
        ]
        return graph.table_of(("node", "step", "parent", "along", "depth"), rows)


def _expand(graph: SparkGraph, tasks: DataFrame, nodes: _Nodes) -> list[DataFrame]:
    """The edges that the levels of paths look at, as `head, node, o, before_last, last, tail, kept`, level by level.

    A level takes the paths of the level before in their order and the tails of the next relation ascending, 1024 edges
    at most. An edge is kept if its tail is none of the path's entities.
    """
    steps = tasks.select("head", "node").distinct().join(nodes.table(graph), "node")
    steps = steps.select("head", fn.col("step").alias("node"), "parent", "along", "depth").distinct()
    lists = graph.groups.select(fn.col("head").alias("tail"), fn.col("relation").alias("along"), "tails")
    level = (
        tasks.select("head")
        .distinct()
        .select(
            "head",
            fn.lit(_ROOT).alias("parent"),
            fn.lit(0).alias("o"),
            fn.col("head").alias("last"),
            fn.col("head").alias("tail"),
        )
    )
    levels: list[DataFrame] = []
    in_order = Window.partitionBy("head", "node").orderBy("o").rowsBetween(*_BEFORE)
    for depth in range(1, max((len(path) for path in nodes.paths), default=0) + 1):
        wanted = steps.filter(fn.col("depth") == depth).drop("depth")
        before = fn.coalesce(fn.sum(fn.size("tails")).over(in_order), fn.lit(0))
        looked = (
            wanted.join(level, ["head", "parent"])
            .join(lists, ["tail", "along"])
            .withColumn("before", before)
            .filter(fn.col("before") < EDGES_A_LEVEL)
            .select(
                "head",
                "node",
                "before",
                fn.col("last").alias("before_last"),
                fn.col("tail").alias("last"),
                fn.posexplode(fn.slice("tails", 1, (EDGES_A_LEVEL - fn.col("before")).cast("int"))).alias(
                    "pos", "tail"
                ),
            )
            .withColumn("o", fn.col("before") + fn.col("pos"))
            .withColumn("kept", fn.expr("tail NOT IN (head, last, before_last)"))
            .drop("before", "pos")
            .persist()
        )
        levels.append(looked)
        level = looked.filter("kept").select("head", fn.col("node").alias("parent"), "o", "last", "tail")
    return levels


def _totals(
    graph: SparkGraph, tasks: DataFrame, nodes: _Nodes, levels: Sequence[DataFrame]
) -> tuple[DataFrame, DataFrame]:
    """How many edges each path has looked at from a head, and its ends: `head, node, looked` and `head, node, tail`."""
    wanted = tasks.select("head", "node").distinct()
    every = levels[0]
    for level in levels[1:]:
        every = every.unionByName(level)
    ends = every.filter("kept").select("head", "node", "tail").distinct().join(wanted, ["head", "node"], "left_semi")
    by_step = every.groupBy("head", "node").agg(fn.count("*").alias("n")).withColumnRenamed("node", "step")
    steps = nodes.table(graph).select("node", "step")
    looked = wanted.join(steps, "node").join(by_step, ["head", "step"]).groupBy("head", "node")
    return looked.agg(fn.sum("n").alias("looked")), ends

"""Queries of a data set, drawn in blocks on the executors."""

from __future__ import annotations

import json
import tempfile
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import SparkSession

from fuzzqe.errors import FuzzError, describe_value
from fuzzqe.structures import STRUCTURES

from .block_draw import DrawnBlock, DrawRules, has_negation, open_drawing
from .graph_arrays import GraphArrays
from .query_files import count_names, read_facts, write_whole
from .random_stream import RandomStream
from .structure_search import StructureSearch, draws_of

_PARTS = ("train", "valid", "test")
_LARGER = dict(pairwise(_PARTS))
_UNTRAINED = ("pi", "ip", "2u", "up")
"""Structures that test generalisation alone."""
_BLOCKS_A_CORE = 16
"""Of a wave."""
_LARGEST = 2**53 - 1


@dataclass(frozen=True, slots=True)
class SampledSets:
    """How many queries of each structure a part has got; 0 where a small graph has no query of a structure."""

    counts: Mapping[str, Mapping[str, int]]
    sha256: Mapping[str, str]
    """Of the file of each part."""

    def __str__(self) -> str:
        return "\n".join(
            f"{part}: {sum(counts.values())} queries"
            + "".join(f", no {name}" for name, count in counts.items() if count == 0)
            for part, counts in self.counts.items()
        )


def sample_queries(
    spark: SparkSession,
    folder: str | Path,
    *,
    train: int = 4000,
    train_negation: int | None = None,
    valid: int = 60,
    test: int = 250,
    every_1p: bool = False,
    max_answers: int = 100,
    skip_mirrored: bool = False,
    skip_idle_negation: bool = False,
    replace: bool = False,
    seed: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> SampledSets:
    """Writes the queries that `fuzzqe data sample` writes into the folder of a data set, with the same options.

    `train`, `valid` and `test` are how many queries of each structure are drawn; 0 leaves a part as it is.
    The folder is on the disk of the driver, and no other process may sample it meanwhile. Every machine has the graph's
    arrays on its disk until the session ends, 8 to 40 bytes a fact, and maps them once for all its processes.
    `on_progress` gets the number of queries found and the number asked for.

    Raises FuzzError `range`: a number out of range. `usage`: nothing to sample, or queries that are there without
    `replace`. `data`: facts that cannot be read, no held-out facts, or a part of which no query was found.
    """
    sizes = {"train": train, "valid": valid, "test": test}
    _check(sizes, train_negation, max_answers, seed)
    path = Path(folder)
    asked = [part for part in _PARTS if sizes[part] > 0 or (part == "train" and (train_negation or 0) > 0)]
    if not asked:
        raise FuzzError("usage", "there is nothing to sample", hint="Name a number of queries, such as train=4000.")
    for part in asked:
        if not replace and _file_of(path, part).exists():
            hint = f"Leave them ({part}=0), or replace them (replace=True)."
            raise FuzzError("usage", f"the data set has {part} queries already", str(_file_of(path, part)), hint)
    rules = DrawRules(max_answers, skip_mirrored, skip_idle_negation)
    graphs = _Graphs(spark, path, asked)
    searches = {part: _searches(part, sizes[part], train_negation, seed, every_1p) for part in asked}
    every = [search for part in asked for search in searches[part]]

    def progress() -> None:
        if on_progress is not None:
            on_progress(sum(min(search.count, search.wanted) for search in every), sum(each.wanted for each in every))

    with ExitStack() as files:
        for search in every:
            files.enter_context(search.lines)
        for part in asked:
            _search(spark, searches[part], graphs.of(part), graphs.entities, rules, progress)
            if not any(search.count for search in searches[part]):
                hint = "Add facts: a query needs some that share an entity, and evaluation some that are held out."
                message = f"no {part} query of any structure could be found: the graph is too small"
                raise FuzzError("data", message, str(path), hint)
        (path / "queries").mkdir(exist_ok=True)
        digests = {}
        for part in asked:
            digests[part] = write_whole(_file_of(path, part), _blocks(searches[part]))
            record = {
                "seed": seed,
                "each": sizes[part],
                "negation": train_negation if part == "train" and train_negation is not None else sizes[part],
                "every1p": every_1p,
                "maxAnswers": max_answers,
                "skipMirrored": skip_mirrored,
                "skipIdleNegation": skip_idle_negation,
                "sha256": digests[part],
            }
            text = f"{json.dumps(record, indent=2)}\n"
            write_whole(_file_of(path, part).with_suffix(".rules.json"), [text.encode()])
    return SampledSets({part: {search.name: search.count for search in searches[part]} for part in asked}, digests)


def _check(sizes: Mapping[str, int], train_negation: int | None, max_answers: int, seed: int) -> None:
    given = {**sizes, "train_negation": train_negation or 0, "max_answers": max_answers, "seed": seed}
    for name, value in given.items():
        least = 1 if name == "max_answers" else 0
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LARGEST:
            message = f"{name}: expected a whole number from {least} on, got {describe_value(value)}"
            raise FuzzError("range", message, name)


def _file_of(folder: Path, part: str) -> Path:
    return folder / "queries" / f"{part}.jsonl"


class _Graphs:
    """The graphs of a data set as files that every machine gets, by the part of which they have the facts last."""

    def __init__(self, spark: SparkSession, folder: Path, parts: Sequence[str]) -> None:
        """Raises FuzzError `data`: facts that cannot be read, or no held-out facts of a part."""
        self.entities, self._files = count_names(folder / "entities.tsv"), dict[str, str]()
        relations = 2 * count_names(folder / "relations.tsv")
        facts, edges = np.empty((0, 3), np.int32), 0
        temporary = tempfile.TemporaryDirectory(prefix="fuzzqe-")
        for part in _PARTS:
            facts = np.concatenate([facts, read_facts(folder, part, self.entities, relations)])
            if part not in parts and _LARGER.get(part) not in parts:
                continue
            graph = GraphArrays.of_triples(facts, self.entities, relations)
            if part in parts and len(graph.tails) == edges:
                message = f"no {part} queries can be sampled: the data set holds out no {part} facts"
                raise FuzzError("data", message, str(folder), f"Ask for none ({part}=0), or hold facts out.")
            edges = len(graph.tails)
            self._files[part] = f"fuzzqe-{part}-{uuid.uuid4()}"
            graph.save(Path(temporary.name, self._files[part]))
        # Executors that start later fetch files as well: they stay until the driver ends.
        _sent.append(temporary)
        for name in self._files.values():
            spark.sparkContext.addFile(str(Path(temporary.name, name)))

    def of(self, part: str) -> tuple[str, str | None]:
        """The files of the graph in which queries of a part are drawn, and of the smaller one."""
        return self._files[part], next((self._files[each] for each, larger in _LARGER.items() if larger == part), None)


_sent: list[tempfile.TemporaryDirectory[str]] = []


def _searches(part: str, size: int, train_negation: int | None, seed: int, every_1p: bool) -> list[StructureSearch]:
    found = []
    for name in STRUCTURES:
        lists = name == "1p" and every_1p
        if part == "train" and (name in _UNTRAINED or (name == "1p" and not lists)):
            continue
        wanted = train_negation if part == "train" and train_negation is not None and has_negation(name) else size
        if wanted > 0:
            found.append(StructureSearch(name, wanted, RandomStream("queries", seed).fork(part, name), lists))
    return found


def _search(
    spark: SparkSession,
    searches: Sequence[StructureSearch],
    files: tuple[str, str | None],
    entities: int,
    rules: DrawRules,
    on_progress: Callable[[], None],
) -> None:
    """Draws waves of blocks until each search has enough."""
    cores = spark.sparkContext.defaultParallelism
    while left := [search for search in searches if not search.done]:
        most = max(1, _BLOCKS_A_CORE * cores // len(left))
        wave = [(search, index) for search in left for index in search.next_blocks(entities, most)]
        tasks = [(search.name, search.lists, index, search.seed_of(index)) for search, index in wave]
        for (search, _), block in zip(wave, _draw(spark, tasks, files, rules), strict=True):
            search.take(block, entities)
        on_progress()


def _draw(
    spark: SparkSession,
    tasks: Sequence[tuple[str, bool, int, list[int]]],
    files: tuple[str, str | None],
    rules: DrawRules,
) -> Iterator[DrawnBlock]:
    """The blocks of tasks, in the order of the tasks."""
    larger, smaller = files

    schema = pa.schema(
        [
            ("at", pa.int64()),
            ("edges", pa.int64()),
            ("draws", pa.list_(pa.int32())),
            ("names", pa.list_(pa.string())),
            ("lines", pa.binary()),
        ]
    )

    def drawn(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        drawing = open_drawing(SparkFiles.get(larger), smaller and SparkFiles.get(smaller), rules)
        for batch in batches:
            for at in batch.column("id").to_pylist():
                name, lists, index, seed = tasks[at]
                block = (
                    drawing.list_projections(index) if lists else drawing.draw(STRUCTURES[name], seed, draws_of(index))
                )
                row = [at, block.edges, block.draws, block.names, zlib.compress("".join(block.lines).encode(), 1)]
                yield pa.RecordBatch.from_pylist([dict(zip(schema.names, row, strict=True))], schema)

    partitions = min(len(tasks), 4 * spark.sparkContext.defaultParallelism)
    table = spark.range(0, len(tasks), 1, partitions).mapInArrow(
        drawn, "at long, edges long, draws array<int>, names array<string>, lines binary"
    )
    for row in sorted(table.toArrow().to_pylist(), key=lambda row: row["at"]):
        lines = zlib.decompress(row["lines"]).decode().splitlines(keepends=True)
        yield DrawnBlock(row["edges"], row["draws"], row["names"], lines)


def _blocks(searches: Iterable[StructureSearch]) -> Iterator[bytes]:
    """What was found, structure after structure."""
    for search in searches:
        search.lines.seek(0)
        while block := search.lines.read(2**20):
            yield block

"""The folder of a data set, written from a table of triples that no machine has to hold."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from fuzzqe.errors import FuzzError

from .random_stream import mix, round_half_up

_NAMES = ("head", "relation", "tail")
_PARTS = ("train", "valid", "test")
_MASK = 0xFFFF_FFFF
_ROWS_A_PARTITION = 33
"""Bits of `monotonically_increasing_id` that count the rows of a partition."""


@dataclass(frozen=True, slots=True)
class WrittenDataset:
    """How many names and facts a folder has."""

    entities: int
    relations: int
    """Forward relations."""
    train: int
    valid: int
    test: int
    sha256: str
    """Of keys and split facts, as `dataset.json` has it."""


def write_dataset(
    triples: DataFrame,
    folder: str | Path,
    *,
    name: str,
    licence: str = "unknown",
    description: str = "",
    hold_out: float = 0.1,
    seed: int | str = 0,
) -> WrittenDataset:
    """Writes the folder that `fuzzqe data import` writes of the distinct rows, sorted as by `LC_ALL=C sort -u`.

    `triples` has the text columns `head`, `relation` and `tail`. `hold_out` in [0, 0.5) is the share of the facts for
    validation, and the share for the test. The folder is on the disk of the driver, which holds a batch of rows.

    Raises FuzzError `range`: a wrong share. `usage`: the folder exists. `data`: no facts, or a key that is empty or has
    a tab, a line end or a NUL.
    """
    if not 0 <= hold_out < 0.5:
        raise FuzzError("range", f"hold_out: expected a share in [0, 0.5), got {hold_out}", "hold_out")
    path = Path(folder)
    if path.exists():
        hint = "Choose another folder."
        raise FuzzError("usage", "folder: expected one that does not exist yet", str(path), hint=hint)
    rows = triples.select(*(fn.col(each).cast("string") for each in _NAMES)).persist()
    _check(rows)
    line = fn.concat_ws("\t", *_NAMES)
    rows = rows.distinct().withColumn("line", line).persist()
    heads, links, tails = (
        rows.select(fn.col(each).alias("key"), "line", fn.lit(place).alias("place"))
        for place, each in enumerate(_NAMES)
    )
    entities, relations = _numbered(heads.union(tails)), _numbered(links)
    facts = _placed(rows, _hashed(entities, seed), relations).persist()
    split = _split(facts, hold_out).persist()
    counts = dict.fromkeys(range(len(_PARTS)), 0)
    counts |= {row["part"]: row["count"] for row in split.groupBy("part").count().collect()}
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        sizes = (entities.count(), relations.count())
        digest = hashlib.sha256(f"fuzzqe dataset 1\n{sizes[0]} {2 * sizes[1]}\n".encode())
        _write(temporary / "entities.tsv", _name_lines(entities, 1, digest))
        _write(temporary / "relations.tsv", _name_lines(relations, 2, digest))
        for part, title in enumerate(_PARTS):
            digest.update(f"{counts[part]}\n".encode())
            if counts[part] > 0 or title == "train":
                _write(temporary / f"{title}.tsv", _fact_lines(split.filter(fn.col("part") == part), digest))
        sha256 = digest.hexdigest()
        header = {
            "format": 1,
            "name": name,
            "licence": licence,
            "description": description,
            "sha256": sha256,
            "origin": {"format": "tsv", "inverses": "added"},
            "split": "drawn",
        }
        _write(temporary / "dataset.json", [f"{json.dumps(header, indent=2, ensure_ascii=False)}\n".encode()])
        temporary.chmod(0o755)
        temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    finally:
        for table in (rows, entities, relations, facts, split):
            table.unpersist()
    return WrittenDataset(sizes[0], sizes[1], counts[0], counts[1], counts[2], sha256)


def _check(rows: DataFrame) -> None:
    def is_wrong(key: str) -> Column:
        # A null is neither, so it is asked for first.
        return fn.isnull(key) | fn.col(key).rlike(r"[\t\n\r\x00]") | ~fn.col(key).rlike(r"\S")

    wrong = rows.filter(is_wrong("head") | is_wrong("relation") | is_wrong("tail")).first()
    if wrong is not None:
        expected = "three keys without tabs, line ends and NULs, none of them empty"
        raise FuzzError("data", f"triples: expected {expected}, got {tuple(wrong)}", hint="Leave such rows out.")
    if rows.isEmpty():
        raise FuzzError("data", "triples: expected a fact or more, got none", hint="Name a table of triples.")


def _numbered(uses: DataFrame) -> DataFrame:
    """Keys with ids in the order in which sorted lines name them first: `key`, `id`."""
    first = uses.groupBy("key").agg(fn.min(fn.struct("line", "place")).alias("first"))
    at = fn.monotonically_increasing_id().alias("at")
    ordered = first.orderBy("first").select("key", at).persist()
    partition = fn.shiftright("at", _ROWS_A_PARTITION).cast("int")
    counts = {row["partition"]: row["count"] for row in ordered.groupBy(partition.alias("partition")).count().collect()}
    before, total = [], 0
    for each in sorted(counts):
        before.append((each, total))
        total += counts[each]
    offsets = uses.sparkSession.createDataFrame(before, "partition int, before long")
    in_partition = fn.col("at").bitwiseAND((1 << _ROWS_A_PARTITION) - 1)
    numbered = ordered.withColumn("partition", partition).join(fn.broadcast(offsets), "partition")
    return numbered.select("key", (fn.col("before") + in_partition).cast("int").alias("id")).persist()


def _hashed(names: DataFrame, seed: int | str) -> DataFrame:
    """Names with the two hashes of their keys by which the split goes: `key`, `id`, `high`, `low`."""
    one_seed, other_seed = hash_text(f"split {seed}", 0, 1)

    def hashed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            pairs = [hash_text(key, one_seed, other_seed) for key in batch.column("key").to_pylist()]
            highs, lows = ([pair[i] for pair in pairs] for i in (0, 1))
            columns = [*batch.columns, pa.array(highs, pa.int64()), pa.array(lows, pa.int64())]
            yield pa.RecordBatch.from_arrays(columns, ["key", "id", "high", "low"])

    return names.mapInArrow(hashed, "key string, id int, high long, low long")


def _placed(rows: DataFrame, entities: DataFrame, relations: DataFrame) -> DataFrame:
    """Facts as ids with the place of their pair: `head, relation, tail, place`."""
    heads, tails = (
        entities.select(*(fn.col(column).alias(f"{end}_{column}") for column in entities.columns))
        for end in ("head", "tail")
    )
    named = relations.select(fn.col("key").alias("relation"), (2 * fn.col("id")).alias("relation_id"))
    joined = rows.join(heads, fn.col("head") == fn.col("head_key")).join(tails, fn.col("tail") == fn.col("tail_key"))
    wanted = ["head_id", "relation_id", "tail_id", "head_high", "tail_high", "head_low", "tail_low"]

    def placed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            head_high, tail_high, head_low, tail_low = (
                batch.column(name).to_numpy(zero_copy_only=False).astype(np.uint32) for name in wanted[3:]
            )
            place = _place(head_high, tail_high, head_low, tail_low)
            yield pa.RecordBatch.from_arrays([*batch.columns[:3], pa.array(place)], [*_NAMES, "place"])

    schema = "head int, relation int, tail int, place double"
    return joined.join(named, "relation").select(*wanted).mapInArrow(placed, schema)


def _split(facts: DataFrame, hold_out: float) -> DataFrame:
    """Facts with their part, by the rule of an import: `head, relation, tail, part`."""
    uses = facts.select(fn.col("head").alias("entity"), "place").union(facts.select("tail", "place"))
    highest = uses.groupBy("entity").agg(fn.max("place").alias("highest"))
    kept = facts.groupBy("relation").agg(fn.max("place").alias("place")).select("place", fn.lit(True).alias("kept"))
    for end in ("head", "tail"):
        facts = facts.join(highest.select(fn.col("entity").alias(end), fn.col("highest").alias(f"{end}_highest")), end)
    facts = facts.join(kept.distinct(), "place", "left")
    place = fn.col("place")
    stays = (place == fn.col("head_highest")) | (place == fn.col("tail_highest")) | fn.col("kept").isNotNull()
    part = fn.when(stays, 0).when(place < hold_out, 2).when(place < 2 * hold_out, 1).otherwise(0)
    facts = facts.select(*_NAMES, "place", stays.alias("stays"), part.alias("part")).persist()
    wanted = round_half_up(facts.count() * hold_out)
    for number in (2, 1):
        if wanted == 0 or not facts.filter(fn.col("part") == number).isEmpty():
            continue
        is_free = (fn.col("part") == 0) & ~fn.col("stays")
        free = facts.filter(is_free).select("place").distinct().persist()
        lowest = free.orderBy("place").limit(max(1, round_half_up(free.count() * hold_out)))
        last = lowest.agg(fn.max("place").alias("last")).collect()[0]["last"]
        if last is not None:
            taken = is_free & (place <= last)
            facts = facts.withColumn("part", fn.when(taken, number).otherwise(fn.col("part")))
    return facts.select(*_NAMES, "part")


def _name_lines(names: DataFrame, step: int, digest: hashlib._Hash) -> Iterator[bytes]:
    for row in names.orderBy("id").toLocalIterator():
        digest.update(f"{json.dumps(row['key'], ensure_ascii=False)}\n".encode())
        key = row["key"].replace("\\", "\\\\")
        yield f"{step * row['id']}\t{key}\t{key}\n".encode()


def _fact_lines(facts: DataFrame, digest: hashlib._Hash) -> Iterator[bytes]:
    def encoded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = np.stack([batch.column(name).to_numpy() for name in _NAMES], axis=1)
            text = "".join(f"{head}\t{relation}\t{tail}\n" for head, relation, tail in rows.tolist())
            columns = [pa.array([text.encode()]), pa.array([rows.astype("<i4").tobytes()])]
            yield pa.RecordBatch.from_arrays(columns, ["text", "raw"])

    ordered = facts.orderBy(*_NAMES).select(*_NAMES)
    for row in ordered.mapInArrow(encoded, "text binary, raw binary").toLocalIterator():
        digest.update(bytes(row["raw"]))
        yield bytes(row["text"])


def _write(path: Path, blocks: Iterable[bytes]) -> None:
    with path.open("xb") as file:
        for block in blocks:
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


def hash_text(text: str, one_seed: int, other_seed: int) -> tuple[int, int]:
    """Two hashes of a text, in [0, 2³²). Source: FNV-1a, over UTF-16 units, from two beginnings."""
    one, other = 0x811C_9DC5 ^ one_seed, 0x811C_9DC5 ^ mix(other_seed)
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        unit = units[at] | units[at + 1] << 8
        one = (one ^ unit) * 0x0100_0193 & _MASK
        other = ((other ^ unit) * 0x0100_0193 & _MASK) ^ other >> 15
    return mix(one), mix(other)


_Words = npt.NDArray[np.uint32]


def _place(head_high: _Words, tail_high: _Words, head_low: _Words, tail_low: _Words) -> npt.NDArray[np.float64]:
    """Where pairs of entities stand in [0, 1), the same for both orders, of 53 bits. Shapes: [n]."""
    high = _mixed(head_high + tail_high)
    low = _mixed(head_low + tail_low + high)
    return (high * 2.0**21 + (low >> np.uint32(11))) / 2.0**53


def _mixed(values: _Words) -> _Words:
    """`mix` of each number. Shapes: [n]."""
    mixed: _Words = values ^ values >> np.uint32(16)
    mixed = mixed * np.uint32(0x85EB_CA6B)
    mixed ^= mixed >> np.uint32(13)
    mixed = mixed * np.uint32(0xC2B2_AE35)
    mixed ^= mixed >> np.uint32(16)
    return mixed

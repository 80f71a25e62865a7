"""Files of the folder of a data set that sampling reads and writes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from fuzzqe.errors import FuzzError

from .graph_arrays import Ids


def read_facts(folder: Path, part: str, entities: int, relations: int) -> Ids:
    """The facts of a part, whose file may be compressed by gzip; none without a file. Shapes: → [n, 3].

    Raises FuzzError `data`: a file that does not have three ids a line, or ids that have no names.
    """
    paths = [path for ending in ("", ".gz") if (path := folder / f"{part}.tsv{ending}").exists()]
    if not paths or (paths[0].suffix == ".tsv" and paths[0].stat().st_size == 0):
        return np.empty((0, 3), np.int32)
    names = ["head", "relation", "tail"]
    try:
        table = csv.read_csv(
            paths[0],
            read_options=csv.ReadOptions(column_names=names),
            parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.int32()), null_values=[]),
        )
    except (pa.ArrowInvalid, OSError) as error:
        message = f"facts: expected lines of three ids, got {str(error).splitlines()[0]}"
        raise FuzzError("data", message, str(paths[0]), "Import the data set again.") from error
    facts: Ids = np.stack([table.column(name).to_numpy() for name in names], axis=1)
    wrong = np.flatnonzero((facts < 0).any(axis=1) | (facts >= (entities, relations, entities)).any(axis=1))
    if len(wrong) > 0:
        expected = f"entities in [0, {entities}) and a relation in [0, {relations})"
        message = f"line {wrong[0] + 1}: expected {expected}, got {tuple(facts[wrong[0]].tolist())}"
        raise FuzzError("data", message, str(paths[0]), "Import the data set again.")
    return facts


def count_names(path: Path) -> int:
    """How many names a file has. Raises FuzzError `data`: it cannot be read."""
    try:
        with path.open("rb") as file:
            return sum(1 for _ in file)
    except OSError as error:
        hint = (
            "Give the folder of a data set on the disk of the driver, as write_dataset or fuzzqe data import wrote it."
        )
        raise FuzzError("data", f"names: cannot be read: {error.strerror}", str(path), hint) from error


def write_whole(path: Path, blocks: Iterable[bytes]) -> str:
    """Writes a file whole or not at all, flushed to the disk; gives the SHA-256 of its bytes."""
    digest = hashlib.sha256()
    temporary = path.with_name(f"{path.name}.tmp-{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            for block in blocks:
                digest.update(block)
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return digest.hexdigest()

"""The queries of one structure, gathered block by block until there are enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO

from .block_draw import ENTITIES_A_BLOCK, DrawnBlock
from .random_stream import RandomStream

_PATIENCE = 20_000
"""Draws without a new query until a structure counts as drawn out."""
_IDLE_EDGES = 10**9
"""The same for edges, in blocks without a new query."""


@dataclass(slots=True)
class StructureSearch:
    """What was found of a structure, block by block."""

    name: str
    wanted: int
    random: RandomStream
    lists: bool
    """Whether every query is listed instead of drawing some."""
    lines: IO[bytes] = field(default_factory=TemporaryFile)
    names: set[str] = field(default_factory=set)
    count: int = 0
    blocks: int = 0
    """How many were taken."""
    draws: int = 0
    last_new: int = -1
    idle_edges: int = 0
    done: bool = False

    def seed_of(self, index: int) -> list[int]:
        """The seed of a block's own stream."""
        stream = self.random.fork("block", index)
        return [stream.uint32() for _ in range(4)]

    def next_blocks(self, entities: int, most: int) -> range:
        """The blocks that are likely to be needed, `most` at most."""
        if self.lists:
            needed = -(-entities // ENTITIES_A_BLOCK) - self.blocks
        else:
            draws = (self.wanted - self.count) * (self.draws + 1) / (self.count + 1)
            needed, drawn = 1, draws_of(self.blocks)
            while drawn < draws and needed < most:
                drawn += draws_of(self.blocks + needed)
                needed += 1
        return range(self.blocks, self.blocks + min(needed, most))

    def take(self, block: DrawnBlock, entities: int) -> None:
        """Takes the new queries of the next block, and decides whether more blocks are wanted."""
        if self.done:
            return
        index, known = self.blocks, self.count
        self.blocks += 1
        if self.lists:
            self.count += len(block.lines)
            self.lines.writelines(line.encode() for line in block.lines)
            self.done = self.blocks * ENTITIES_A_BLOCK >= entities
            return
        start = self.draws
        self.draws += draws_of(index)
        self.done = not self._take_new(block, start)
        self.idle_edges = 0 if self.count > known else self.idle_edges + block.edges
        self.done |= self.idle_edges >= _IDLE_EDGES
        if self.done:
            self.names.clear()

    def _take_new(self, block: DrawnBlock, start: int) -> bool:
        for draw, name, line in zip(block.draws, block.names, block.lines, strict=True):
            if start + draw - self.last_new > _PATIENCE:
                return False
            if name in self.names:
                continue
            self.names.add(name)
            self.lines.write(line.encode())
            self.last_new = start + draw
            self.count += 1
            if self.count == self.wanted:
                return False
        return self.draws - self.last_new <= _PATIENCE


def draws_of(index: int) -> int:
    """How many draws a block has: few at first, because few queries need few."""
    return min(1024, 32 << min(index, 5))

"""The random streams of FuzzQE, so that a sample drawn here is the sample that Node draws."""

from __future__ import annotations

import json
import math
from itertools import pairwise

_MASK = 0xFFFF_FFFF


class RandomStream:
    """xoshiro128** seeded by labels: the numbers of `createRandom` of `@fuzzqe/core` with the same labels."""

    def __init__(self, *path: str | int) -> None:
        self._path = path
        self._state = _hash(json.dumps(path, separators=(",", ":"), ensure_ascii=False))

    def uint32(self) -> int:
        """A whole number in [0, 2³²)."""
        a, b, c, d = self._state
        product = b * 5 & _MASK
        result = ((product << 7 | product >> 25) & _MASK) * 9 & _MASK
        c ^= a
        d ^= b
        self._state = a ^ d, b ^ c, c ^ (b << 9 & _MASK), (d << 11 | d >> 21) & _MASK
        return result

    def below(self, bound: int) -> int:
        """A whole number in [0, bound)."""
        limit = 2**32 - 2**32 % bound
        while (drawn := self.uint32()) >= limit:
            pass
        return drawn % bound

    def fork(self, *labels: str | int) -> RandomStream:
        """Another stream, by the labels of this stream and these."""
        return RandomStream(*self._path, "/", *labels)


def draw_places(random: RandomStream, length: int, most: int) -> list[int]:
    """Distinct places of a list, ascending: a place of each of `most` equal stretches, or all of them."""
    if length <= most:
        return list(range(length))
    firsts = [i * length // most for i in range(most + 1)]
    return [first + random.below(last - first) for first, last in pairwise(firsts)]


def shuffle(random: RandomStream, values: list[int]) -> None:
    """Shuffles a list in place."""
    for i in range(len(values) - 1, 0, -1):
        other = random.below(i + 1)
        values[i], values[other] = values[other], values[i]


def round_half_up(value: float) -> int:
    """The nearest whole number; of two, the higher, as JavaScript rounds."""
    return math.floor(value + 0.5)


def _hash(text: str) -> tuple[int, int, int, int]:
    units = text.encode("utf-16-le", "surrogatepass")
    codes = [units[i] | units[i + 1] << 8 for i in range(0, len(units), 2)]

    def word(offset: int) -> int:
        h = offset
        for code in codes:
            h = (h ^ code) * 0x0100_0193 & _MASK
        return mix(h)

    return word(0x811C_9DC5), word(0x1234_5678), word(0x9E37_79B9), word(0x2545_F491) | 1


def mix(value: int) -> int:
    """Every bit of a number to every bit of another, in [0, 2³²). Source: the finaliser of MurmurHash3."""
    h = value ^ value >> 16
    h = h * 0x85EB_CA6B & _MASK
    h ^= h >> 13
    h = h * 0xC2B2_AE35 & _MASK
    return h ^ h >> 16

"""Values that are asked for again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")


class Kept(Generic[ValueT]):
    """The values that were used last, up to a size of all together; may be used by several threads."""

    def __init__(self, most: int, size: Callable[[ValueT], int]) -> None:
        self._most, self._size = most, size
        self._values: OrderedDict[Hashable, ValueT] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], ValueT]) -> ValueT:
        """The value of a key, which is made where it is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = made
                self._total += self._size(made)
            # The last one stays, whatever its size.
            while self._total > self._most and len(self._values) > 1:
                _, oldest = self._values.popitem(last=False)
                self._total -= self._size(oldest)
        return made

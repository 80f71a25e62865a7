"""Values of a JSON file, checked as they are taken out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .errors import FuzzError, describe_value
from .near_names import near_names, offer_names

SHA256 = (re.compile("[0-9a-f]{64}"), "64 lower-case hexadecimal digits")


class Fields:
    """A JSON object of a file, and where it stands there. Every method raises FuzzError `bundle`."""

    def __init__(self, value: object, file: str, path: str = "$") -> None:
        self.file, self.path = file, path
        if not isinstance(value, dict):
            raise self.wrong("", "an object", value)
        self.values: dict[str, Any] = value

    def wrong(self, key: str, expected: str, got: object) -> FuzzError:
        """The error of a value that is not what it has to be."""
        where = self.path + key
        text = f"{where}: expected {expected}, got {describe_value(got)}"
        return FuzzError(
            "bundle", text, self.file, "The file is damaged or of another program; export the bundle again."
        )

    def only(self, *known: str) -> None:
        """Refuses every other key: within a version of the format nothing is added."""
        for key in self.values:
            if key not in known:
                hint = offer_names(near_names(key, known), f"known keys: {', '.join(known)}")
                error = self.wrong(f".{key}", "no such key", key)
                raise FuzzError(error.code, f"{error.message}; {hint}", error.path, error.hint)

    def get(self, key: str) -> Any:
        """A value that has to be there."""
        if key not in self.values:
            raise self.wrong("", f'the key "{key}"', list(self.values))
        return self.values[key]

    def object(self, key: str) -> Fields:
        """An object."""
        return Fields(self.get(key), self.file, f"{self.path}.{key}")

    def objects(self, key: str) -> Iterator[tuple[str, Fields]]:
        """Each object of an object, by its key."""
        inner = self.object(key)
        return ((name, inner.object(name)) for name in inner.values)

    def optional_object(self, key: str) -> Fields | None:
        """An object, or None where there is null; the key has to be there."""
        return None if self.get(key) is None else self.object(key)

    def each(self, key: str) -> Iterator[Fields]:
        """Each object of an array."""
        return (Fields(item, self.file, f"{self.path}.{key}[{place}]") for place, item in enumerate(self.array(key)))

    def array(self, key: str) -> list[Any]:
        """An array."""
        value = self.get(key)
        if not isinstance(value, list):
            raise self.wrong(f".{key}", "an array", value)
        return value

    def text(self, key: str, choices: tuple[str, ...] = ()) -> str:
        """A string, one of the choices if there are any."""
        value = self.get(key)
        if not isinstance(value, str) or (choices and value not in choices):
            raise self.wrong(f".{key}", " or ".join(choices) if choices else "a string", value)
        return value

    def flag(self, key: str) -> bool:
        """True or False."""
        value = self.get(key)
        if not isinstance(value, bool):
            raise self.wrong(f".{key}", "true or false", value)
        return value

    def matching(self, key: str, pattern: re.Pattern[str], expected: str) -> str:
        """A string of a form."""
        value = self.get(key)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise self.wrong(f".{key}", expected, value)
        return value

    def integer(self, key: str, low: int, high: int = 2**53) -> int:
        """An integer in [low, high]."""
        value = self.get(key)
        # JSON has one kind of numbers: 3.0 is 3.
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.wrong(f".{key}", f"an integer in [{low}, {high}]", value)
        return value

    def number(self, key: str, low: float, high: float, *, above: bool = False) -> float:
        """A number in [low, high], or in (low, high]."""
        value = self.get(key)
        fits = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        if not fits or (above and value == low):
            raise self.wrong(f".{key}", f"a number in {'(' if above else '['}{low:g}, {high:g}]", value)
        return float(value)

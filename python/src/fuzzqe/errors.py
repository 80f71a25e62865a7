"""The one error that this package raises on purpose."""

from __future__ import annotations

import json
import re
from typing import Literal

ErrorCode = Literal["usage", "range", "query", "vocabulary", "data", "bundle", "runtime", "parity"]
"""What went wrong: an option, a number, a query, a name, facts, a bundle, what runs it, or answers that differ."""

_LONGEST_TEXT = 2000
_SURROGATE = re.compile("[\ud800-\udfff]")


class FuzzError(Exception):
    """Says what was expected and what was found; `path` says where, `hint` how to mend it.

    `path` is a JSON path (`$.and[1].from`), a place in a text (`line 1, column 9`) or a file.
    """

    def __init__(self, code: ErrorCode, message: str, path: str | None = None, hint: str | None = None) -> None:
        # What quotes a text from outside has to have UTF-8, which half of a pair of surrogates has not.
        message, path, hint = _encodable(message), path and _encodable(path), hint and _encodable(hint)
        # All arguments in the order of the signature, so that errors can be pickled between processes.
        super().__init__(code, message, path, hint)
        self.code: ErrorCode = code
        self.message = _cut(message)
        self.path = path
        self.hint = hint

    def __str__(self) -> str:
        where = "" if self.path is None else f"{self.path}: "
        fix = "" if self.hint is None else f"\n  {self.hint}"
        return f"{where}{self.message}{fix}"


def describe_value(value: object) -> str:
    """A value from outside as an error shows it: its JSON where it has one, cut to 60 characters."""
    if isinstance(value, list | tuple) and len(value) > 20:
        return f"an array of {len(value)}"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:59]}…"


def _encodable(text: str) -> str:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[:_LONGEST_TEXT]}… ({len(text) - _LONGEST_TEXT} more characters)"

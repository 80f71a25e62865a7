"""The words of the text notation of queries."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from .errors import FuzzError

Kind = Literal["bare name", "quoted name", "IRI", "id", "(", ")", ",", "^-1", "end"]

# What JavaScript's \s matches, so that both readers of the notation agree.
_SPACE = re.compile("[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*")
_IRI = re.compile("<[^<>\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+>")
_ID = re.compile(r"#([0-9]{1,17})")
_ESCAPE = re.compile(r'\\(?:(["\\nt])|u([0-9a-fA-F]{4}))')
_MEANINGS = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_BARE_MARKS = "_./:+-"
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Token:
    """A word, what it says without quotes or `#`, and where it begins and ends."""

    kind: Kind
    text: str
    start: int
    end: int


def is_bare(character: str) -> bool:
    """Whether a name with this character may stand without quotes."""
    return unicodedata.category(character)[0] in "LMN" or character in _BARE_MARKS


def read_token(text: str, offset: int, path: str | None) -> Token:
    """The token at or after an offset. Raises FuzzError `query`: nothing that a token begins with."""
    space = _SPACE.match(text, offset)
    start = offset if space is None else space.end()
    first = text[start : start + 1]
    match first:
        case "":
            return Token("end", "", start, start)
        case "(" | ")" | ",":
            return Token(first, first, start, start + 1)
        case '"':
            return _quoted_name(text, start, path)
        case "<":
            iri = _IRI.match(text, start)
            if iri is None:
                hint = "An IRI looks like <http://example.org/a>; other names like this stand between double quotes."
                raise error_at(text, start, "IRI: expected one without spaces and > after it", hint, path)
            return Token("IRI", iri[0], start, iri.end())
        case "#":
            digits = _ID.match(text, start)
            if digits is None:
                raise error_at(text, start, "id: expected digits after #", "An id looks like #123.", path)
            return Token("id", digits[1], start, digits.end())
    if text.startswith("^-1", start):
        return Token("^-1", "^-1", start, start + 3)
    end = start
    while end < len(text) and is_bare(text[end]):
        end += 1
    if end > start:
        return Token("bare name", text[start:end], start, end)
    raise error_at(
        text,
        start,
        f'query: expected a name, an operator, "(", ")" or ",", got {json.dumps(first, ensure_ascii=False)}',
        "The inverse of a relation is written ^-1."
        if first == "^"
        else "Put names with such characters between double quotes.",
        path,
    )


def error_at(text: str, offset: int, message: str, hint: str, path: str | None) -> FuzzError:
    """An error at a place of the text, with the line and a caret below the hint."""
    return FuzzError("query", message, place_of(text, offset, path), f"{hint}\n{point_at(text, offset)}")


def place_of(text: str, offset: int, path: str | None) -> str:
    """A place as people count: `line 1, column 14`."""
    line_start = text.rfind("\n", 0, offset) + 1
    place = f"line {text.count(chr(10), 0, offset) + 1}, column {offset - line_start + 1}"
    return place if path is None else f"{path}, {place}"


def point_at(text: str, offset: int) -> str:
    """The line around a place, and a caret under the place."""
    line_start = text.rfind("\n", 0, offset) + 1
    line_end = text.find("\n", offset)
    before = _plain(text[line_start:offset])
    after = _plain(text[offset : len(text) if line_end < 0 else line_end])
    left = f"…{before[-_SHOWN:]}" if len(before) > _SHOWN else before
    right = f"{after[:_SHOWN]}…" if len(after) > _SHOWN else after
    return f"  {left}{right}\n  {' ' * len(left)}^"


def _plain(text: str) -> str:
    """A text without what would move the caret or reach a terminal as a command."""
    return "".join(" " if unicodedata.category(each)[0] in "CZ" else each for each in text)


def _quoted_name(text: str, start: int, path: str | None) -> Token:
    parts: list[str] = []
    at = start + 1
    while at < len(text):
        if text[at] == '"':
            name = "".join(parts)
            # Escapes are UTF-16 code units: two halves next to each other are one character.
            name = name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
            return Token("quoted name", name, start, at + 1)
        if text[at] != "\\":
            parts.append(text[at])
            at += 1
            continue
        escape = _ESCAPE.match(text, at)
        if escape is None:
            got = json.dumps(text[at : at + 2], ensure_ascii=False)
            message = f'escape: expected \\", \\\\, \\n, \\t or \\u and four hexadecimal digits, got {got}'
            raise error_at(text, at, message, "Write a backslash as \\\\.", path)
        parts.append(_MEANINGS[escape[1]] if escape[1] else chr(int(escape[2], 16)))
        at = escape.end()
    raise error_at(text, start, 'quoted name: expected a closing ", got the end of the query', 'Add the ".', path)

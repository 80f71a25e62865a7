"""Asks the graph of a server: `fuzzqe serve BUNDLE`."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, Unpack, cast, get_args

from .answers import State
from .errors import FuzzError
from .fields import Fields
from .match_options import MatchOptions, written_options
from .match_support import read_because, read_sets, read_value
from .matches import Match, MatchCounts, MatchedEntity, Matches
from .server_connection import ServerConnection, json_or_none

_LONGEST_ANSWER = 2**26
_HOW_TO = "As http://localhost:8080, where fuzzqe serve BUNDLE serves."

PatternLike: TypeAlias = str | Mapping[str, Any]
"""A pattern as text, `?x, ?y : borders(?x, ?y)`, or as a dictionary of JSON with `select` and `where`."""


class GraphServer:
    """The graph of a server at an address: its first model, or another by its name.

    `key` defaults to the variable `FUZZQE_KEY`. What the server could not do for the moment is asked again, at most
    `attempts` times in all.
    """

    def __init__(
        self, url: str, *, model: str | None = None, key: str | None = None, timeout: float = 30.0, attempts: int = 3
    ) -> None:
        self._path = "/v1" if model is None else f"/v1/models/{urllib.parse.quote(model, safe='')}"
        self._server = ServerConnection(url, key=key, timeout=timeout, attempts=attempts, how_to=_HOW_TO)

    def match(self, pattern: PatternLike, **options: Unpack[MatchOptions]) -> Matches:
        """The rows that answer a pattern.

        `k` is how many rows and suggestions together. A row is recorded or has at least `min_degree`. `exclude="known"`
        leaves only predictions, `at` takes the facts of a date. `explain` says why each row is one, `count` how many
        answers there are, `order` sorts rows by values. `links` and `width` bound the search.
        Raises `FuzzError`: `query`, `vocabulary` or `range` the pattern or an option; `usage` no such option;
        `runtime` no server.
        """
        text = pattern if isinstance(pattern, str) else json.dumps(pattern, ensure_ascii=False)
        asked = {"pattern": pattern, **written_options(options)}
        return self._post("/patterns", asked, lambda answer: _matches(answer, text))

    def ask(self, question: str, **options: Unpack[MatchOptions]) -> Matches:
        """The rows that answer a question in English; `pattern` of the answer is the pattern that the question means.

        "How many" gives `counts`. Options are those of `match`.
        Raises `FuzzError`: `query` a question that the server cannot read, with questions that may be asked; `runtime`
        no server, or no answer of its translator; and as `match`.
        """

        def read(said: Fields) -> Matches:
            return _matches(said.object("answer"), said.object("pattern").text("text"))

        return self._post("/ask", {"question": question, **written_options(options)}, read)

    def _post(self, path: str, asked: Mapping[str, Any], read: Callable[[Fields], Matches]) -> Matches:
        body = json.dumps(asked).encode()

        def ask() -> Matches:
            with self._server.ask("POST", self._path + path, body, {"content-type": "application/json"}) as answer:
                said = answer.read(_LONGEST_ANSWER)
            try:
                return read(Fields(json_or_none(said), self._server.url))
            except (FuzzError, ValueError) as error:
                raise self._server.unexpected("an answer to a pattern", said) from error

        return self._server.attempted(ask)


def _matches(answer: Fields, pattern: str) -> Matches:
    columns = answer.array("columns")
    rows, suggestions = ([_match(each, len(columns)) for each in answer.each(key)] for key in ("rows", "suggestions"))
    counts = answer.object("counts") if "counts" in answer.values else None
    return Matches(
        pattern,
        [str(name) for name in columns],
        rows,
        suggestions,
        exact=answer.get("exact") is True,
        counts=None
        if counts is None
        else MatchCounts(
            counts.integer("recorded", 0), counts.get("atLeast") is True, counts.number("expected", 0, 2**53)
        ),
        warnings=[str(warning) for warning in answer.array("warnings")],
    )


def _match(row: Fields, columns: int) -> Match:
    entities = tuple(_entity(each) for each in row.each("entities"))
    if len(entities) != columns:
        raise row.wrong(".entities", f"{columns} entities", len(entities))
    state = row.text("state", tuple(get_args(State)))
    others = {name: _entity(each) for name, each in row.objects("others")}
    value = read_value(row.object("value")) if "value" in row.values else None
    degree = row.number("degree", 0, 1)
    return Match(entities, cast(State, state), degree, others, read_because(row), read_sets(row), value)


def _entity(entity: Fields) -> MatchedEntity:
    return MatchedEntity(entity.integer("id", 0), entity.text("key"), entity.text("label"))

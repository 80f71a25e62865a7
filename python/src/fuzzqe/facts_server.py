"""Changes the facts of a server, and reads its changes: `fuzzqe serve BUNDLE --facts DIR`."""

from __future__ import annotations

import http.client
import json
import urllib.parse
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from email.message import Message
from typing import Any, Literal, TypeAlias, TypeVar, cast

from .errors import FuzzError, describe_value
from .fact_changes import ChangeKind, FactBatch, FactChange, given_fields, read_batch
from .judgements import Judgements, NamesWritten, ProposedLink, judgements, names_written, proposed_links
from .server_connection import LONGEST_ANSWER, ServerConnection, json_or_none

_LONGEST_LINE = 2**28
_HOW_TO = "As http://localhost:8080, where fuzzqe serve BUNDLE --facts DIR serves."
_ABSENT = ("expected a server whose facts change, got one without /v1/facts", "Start it with --facts DIR.")


@dataclass(frozen=True, slots=True)
class FactsWritten:
    """What a write came to: the epoch at which it is durable and visible, and counts of facts.

    `created` counts entities and relations that the graph did not have, `rejected` links that were not rejected before.
    """

    epoch: int
    added: int
    removed: int
    unchanged: int
    store: str
    repeated: bool = False
    created: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact by its keys: whether it is recorded, whether somebody rejected it, and where it comes from."""

    head: str
    relation: str
    tail: str
    recorded: bool
    rejected: bool = False
    source: str | None = None
    date: str | None = None
    by: str | None = None
    at: str | None = None
    confidence: float | None = None
    said: float | None = None
    from_: str | None = None
    until: str | None = None


_Result = TypeVar("_Result")

FactLike: TypeAlias = FactChange | tuple[str, str, str]
"""A fact as `(head, relation, tail)`, or with its source, date, confidence and validity."""


class FactsServer:
    """The facts of a server at an address; `key` defaults to the variable `FUZZQE_KEY`.

    What the server could not do for the moment, or whose answer was lost, is asked again, at most `attempts` times in
    all. A write is sent again with the same idempotency key, so that it happens once.
    """

    def __init__(self, url: str, *, key: str | None = None, timeout: float = 30.0, attempts: int = 3) -> None:
        self._server = ServerConnection(
            url, key=key, timeout=timeout, attempts=attempts, how_to=_HOW_TO, absent=_ABSENT
        )

    def add(
        self, facts: Iterable[FactLike], *, create: bool = False, idempotency_key: str | None = None
    ) -> FactsWritten:
        """Adds facts, all or none; queries see them before this returns.

        `create`: names that the graph lacks become entities and relations; otherwise such a name is an error.
        """
        changes = (_as_change(fact, "add") for fact in facts)
        return self.write(changes, create=create, idempotency_key=idempotency_key)

    def remove(self, facts: Iterable[FactLike], *, idempotency_key: str | None = None) -> FactsWritten:
        """Removes facts, or takes rejections back, all or none."""
        return self.write((_as_change(fact, "remove") for fact in facts), idempotency_key=idempotency_key)

    def reject(self, facts: Iterable[FactLike], *, idempotency_key: str | None = None) -> FactsWritten:
        """Says that links are no facts, all or none: no answer has them until `remove` takes the rejection back."""
        return self.write((_as_change(fact, "reject") for fact in facts), idempotency_key=idempotency_key)

    def remove_source(
        self, source: str, *, idempotency_key: str | None = None, store: str | None = None
    ) -> FactsWritten:
        """Removes all facts that a source added last, as one batch; a source without facts is no error."""
        query = urllib.parse.urlencode({"source": source})
        return self._send("DELETE", f"?{query}", None, idempotency_key, store)

    def write(
        self,
        changes: Iterable[FactChange],
        *,
        create: bool = False,
        idempotency_key: str | None = None,
        store: str | None = None,
    ) -> FactsWritten:
        """Writes changes as one batch, of which the last of each fact wins.

        `create` lets added facts have names that the graph lacks. `idempotency_key` tells a repeated write from a new
        one; default: a new one for each call. `store` is the id of the store that is expected. Raises `FuzzError`:
        `vocabulary` a name that the graph lacks, with its line; `usage` no right to write, another store, no change;
        `runtime` no server, or one that takes no changes.
        """
        body = "".join(f"{json.dumps(_as_fields(asdict(change)))}\n" for change in changes)
        return self._send("POST", "?create=true" if create else "", body.encode(), idempotency_key, store)

    def find(
        self, head: str, relation: str, tail: str, *, at_least: int | None = None, store: str | None = None
    ) -> FoundFact:
        """Whether a fact is recorded now, and where it comes from.

        `at_least` is the epoch of a write, maybe by another server of the same facts: the answer has the write.
        Raises `FuzzError`: `vocabulary` a name that the graph lacks; `usage` the id of another store; `runtime` no
        server, or one that does not reach the epoch in two seconds, after all attempts.
        """
        query = urllib.parse.urlencode({"head": head, "relation": relation, "tail": tail})

        def ask() -> FoundFact:
            with self._server.ask("GET", f"/v1/facts?{query}", None, _reading(at_least, store)) as answer:
                return _found(answer.read(LONGEST_ANSWER), self._server)

        return self._server.attempted(ask)

    def changes(
        self, since: int = 0, *, wait: int = 0, at_least: int | None = None, store: str | None = None
    ) -> Changes:
        """The batches after an epoch, in order, as the server sends them.

        If there is none, the server waits `wait` seconds for one, at most 25. `at_least` is an epoch that the server
        must have. Raises `FuzzError`: `range` an epoch that the store does not have; `usage` the id of another store,
        whose epochs mean nothing here; `runtime` a server that does not reach `at_least` in two seconds.
        """
        query = f"/v1/facts?since={since}" if wait == 0 else f"/v1/facts?since={since}&wait={wait}"
        answer = self._server.attempted(lambda: self._server.ask("GET", query, None, _reading(at_least, store)))
        return Changes(answer, self._server)

    def rename(
        self, changes: Iterable[Mapping[str, Any]], *, idempotency_key: str | None = None, store: str | None = None
    ) -> NamesWritten:
        """Changes labels, further names and attributes of entities, all or none, as `PATCH /v1/entities` does.

        Each object has an `entity` and what changes: `label`, `aliases`, `attributes`; `None` takes a part back to
        what the bundle has. Raises `FuzzError` as `write`, and `usage`: an entity twice, or a value of another type.
        """
        body = "".join(f"{json.dumps(dict(change))}\n" for change in changes).encode()
        headers = _writing("application/x-ndjson", idempotency_key, store)
        return self._parsed("PATCH", "/v1/entities", names_written, body, headers)

    def judge(
        self,
        accept: Iterable[FactLike] = (),
        reject: Iterable[FactLike] = (),
        *,
        conflicts: Literal["refuse", "accept"] = "refuse",
        idempotency_key: str | None = None,
        store: str | None = None,
    ) -> FactsWritten:
        """Accepts links as facts and rejects links that are no facts, all or none, with the degree that each had.

        Raises `FuzzError` as `write`, and `usage`: accepted facts that conflict with what is known, unless `conflicts`
        is "accept".
        """
        lists = {
            name: [_as_fields({**asdict(_as_change(fact, "add")), "does": None}) for fact in facts]
            for name, facts in (("accept", accept), ("reject", reject))
        }
        headers = _writing("application/json", idempotency_key, store)
        query = f"/v1/judgements?conflicts={conflicts}"
        return self._written("POST", query, json.dumps(lists).encode(), headers)

    def next_judgements(
        self, *, entity: str | None = None, relation: str | None = None, limit: int = 20
    ) -> tuple[ProposedLink, ...]:
        """The links whose judgement teaches most, of the graph, an entity or a relation; `limit` is at most 100."""
        wanted = _as_fields({"entity": entity, "relation": relation, "limit": limit})
        query = f"/v1/judgements/next?{urllib.parse.urlencode(wanted)}"
        return self._parsed("GET", query, lambda said, _: proposed_links(said))

    def judgements(self) -> Judgements:
        """What was said of judged links, and what people found."""
        return self._parsed("GET", "/v1/judgements", lambda said, _: judgements(said))

    def _parsed(
        self,
        method: str,
        path: str,
        read: Callable[[Mapping[str, Any], str], _Result],
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> _Result:
        """Reads an object of JSON, with the id of the store."""

        def ask() -> _Result:
            with self._server.ask(method, path, body, headers or {}) as answer:
                text = answer.read(LONGEST_ANSWER)
                store = _epoch_of(answer.headers, self._server)[1]
            try:
                return read(cast(Mapping[str, Any], json_or_none(text)), store)
            except (KeyError, TypeError, ValueError) as error:
                raise self._server.unexpected("JSON as the server describes it", text) from error

        return self._server.attempted(ask)

    def _send(
        self, method: str, query: str, body: bytes | None, idempotency_key: str | None, store: str | None
    ) -> FactsWritten:
        headers = _writing(None if body is None else "application/x-ndjson", idempotency_key, store)
        return self._written(method, f"/v1/facts{query}", body, headers)

    def _written(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> FactsWritten:
        def ask() -> FactsWritten:
            with self._server.ask(method, path, body, headers) as answer:
                return _written(answer.read(LONGEST_ANSWER), answer.headers, self._server)

        return self._server.attempted(ask)


class Changes:
    """Batches of a log of facts, to iterate once or close; `epoch` and `store` are those when the answer began."""

    def __init__(self, answer: http.client.HTTPResponse, server: ServerConnection) -> None:
        self._answer = answer
        self._server = server
        self.epoch, self.store = _epoch_of(answer.headers, server)

    def __iter__(self) -> Iterator[FactBatch]:
        with self._answer:
            while True:
                try:
                    line = self._answer.readline(_LONGEST_LINE)
                except (OSError, http.client.HTTPException) as error:
                    raise FuzzError("runtime", f"the answer broke off: {error}", self._server.url) from error
                if not line:
                    return
                try:
                    yield read_batch(line)
                except ValueError as error:
                    raise self._server.unexpected("a batch of changes", line) from error

    def close(self) -> None:
        """Ends the answer."""
        self._answer.close()

    def __enter__(self) -> Changes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _reading(at_least: int | None, store: str | None) -> dict[str, str]:
    return {
        **({} if at_least is None else {"fuzzqe-at-least": str(at_least)}),
        **({} if store is None else {"fuzzqe-store": store}),
    }


def _writing(media: str | None, idempotency_key: str | None, store: str | None) -> dict[str, str]:
    return {
        **({} if media is None else {"content-type": media}),
        "idempotency-key": idempotency_key or str(uuid.uuid4()),
        **_reading(None, store),
    }


def _as_change(fact: FactLike, does: ChangeKind) -> FactChange:
    if isinstance(fact, FactChange):
        return FactChange(**{**asdict(fact), "does": does})
    if not isinstance(fact, tuple) or len(fact) != 3 or not all(isinstance(name, str) for name in fact):
        raise FuzzError("usage", f"fact: expected (head, relation, tail), got {describe_value(fact)}")
    return FactChange(*fact, does=does)


def _as_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, as JSON; `from` is a word of Python."""
    return {name.rstrip("_"): value for name, value in given.items() if value is not None}


def _written(body: bytes, headers: Message, server: ServerConnection) -> FactsWritten:
    counts = json_or_none(body)
    names = ("epoch", "added", "removed", "unchanged", "created", "rejected")
    # The last two are left out if they are 0.
    if not isinstance(counts, dict) or any(
        type(counts.get(name, 0 if i > 3 else None)) is not int for i, name in enumerate(names)
    ):
        raise server.unexpected("an epoch and counts", body)
    store = _epoch_of(headers, server)[1]
    repeated = counts.get("repeated") is True
    return FactsWritten(**{name: counts.get(name, 0) for name in names}, store=store, repeated=repeated)


def _found(body: bytes, server: ServerConnection) -> FoundFact:
    said = json_or_none(body)
    fields = FoundFact.__dataclass_fields__
    try:
        if not isinstance(said, dict) or type(said["recorded"]) is not bool:
            raise TypeError("expected a fact")
        known = {**said, **said.get("provenance", {})}
        return FoundFact(**given_fields(known, fields))
    except (KeyError, TypeError) as error:
        raise server.unexpected("whether a fact is recorded", body) from error


def _epoch_of(headers: Message, server: ServerConnection) -> tuple[int, str]:
    epoch, store = headers.get("fuzzqe-epoch", ""), headers.get("fuzzqe-store", "")
    if epoch.isdecimal() and store:
        return int(epoch), store
    raise server.unexpected("the headers fuzzqe-epoch and fuzzqe-store", b"")

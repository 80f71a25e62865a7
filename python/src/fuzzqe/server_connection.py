"""Asks a server over HTTP, again where it could not answer for the moment."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import TypeVar, cast, get_args

from .errors import ErrorCode, FuzzError, describe_value

LONGEST_ANSWER = 2**20
"""The most bytes of an answer that is no stream."""

_PASSING = (429, 503, 504)
_LONGEST_PAUSE = 10.0

_Result = TypeVar("_Result")


class ServerConnection:
    """A server at an address; `key` defaults to the variable `FUZZQE_KEY`.

    `absent` is the message and the hint of a server that has no path; `how_to` is the hint of other faults.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout: float,
        attempts: int,
        how_to: str,
        absent: tuple[str, str] | None = None,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise FuzzError("usage", f"server: expected an address of HTTP, got {describe_value(url)}", None, how_to)
        if attempts < 1:
            raise FuzzError("range", f"attempts: expected 1 or more, got {attempts}")
        self.url = url.rstrip("/")
        self._how_to = how_to
        self._absent = absent
        self._key = os.environ.get("FUZZQE_KEY") if key is None else key
        self._timeout = timeout
        self._attempts = attempts
        self._opener = urllib.request.build_opener(_NoRedirects)

    def attempted(self, ask: Callable[[], _Result]) -> _Result:
        """Asks again if the server could not answer for the moment."""
        for attempt in range(1, self._attempts + 1):
            try:
                return ask()
            except _PassingError as error:
                if attempt == self._attempts:
                    raise FuzzError(error.code, error.message, error.path, error.hint) from error
                time.sleep(error.pause)
        raise AssertionError("expected a return or an error")

    def ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """Sends one request, whose answer the caller reads and closes; raises FuzzError where it is refused."""
        key = {"authorization": f"Bearer {self._key}"} if self._key else {}
        request = urllib.request.Request(self.url + path, body, {**headers, **key}, method=method)
        try:
            # The opener asks HTTP only, whose answers are of this class.
            return cast(http.client.HTTPResponse, self._opener.open(request, timeout=self._timeout))
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from error
        except (OSError, http.client.HTTPException) as error:
            raise _PassingError("runtime", f"no server answers: {error}", self.url, self._how_to) from error

    def unexpected(self, expected: str, got: bytes) -> FuzzError:
        """The error of an answer of another form."""
        text = f"expected {expected}, got {describe_value(got.decode(errors='replace'))}"
        return FuzzError("runtime", text, self.url, self._how_to)

    def _refusal(self, error: urllib.error.HTTPError) -> FuzzError:
        said = json_or_none(error.read(LONGEST_ANSWER))
        problem = said if isinstance(said, dict) else {}

        def text(name: str) -> str | None:
            value = problem.get(name)
            return value if isinstance(value, str) else None

        if error.code == 404 and self._absent is not None:
            message, hint = self._absent
            return FuzzError("usage", message, self.url, hint)
        message = text("detail") or f"the server answered {error.code}"
        path = text("path") or self.url
        if error.code in _PASSING:
            refusal = _PassingError("runtime", message, path, text("hint"))
            after = error.headers.get("retry-after", "")
            if after.isdecimal():
                refusal.pause = min(float(after), _LONGEST_PAUSE)
            return refusal
        told = text("code")
        code = cast(ErrorCode, told) if told in get_args(ErrorCode) else "runtime" if error.code >= 500 else "usage"
        return FuzzError(code, message, path, text("hint"))


def json_or_none(body: bytes) -> object:
    """The value of a text of JSON, None where it is no JSON."""
    try:
        return cast(object, json.loads(body))
    except (ValueError, RecursionError):
        return None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address would get the key."""

    def redirect_request(self, *_: object) -> None:
        """Follows none."""


class _PassingError(FuzzError):
    """A refusal that may pass, and how long to wait."""

    pause: float = 0.2

"""Bundles and what Node says of them: FUZZQE_TEST_BUNDLES is a folder with a bundle and NAME.json of each."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from fuzzqe import Bundle

Answer: TypeAlias = tuple[int, dict[str, str], str]
Case: TypeAlias = dict[str, Any]

_ROOT = Path(os.environ.get("FUZZQE_TEST_BUNDLES", ""))
BUNDLES = sorted(path.parent for path in _ROOT.glob("*/manifest.json")) if str(_ROOT) != "." else []


# Every bundle with each of its profiles.
PROFILES = [
    (folder, name)
    for folder in BUNDLES
    for name in json.loads((folder / "manifest.json").read_text("utf-8"))["profiles"]
]


def said_by_node(folder: Path) -> Any:
    """What node-answers.mjs wrote of a bundle."""
    return json.loads(folder.with_suffix(".json").read_text("utf-8"))


def pytest_configure() -> None:
    if not BUNDLES:
        pytest.exit("set FUZZQE_TEST_BUNDLES to a folder of bundles: python/check.sh makes one", 2)


@pytest.fixture(scope="session")
def folder() -> Path:
    """A small bundle in every profile."""
    return next(path for path in BUNDLES if path.name == "product")


@pytest.fixture(scope="session")
def bundle(folder: Path) -> Bundle:
    """The same, open."""
    return Bundle.open(folder, threads=1)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may damage."""
    return Path(shutil.copytree(folder, tmp_path / "bundle"))


class Fake:
    """A server that gives the next of some answers, and keeps what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: list[Answer | None] = []
        self.asked: list[dict[str, Any]] = []


@pytest.fixture
def fake() -> Iterator[Fake]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            known.asked.append({"method": self.command, "path": self.path, "body": body, "headers": headers})
            answer = known.answers.pop(0)
            if answer is None:
                return  # The connection ends without an answer.
            self.send_response(answer[0])
            for name, value in answer[1].items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer[2].encode())

        do_POST = do_GET  # noqa: N815
        do_DELETE = do_GET  # noqa: N815
        do_PATCH = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known = Fake(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield known
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def served(folder: Path, tmp_path: Path) -> Iterator[str]:
    """`fuzzqe serve --facts` of the product bundle."""
    command = os.environ.get("FUZZQE_TEST_COMMAND")
    if not command:
        pytest.skip("FUZZQE_TEST_COMMAND names no built command: python/check.sh sets it")
    arguments = ["serve", str(folder), "--facts", str(tmp_path / "facts"), "--port", "0", "--workers", "1"]
    with subprocess.Popen(["node", command, *arguments], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        try:
            for said in process.stderr:
                if found := re.search(r"http://127\.0\.0\.1:\d+", said):
                    drain = threading.Thread(target=process.stderr.read)
                    drain.start()
                    yield found[0]
                    break
            else:
                pytest.fail(f"the server ended: {said}")
        finally:
            process.terminate()
            process.wait()
    drain.join()

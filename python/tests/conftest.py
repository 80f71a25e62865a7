"""Bundles and what Node says of them: FUZZQE_TEST_BUNDLES is a folder with a bundle and NAME.json of each."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from fuzzqe import Bundle

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

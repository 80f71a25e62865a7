from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from conftest import BUNDLES

import fuzzqe
from fuzzqe.__main__ import main

_PROJECT = Path(__file__).parents[1]


def test_the_code_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    blocks = re.findall(r"```python\n(.*?)```", (_PROJECT / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 7
    (tmp_path / "bundles").mkdir()
    (tmp_path / "bundles/countries").symlink_to(next(path for path in BUNDLES if path.name == "demo"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((_PROJECT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == fuzzqe.__version__


def test_the_command_checks_and_asks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder), "--profile", "int8"]) == 0
    assert "int8: 28 golden cases are answered" in capsys.readouterr().out
    assert main(["query", str(folder), "not(e0)", "--mode", "embedding", "--k", "3"]) == 0
    output = capsys.readouterr()
    assert output.out.count("predicted") + output.out.count("recorded") == 3
    assert "warning: open-negation" in output.err
    assert main(["query", str(folder), "e999"]) == 2
    assert "did you mean" in capsys.readouterr().err

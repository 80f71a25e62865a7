from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from conftest import BUNDLES, PROFILES

from fuzzqe import Bundle, FuzzError, check_golden
from fuzzqe.golden import has_golden_set
from fuzzqe.structures import STRUCTURES, structures_of


def seal(manifest: dict[str, Any], folder: Path) -> None:
    """Writes a manifest with its own digest."""
    text = json.dumps({**manifest, "sha256": "0" * 64}).encode()
    digest = hashlib.sha256(text).hexdigest().encode()
    (folder / "manifest.json").write_bytes(text.replace(b"0" * 64, digest, 1))


@pytest.mark.parametrize("plan", ["auto", "operators"])
@pytest.mark.parametrize(("folder", "profile"), PROFILES)
def test_answers_the_golden_cases_of_every_profile(
    folder: Path, profile: str, plan: Literal["auto", "operators"]
) -> None:
    bundle = Bundle.open(folder, profile=profile, threads=1)
    report = check_golden(bundle, plan)
    assert report.cases >= len(structures_of(bundle.manifest.model))
    assert max(report.embedding, report.score, report.degree) <= 1


def test_sets_are_computed_of_the_cases_that_have_one_each_by_itself(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bundle.path / bundle.manifest.profile(bundle.profile).golden
    cases = json.loads(path.read_text("utf-8"))["cases"]
    asked: list[int] = []
    degrees = Bundle.degrees

    def counted(self: Bundle, queries: Any) -> Any:
        asked.append(len(queries))
        return degrees(self, queries)

    monkeypatch.setattr(Bundle, "degrees", counted)
    check_golden(bundle)
    with_sets = [case for case in cases if case["sets"] is not None]
    assert 0 < len(with_sets) < len(cases)
    assert asked == [1] * len(with_sets)


def test_of_many_entities_one_structure_that_projects_a_set_has_a_golden_set() -> None:
    assert all(has_golden_set(name, 2**16) for name in STRUCTURES)
    without = {name for name in STRUCTURES if not has_golden_set(name, 2**16 + 1)}
    assert without == {"3p", "pi", "ip", "up", "inp", "pin", "pni"}


@pytest.mark.parametrize("profile", ["fp32", "fp16", "int8", "int8-basis"])
def test_a_perturbed_weight_fails_the_golden_cases(copy: Path, profile: str) -> None:
    _expect_noticed(copy, profile)


@pytest.mark.parametrize("name", ["gqe", "gqeDeepSets", "query2box", "betae", "betaeDm", "complex"])
def test_a_perturbed_weight_of_another_family_fails_the_golden_cases(name: str, tmp_path: Path) -> None:
    folder = next((path for path in BUNDLES if path.name == name), None)
    if folder is None:
        pytest.skip(f"no bundle of {name} was given")
    _expect_noticed(Path(shutil.copytree(folder, tmp_path / "bundle")), "fp32")


def _expect_noticed(copy: Path, profile: str) -> None:
    """A bundle whose last tables are others is refused, and with its digests put right misses its golden cases."""
    weights = copy / f"models/{profile}/weights.bin"
    content = weights.read_bytes()
    numbers = np.frombuffer(content, {"fp32": np.float32, "fp16": np.float16}.get(profile, np.int8)).copy()
    # The last table has the relations'.
    half = numbers[len(numbers) // 2 :]
    half[:] = half + 1 if profile.startswith("int8") else half * 1.01 + 0.01
    content = numbers.tobytes()
    weights.write_bytes(content)
    with pytest.raises(FuzzError, match=r"weights.bin: altered: expected sha256"):
        Bundle.open(copy, profile=profile)
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    path = f"models/{profile}/weights.bin"
    manifest["files"][path]["sha256"] = hashlib.sha256(content).hexdigest()
    seal(manifest, copy)
    with pytest.raises(FuzzError) as caught:
        check_golden(Bundle.open(copy, profile=profile, threads=1))
    assert caught.value.code == "parity"
    assert "times the tolerance" in str(caught.value)

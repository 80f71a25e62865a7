"""The golden cases of a bundle: whether this machine's onnxruntime computes what the float64 reference computed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import embedding
from .bundle import Bundle
from .embedding import Plan
from .errors import FuzzError
from .fields import Fields
from .manifest import Tolerance
from .model import Model
from .query import And, Entity, Not, Or, Project, Query
from .structures import STRUCTURES, fill_structure, structures_of


@dataclass(frozen=True, slots=True)
class GoldenReport:
    """How far a bundle's answers are from its golden cases, as shares of the tolerances; at most 1 passes."""

    profile: str
    cases: int
    embedding: float
    score: float
    degree: float


def check_golden(bundle: Bundle, plan: Plan = "auto") -> GoldenReport:
    """Answers the golden cases of the bundle's profile and compares.

    Raises FuzzError `parity`: an answer is not the golden one, by the four rules of docs/bundle-format.md. `bundle`:
    the file of the cases is damaged.
    """
    profile = bundle.manifest.profile(bundle.profile)
    path = str(bundle.path / profile.golden)
    try:
        golden = Fields(json.loads(bundle.folder.text(profile.golden)), path)
    except (ValueError, RecursionError) as error:
        raise FuzzError("bundle", f"expected JSON, got {error}", path, "Export the bundle again.") from error
    cases = [Fields(case, path, f"$.cases[{i}]") for i, case in enumerate(golden.array("cases"))]
    k = golden.integer("k", 1, bundle.manifest.model.entities)
    for case in cases:
        _check_case(case, k, bundle.manifest.model)
    embedded = structures_of(bundle.manifest.model)
    _expect_each(golden, set(embedded), cases, "a case of each structure")
    with_sets = [case for case in cases if case.get("sets") is not None]
    wanted = {name for name in embedded if has_golden_set(name, bundle.manifest.model.entities)}
    _expect_each(golden, wanted, with_sets, "a case with a fuzzy set of each structure")
    queries = [
        fill_structure(
            case.text("structure", tuple(STRUCTURES)),
            tuple(case.array("anchors")),
            tuple(case.array("relations")),
        )
        for case in cases
    ]
    vectors = bundle.embed(queries, plan=plan)
    rankings = embedding.rank(bundle.graphs, bundle.manifest.model, vectors, [None] * len(cases), k)
    worst = {"embedding": 0.0, "score": 0.0, "degree": 0.0}

    def compare(what: str, case: Fields, found: npt.ArrayLike, expected: npt.ArrayLike) -> None:
        share = _share(np.asarray(found), np.asarray(expected), profile.tolerances[what])
        worst[what] = max(worst[what], share)
        if share > 1:
            raise FuzzError(
                "parity",
                f"{what} of {case.get('structure')}: expected what the float64 reference gives, "
                f"got a difference of {share:.3g} times the tolerance",
                f"{path}, {case.path}",
                "The weights or this onnxruntime are at fault: try another version of onnxruntime.",
            )

    for case, query, vector, (ids, scores) in zip(cases, queries, vectors, rankings, strict=True):
        compare("embedding", case, vector, case.array("embedding"))
        compare("score", case, scores, case.array("scores"))
        placed = _placed(ids.tolist(), scores, case.array("ids"), case.array("scores"))
        compare("score", case, placed, case.array("scores"))
        # Sets are of the facts, which a bundle may be made without.
        if bundle.manifest.has_facts and case.get("sets") is not None:
            best = case.object("sets")
            # One at a time: a row has a number for every entity.
            row = bundle.degrees([query])[0]
            order = np.argsort(-row, kind="stable")[:k]
            compare("degree", case, row[order], best.array("degrees"))
            placed = _placed(order.tolist(), row[order], best.array("ids"), best.array("degrees"))
            compare("degree", case, placed, best.array("degrees"))
    return GoldenReport(profile.name, len(cases), **worst)


def has_golden_set(structure: str, entities: int) -> bool:
    """Whether a structure has a golden set: of more than 2¹⁶ entities, of those that project a set, 2p alone."""
    return entities <= _MANY_ENTITIES or structure == "2p" or not _projects_set(STRUCTURES[structure].tree)


_MANY_ENTITIES = 2**16


def _projects_set(query: Query) -> bool:
    match query:
        case Entity():
            return False
        case Project(_, operand):
            return not isinstance(operand, Entity) or _projects_set(operand)
        case Not(operand):
            return _projects_set(operand)
        case And(operands) | Or(operands):
            return any(map(_projects_set, operands))


def _expect_each(golden: Fields, wanted: AbstractSet[str], cases: Sequence[Fields], what: str) -> None:
    missing = wanted - {case.get("structure") for case in cases}
    if missing:
        raise golden.wrong(".cases", what, f"none of {', '.join(sorted(missing))}")


def _check_case(case: Fields, k: int, model: Model) -> None:
    """Raises FuzzError `bundle`: lengths, ids or numbers that no case has."""
    structure = STRUCTURES[case.text("structure", structures_of(model))]
    _ids(case, "anchors", model.entities, structure.anchors)
    _ids(case, "relations", model.relations, structure.relations)
    _numbers(case, "embedding", model.dimension)
    _ids(case, "ids", model.entities, k)
    _numbers(case, "scores", k)
    if case.get("sets") is not None:
        best = case.object("sets")
        _ids(best, "ids", model.entities, k)
        _numbers(best, "degrees", k)


def _ids(fields: Fields, key: str, count: int, length: int) -> None:
    values = fields.array(key)
    fits = all(isinstance(each, int) and not isinstance(each, bool) and 0 <= each < count for each in values)
    if len(values) != length or not fits:
        raise fields.wrong(f".{key}", f"{length} integers in [0, {count})", values)


def _numbers(fields: Fields, key: str, length: int) -> None:
    values = fields.array(key)
    fits = all(isinstance(each, int | float) and not isinstance(each, bool) and abs(each) < 1e38 for each in values)
    if len(values) != length or not fits:
        raise fields.wrong(f".{key}", f"{length} finite numbers", values)


def _share(found: npt.NDArray[Any], expected: npt.NDArray[Any], tolerance: Tolerance) -> float:
    """The largest difference as a share of the tolerance; infinite where something is no number or of another shape."""
    if found.shape != expected.shape:
        return float("inf")
    gaps = np.abs(found - expected) / (tolerance.absolute + tolerance.relative * np.abs(expected))
    return float(np.max(np.where(np.isnan(gaps), np.inf, gaps), initial=0.0))


def _placed(
    ids: Sequence[int], scores: npt.NDArray[Any], golden: Sequence[int], expected: Sequence[float]
) -> list[float]:
    """The golden score of each entity: one that is not listed has its own, or the last golden one if that is lower."""
    known = dict(zip(golden, expected, strict=True))
    return [known.get(entity, min(float(score), expected[-1])) for entity, score in zip(ids, scores, strict=True)]

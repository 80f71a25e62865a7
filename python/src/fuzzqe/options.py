"""How a query is to be answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Required, TypeAlias, TypedDict

import numpy as np

from .errors import FuzzError, describe_value
from .instants import DATES, instant_of
from .manifest import Manifest
from .near_names import near_names, offer_names

Mode: TypeAlias = Literal["sets", "embedding"]
"""By fuzzy sets of entities, in which recorded facts have degree 1, or by the embedding of the query."""

Exclude: TypeAlias = Literal["none", "known"]
"""Whether what the recorded facts give by themselves is left out of the answers."""


class SetsOptions(TypedDict, total=False):
    """How to answer by fuzzy sets, the default."""

    mode: Literal["sets"]
    k: int | None
    """How many answers and suggestions together, in [1, |E|]; 10 by default, or all entities where there are fewer."""
    exclude: Exclude
    min_degree: float | None
    """The lowest degree of an answer that is not recorded, in [0, 1]; 0 takes every degree above 0; 0.5 by default."""
    suggestions: bool
    """Whether the best entities below `min_degree` are listed, from a degree of 0.01 on; True by default."""
    at: str | None
    """A date as 2001, 2001-05 or 2001-05-31: only facts count that hold then; all facts by default."""


class EmbeddingOptions(TypedDict, total=False):
    """How to answer by the embedding."""

    mode: Required[Literal["embedding"]]
    k: int | None
    """How many answers, in [1, |E|]; 10 by default, or all entities where there are fewer."""
    exclude: Exclude


@dataclass(frozen=True, slots=True)
class Options:
    """Checked options, with their defaults."""

    mode: Mode = "sets"
    k: int = 10
    exclude: Exclude = "none"
    min_degree: float = 0.5
    suggestions: bool = True
    at: str | None = None


def check_names(given: Iterable[str], names: Sequence[str]) -> None:
    """Refuses options of other names. Raises FuzzError `usage`."""
    for name in given:
        if name not in names:
            hint = offer_names(near_names(name, names), f"Options are {', '.join(names)}.")
            raise FuzzError("usage", f'option: expected one of {", ".join(names)}, got "{name}"', hint=hint)


def check_options(given: Mapping[str, object], manifest: Manifest) -> Options:
    """Options that the mode and the bundle have. Raises FuzzError `usage` or `range`."""
    check_names(given, Options.__slots__)
    mode, exclude = given.get("mode", "sets"), given.get("exclude", "none")
    if mode != "sets" and mode != "embedding":
        raise _unusable("mode", "sets or embedding", mode, "Leave it out for answers by fuzzy sets.")
    if exclude != "none" and exclude != "known":
        raise _unusable("exclude", "none or known", exclude, "known leaves out what the recorded facts give.")
    if not manifest.has_facts:
        if mode == "sets":
            raise _unusable("mode", f"embedding, the only mode {_WITHOUT_FACTS}", mode, "Ask in mode embedding.")
        if exclude == "known":
            raise _unusable("exclude", f"none, as nothing is known {_WITHOUT_FACTS}", exclude, "Leave it out.")
    entities = manifest.model.entities
    k = given.get("k")
    if k is None:
        k = min(10, entities)
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= entities:
        message = f"k: expected an integer in [1, {entities}], got {describe_value(k)}"
        raise FuzzError("range", message, hint=f"The bundle has {entities} entities.")
    min_degree, suggestions = given.get("min_degree"), given.get("suggestions")
    if suggestions is not None and not isinstance(suggestions, bool):
        raise _unusable("suggestions", "True or False", suggestions, "Leave it out for True.")
    at = given.get("at")
    if mode == "embedding":
        for name, value in (("min_degree", min_degree), ("suggestions", suggestions or None), ("at", at)):
            if value is not None:
                raise _unusable(name, "none in mode embedding", value, "Ask in mode sets, or leave it out.")
    if min_degree is None:
        min_degree = 0.5
    # Degrees of the package are numpy's.
    if isinstance(min_degree, np.integer | np.floating):
        min_degree = min_degree.item()
    if not isinstance(min_degree, int | float) or isinstance(min_degree, bool) or not 0 <= min_degree <= 1:
        message = f"min_degree: expected a number in [0, 1], got {describe_value(min_degree)}"
        raise FuzzError("range", message, hint="Degrees of answers are in [0, 1]; 1 is for what is recorded.")
    if at is not None and (not isinstance(at, str) or instant_of(at) is None):
        raise _unusable("at", f"a date as {DATES}", at, "Leave it out for all facts.")
    return Options(mode, int(k), exclude, float(min_degree), suggestions is not False, at)


def check_facts(manifest: Manifest, what: str) -> None:
    """Raises FuzzError `usage`: what is asked for needs the facts that a bundle was made without."""
    if not manifest.has_facts:
        message = f"{what}: expected the facts of the graph, got a bundle that was made without them"
        raise FuzzError("usage", message, hint="Export the run without --target workers, or ask in mode embedding.")


_WITHOUT_FACTS = "of a bundle without facts"


def _unusable(name: str, expected: str, got: object, hint: str) -> FuzzError:
    return FuzzError("usage", f"{name}: expected {expected}, got {describe_value(got)}", hint=hint)

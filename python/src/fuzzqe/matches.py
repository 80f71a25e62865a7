"""What a server says to a pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, overload

from .answers import SHOWN, STATE_WORDS, State, frame
from .explain import SupportingLink
from .match_support import ConditionSupport, SetSupport, Value

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class MatchedEntity:
    """An entity of a row."""

    id: int
    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Match:
    """One row: an entity for each column."""

    entities: tuple[MatchedEntity, ...]
    state: State
    """How it stands to the recorded facts."""
    degree: float
    """How likely it is that all conditions hold, in (0, 1]."""
    others: Mapping[str, MatchedEntity]
    """The other variables that the search gave values, with these values."""
    because: tuple[ConditionSupport, ...] = ()
    """With `explain=True`: the links that support the row, condition by condition."""
    sets: tuple[SetSupport, ...] = ()
    """With `explain=True`: what supports conditions on values and on likeness."""
    value: Value | None = None
    """With `order`: the value by which rows are sorted, where the entity has one."""

    @property
    def links(self) -> tuple[SupportingLink, ...]:
        """All links of `because`."""
        return tuple(link for each in self.because for link in each.links)


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many answers a pattern has."""

    recorded: int
    """How many the facts give."""
    at_least: bool
    """Whether they may be more."""
    expected: float
    """The sum of the degrees of the rows and suggestions that were found."""


class Matches(Sequence[Match]):
    """The rows that answer one pattern, best first; a question of yes or no has one row for yes and no row for no."""

    def __init__(
        self,
        pattern: str,
        columns: Sequence[str],
        rows: Sequence[Match],
        suggestions: Sequence[Match] = (),
        *,
        exact: bool = True,
        counts: MatchCounts | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self.pattern = pattern
        """The pattern as it was asked."""
        self.columns = tuple(columns)
        """The names of the answer variables, without question marks; none for a question of yes or no."""
        self.suggestions = tuple(suggestions)
        """The best rows that are no answers, best first: none is to be stated as a fact."""
        self.exact = exact
        """Whether no better row was left out: False where a budget of the server ended first."""
        self.counts = counts
        """Where it was asked for: how many answers there are."""
        self.warnings = tuple(warnings)
        """What was likely not meant, as `code: text`."""
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, place: int) -> Match: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Match]: ...
    def __getitem__(self, place: int | slice) -> Match | Sequence[Match]:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Match]:
        return iter(self._rows)

    def to_dicts(self, *, suggestions: bool = False, keys: bool = False) -> list[dict[str, object]]:
        """A dictionary a row: the label of each variable, `state` and `degree`.

        With `suggestions` these as well, and `answer`. With `keys`, keys stand in the place of labels. A variable of
        the name `state`, `degree` or `answer` keeps its question mark.
        """
        columns = self._names()
        dicts: list[dict[str, object]] = []
        for place, row in enumerate((*self._rows, *self.suggestions) if suggestions else self._rows):
            named = {
                column: entity.key if keys else entity.label
                for column, entity in zip(columns, row.entities, strict=True)
            }
            answer = {"answer": place < len(self)} if suggestions else {}
            dicts.append({**named, "state": row.state, "degree": row.degree, **answer})
        return dicts

    def to_pandas(self, *, suggestions: bool = False, keys: bool = False) -> pandas.DataFrame:
        """The same as a frame. Raises FuzzError `usage`: pandas is not installed."""
        columns = [*self._names(), "state", "degree", *(("answer",) if suggestions else ())]
        return frame(self.to_dicts(suggestions=suggestions, keys=keys), columns)

    def _names(self) -> list[str]:
        return [f"?{name}" if name in ("state", "degree", "answer") else name for name in self.columns]

    def _title(self) -> str:
        suggested = f" and {len(self.suggestions)} suggestions" if self.suggestions else ""
        return f"{len(self)} answers{suggested} to {self.pattern}"

    def _lines(self) -> Iterator[tuple[str, ...]]:
        """What a person reads of the first rows: degree, labels, state."""
        for kind, listed in (("", self._rows), ("suggestion: ", self.suggestions)):
            for row in listed[:SHOWN]:
                labels = (entity.label for entity in row.entities)
                yield (f"{row.degree:.3f}", *labels, kind + STATE_WORDS[row.state])
            if len(listed) > SHOWN:
                yield ("", *("…" for _ in self.columns), f"{len(listed) - SHOWN} more")

    def __repr__(self) -> str:
        """The title, then a table."""
        lines = [("degree", *(f"?{name}" for name in self.columns), "state"), *self._lines()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
        return "\n".join([f"<{self._title()}>", *(f"  {text}".rstrip() for text in texts if len(lines) > 1)])

    def _repr_html_(self) -> str:
        """The same as a table, which notebooks show."""
        names = ("degree", *(f"?{name}" for name in self.columns), "state")
        head = "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in names) + "</tr>"
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in self._lines()
        )
        return f"<table><caption>{escape(self._title())}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"

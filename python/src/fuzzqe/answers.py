"""What a bundle says to a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar, overload

from .errors import FuzzError

if TYPE_CHECKING:
    import pandas


State: TypeAlias = Literal["recorded", "doubted", "partly", "predicted"]
"""How an answer stands to the recorded facts.

`recorded`: they give it, and its degree is 0.95 or more, or that of facts that are less than certain. `doubted`: they
give it, but its degree is less: the query negates a link that is not recorded, but expected. `partly`: they give some
operand of the conjunction that is no negation. `predicted`: they give none.
"""


@dataclass(frozen=True, slots=True)
class SetsAnswer:
    """An entity that answers a query by fuzzy sets."""

    id: int
    key: str
    label: str
    state: State
    """How it stands to the recorded facts."""
    degree: float
    """How likely it is that this entity answers the query, in (0, 1]; comparable between queries."""


@dataclass(frozen=True, slots=True)
class EmbeddingAnswer:
    """An entity that answers a query by its embedding."""

    id: int
    key: str
    label: str
    known: bool
    """Whether the recorded facts give this answer by themselves."""
    score: float
    """φ(q, e): comparable within one query, not between queries."""


@dataclass(frozen=True, slots=True)
class Link:
    """A triple, and what the bundle says of it."""

    head: int
    relation: int
    tail: int
    known: bool
    """Whether it is a recorded fact."""
    degree: float
    """(9) of docs/model.md: how likely it is a fact, in [0, 1]; 1 where it is recorded."""


STATE_WORDS: Mapping[State, str] = {
    "recorded": "recorded",
    "doubted": "recorded, but doubted",
    "partly": "partly predicted",
    "predicted": "predicted",
}
"""The states in words."""


def state_words(answer: SetsAnswer | EmbeddingAnswer) -> str:
    """What a person reads of the state of an answer."""
    if isinstance(answer, SetsAnswer):
        return STATE_WORDS[answer.state]
    return "recorded" if answer.known else "predicted"


SHOWN = 10
"""How many answers and how many suggestions a text or a table shows."""

AnswerT = TypeVar("AnswerT", bound=SetsAnswer | EmbeddingAnswer, covariant=True)


class Answers(Sequence[AnswerT], Generic[AnswerT]):
    """The answers to one query, best first, of equal ones the lower id first."""

    def __init__(
        self,
        query: str,
        answers: Sequence[AnswerT],
        warnings: Sequence[str],
        kind: type[AnswerT],
        suggestions: Sequence[AnswerT] = (),
    ) -> None:
        self.query = query
        """The query as text."""
        self.suggestions = tuple(suggestions)
        """In mode `sets`, the best entities that are no answers, best first: none is to be stated as a fact."""
        self.warnings = tuple(warnings)
        """What was likely not meant, as `code: text`."""
        self._answers = tuple(answers)
        self.kind = kind
        """Of what kind each is, and would be."""

    @overload
    def __getitem__(self, place: int) -> AnswerT: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[AnswerT]: ...
    def __getitem__(self, place: int | slice) -> AnswerT | Sequence[AnswerT]:
        return self._answers[place]

    def __len__(self) -> int:
        return len(self._answers)

    def __iter__(self) -> Iterator[AnswerT]:
        return iter(self._answers)

    def _title(self) -> str:
        suggested = f" and {len(self.suggestions)} suggestions" if self.suggestions else ""
        return f"{len(self)} answers{suggested} to {self.query}"

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        """What a person reads of the first answers and suggestions: degree or score, label, state."""
        for kind, listed in (("", self._answers), ("suggestion: ", self.suggestions)):
            for each in listed[:SHOWN]:
                if isinstance(each, SetsAnswer):
                    yield f"{each.degree:.3f}", each.label, kind + state_words(each)
                elif isinstance(each, EmbeddingAnswer):
                    yield f"{each.score:.3f}", each.label, state_words(each)
            if len(listed) > SHOWN:
                yield "", f"… {len(listed) - SHOWN} more", ""

    def __repr__(self) -> str:
        """The title, then a line an answer."""
        rows = list(self._rows())
        width = max((len(label) for _, label, _ in rows), default=0)
        lines = [f"  {value:5}  {label:{width}}  {state}".rstrip() for value, label, state in rows]
        return "\n".join([f"<{self._title()}>", *lines])

    def _repr_html_(self) -> str:
        """The same as a table, which notebooks show."""
        head = "<tr><th>degree</th><th>answer</th><th>state</th></tr>"
        if self.kind is EmbeddingAnswer:
            head = "<tr><th>score</th><th>answer</th><th></th></tr>"
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows())
        return f"<table><caption>{escape(self._title())}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"

    def to_pandas(self, *, suggestions: bool = False) -> pandas.DataFrame:
        """A row an answer, with its fields as columns; with `suggestions` these as well, and a column `answer`.

        Raises FuzzError `usage`: pandas is not installed.
        """
        columns = [field.name for field in fields(self.kind)]
        if not suggestions:
            return frame([asdict(answer) for answer in self], columns)
        rows = [{**asdict(each), "answer": place < len(self)} for place, each in enumerate((*self, *self.suggestions))]
        return frame(rows, [*columns, "answer"])


def to_pandas(answers: Iterable[Answers[AnswerT] | FuzzError]) -> pandas.DataFrame:
    """A row an answer of each query, with the place of its query in `query`; a query in vain is a row with `error`.

    Suggestions are left out. Raises FuzzError `usage`: pandas is not installed.
    """
    rows: list[dict[str, object]] = []
    kinds: dict[type, None] = {}
    for place, each in enumerate(answers):
        if isinstance(each, FuzzError):
            rows.append({"query": place, "error": str(each)})
        else:
            kinds[each.kind] = None
            rows += ({"query": place, **asdict(answer)} for answer in each)
    columns = ["query", *dict.fromkeys(field.name for kind in kinds for field in fields(kind))]
    errors = any("error" in row for row in rows)
    return frame(rows, [*columns, "error"] if errors else columns)


def frame(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None) -> pandas.DataFrame:
    """A frame of rows. Raises FuzzError `usage`: pandas is not installed."""
    try:
        import pandas
    except ImportError as error:
        message = "pandas: expected it to be installed, it is not"
        raise FuzzError("usage", message, hint="pip install 'fuzzqe-py[pandas]'") from error
    return pandas.DataFrame(rows, columns=None if columns is None else list(columns))

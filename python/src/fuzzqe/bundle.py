"""A bundle opened for answering."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from . import embedding
from .answers import Answers, EmbeddingAnswer, Link, SetsAnswer, State
from .embedding import Plan, chunks
from .errors import FuzzError, describe_value
from .evidence import Evidence
from .explain import Explainer, Explanation
from .facts import Facts, read_facts
from .folder import Folder
from .graphs import CHECK, Graphs
from .manifest import FACTS, Manifest, Profile
from .notation import format_query
from .options import EmbeddingOptions, Options, SetsOptions, check_facts, check_options
from .project_set import best
from .query import And, Entity, Not, Project, Query, check_id, warnings_of
from .query_forms import QueryLike, many, read_query
from .sets import Sets, rows_at_once
from .vocabulary import Names, Vocabulary, read_aliases, read_names, read_prefixes

Floats = npt.NDArray[np.float32]
_Marks: TypeAlias = npt.NDArray[np.bool_]

# From the most exact to the least.
_PROFILES = ("fp32", "fp16", "int8", "int8-basis")
_QUERIES_AT_ONCE = 64
_MOST_OFFERED = 16
LEAST_SUGGESTION = 0.01
"""The lowest degree of a suggestion."""
_UNDOUBTED = 0.95


class Bundle:
    """Answers queries from one bundle; may be used by several threads."""

    def __init__(self, folder: Folder, profile: Profile, threads: int | None) -> None:
        """Use `Bundle.open`."""
        manifest = folder.manifest
        self.manifest: Manifest = manifest
        self.profile = profile.name
        self.path = folder.path
        self.folder = folder
        self._at_once = rows_at_once(_QUERIES_AT_ONCE, manifest.model.entities)
        self.graphs = Graphs(folder, profile, threads)
        self.vocabulary = _read_vocabulary(folder)
        # Without its facts a bundle answers in mode `embedding` alone.
        recorded = folder.read(FACTS) if manifest.has_facts else b""
        self.facts: Facts = read_facts(recorded, manifest.model, FACTS)
        evidence = Evidence(folder, self.facts, self.graphs)
        self._sets = Sets(evidence.links, self.facts, manifest.model, manifest.sets.projection)
        self._explainer = Explainer(self._sets, self.facts, manifest.model.logic, self.vocabulary, evidence.reasons_of)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, profile: str | None = None, threads: int | None = None) -> Bundle:
        """Opens the folder of a bundle, or the newest version in a repository; compares files with their digests.

        `profile` is the stored form of the model, the most exact by default; `threads` how many one run takes, by
        default as many as there are cores.

        Raises FuzzError `bundle`: no bundle, another version, or files that are missing, cut off or altered. `usage`:
        no such profile, or threads that are no number of threads.
        """
        if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
            message = f"threads: expected a whole number above 0, got {describe_value(threads)}"
            raise FuzzError("usage", message, hint="Leave it out for as many as there are cores.")
        folder = Folder(path)
        chosen = folder.manifest.profile(profile if profile is not None else _most_exact(folder.manifest))
        folder.verify(chosen)
        return cls(folder, chosen, threads)

    @classmethod
    def cached(cls, path: str | os.PathLike[str], *, profile: str | None = None, threads: int | None = None) -> Bundle:
        """As `open`, once a process for each path, profile and threads, until it is closed or another lies there."""
        folder = Folder(path)
        key = (Path(path).resolve(), profile, threads)
        with _lock:
            bundle = _opened.get(key)
            # What was there before a new export would be in the memory for nobody.
            if bundle is None or bundle.graphs.closed or bundle.manifest.sha256 != folder.manifest.sha256:
                bundle = _opened[key] = cls.open(folder.path, profile=profile, threads=threads)
            return bundle

    def close(self) -> None:
        """Lets go of the sessions and of the weights that they have mapped; a second call does nothing.

        Names, facts and the reading of queries stay; whatever asks raises FuzzError `runtime` from then on.
        """
        self.graphs.close()

    def __enter__(self) -> Self:
        self.graphs.expect_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def entities(self) -> Names:
        """Keys and labels of the entities, as numpy arrays by id."""
        return self.vocabulary.entities

    @property
    def relations(self) -> Names:
        """Keys and labels of forward relations, as numpy arrays: that of id 2k is at k, and 2k + 1 is its inverse."""
        return self.vocabulary.relations

    @property
    def warnings(self) -> tuple[str, ...]:
        """What readers of the answers should know, as `code: text`."""
        if not self.manifest.has_facts:
            return (_EMBEDDING_ONLY,)
        return () if self.manifest.sets.fitted else (_UNFITTED,)

    def read(self, query: QueryLike) -> Query:
        """The tree of a query in any form, checked. Raises FuzzError `query`, `vocabulary` or `range`."""
        return read_query(query, self.vocabulary)

    def format(self, query: QueryLike) -> str:
        """A query as text. Raises FuzzError as `read` does."""
        return format_query(self.read(query), self.vocabulary)

    @overload
    def answer(self, query: QueryLike, **options: Unpack[SetsOptions]) -> Answers[SetsAnswer]: ...
    @overload
    def answer(self, query: QueryLike, **options: Unpack[EmbeddingOptions]) -> Answers[EmbeddingAnswer]: ...
    def answer(self, query: QueryLike, **options: Any) -> Answers[SetsAnswer] | Answers[EmbeddingAnswer]:
        """The best answers to a query.

        `k` is how many, 10 by default, `mode` is `"sets"` or `"embedding"`, `exclude="known"` leaves out what the
        recorded facts give by themselves. In mode `sets`, answers are what is recorded and what has a degree of
        `min_degree`, 0.5 by default; the best of the others are `suggestions`, unless that is False.

        Raises FuzzError `query`, `vocabulary` or `range`: the query. `usage` or `range`: an option. `bundle` or
        `runtime`: a graph that is damaged or does not run, or a bundle that is closed.
        """
        checked = check_options(options, self.manifest)
        return self._answer([self.read(query)], checked)[0]

    def explain(self, query: QueryLike, **options: Unpack[SetsOptions]) -> list[Explanation]:
        """The answers to a query by fuzzy sets, each with the links that it rests on and the reasons of predicted ones.

        Suggestions come after the answers. Options are those of `answer`.

        Raises FuzzError as `answer` does. `usage`: mode embedding, whose answers follow from no links.
        """
        checked = check_options(options, self.manifest)
        if checked.mode != "sets":
            message = f'mode: expected sets, got "{checked.mode}"'
            raise FuzzError("usage", message, hint="Answers by the embedding follow from no links; leave mode out.")
        self.graphs.expect_open()
        tree = self.read(query)
        (answers,) = self._by_sets([tree], checked)
        return self._explainer.explain(tree, [*answers, *answers.suggestions])

    @overload
    def answer_many(
        self, queries: Iterable[QueryLike], **options: Unpack[SetsOptions]
    ) -> list[Answers[SetsAnswer]]: ...
    @overload
    def answer_many(
        self, queries: Iterable[QueryLike], **options: Unpack[EmbeddingOptions]
    ) -> list[Answers[EmbeddingAnswer]]: ...
    def answer_many(
        self, queries: Iterable[QueryLike], **options: Any
    ) -> list[Answers[SetsAnswer]] | list[Answers[EmbeddingAnswer]]:
        """As `answer` for each query, in their order, with one run for what queries have alike.

        Raises FuzzError as `answer` does; `path` begins with the place of the query.
        """
        checked = check_options(options, self.manifest)
        trees = []
        for place, query in enumerate(many(queries)):
            try:
                trees.append(self.read(query))
            except FuzzError as error:
                path = f"queries[{place}]" + ("" if error.path is None else f", {error.path}")
                raise FuzzError(error.code, error.message, path, error.hint) from None
        return self._answer(trees, checked)

    @overload
    def answer_each(
        self, queries: Iterable[QueryLike], **options: Unpack[SetsOptions]
    ) -> list[Answers[SetsAnswer] | FuzzError]: ...
    @overload
    def answer_each(
        self, queries: Iterable[QueryLike], **options: Unpack[EmbeddingOptions]
    ) -> list[Answers[EmbeddingAnswer] | FuzzError]: ...
    def answer_each(
        self, queries: Iterable[QueryLike], **options: Any
    ) -> list[Answers[SetsAnswer] | FuzzError] | list[Answers[EmbeddingAnswer] | FuzzError]:
        """As `answer_many`, with its error in the place of a query that cannot be read, for jobs that go on.

        Raises FuzzError `usage` or `range`: an option. `bundle` or `runtime`: a graph that is damaged or does not run.
        """
        checked = check_options(options, self.manifest)
        trees: list[Query] = []
        errors: dict[int, FuzzError] = {}
        places = 0
        plain = self.vocabulary.without_offers()
        for place, query in enumerate(many(queries)):
            places += 1
            try:
                # A table of misspelt names would take longer for its hints than for its answers.
                trees.append(read_query(query, self.vocabulary if len(errors) < _MOST_OFFERED else plain))
            except FuzzError as error:
                errors[place] = error
        answers = iter(self._answer(trees, checked))
        # What is not an error was answered, in order.
        results: list[Any] = [errors[place] if place in errors else next(answers) for place in range(places)]
        return results

    def embed(self, queries: Iterable[QueryLike], *, plan: Plan = "auto") -> Floats:
        """S_q of queries. Shape: [n, d]. Raises FuzzError as `answer_many` does."""
        self.graphs.expect_open()
        return embedding.embed(self.graphs, self.manifest.model, [self.read(query) for query in many(queries)], plan)

    def degrees(self, queries: Iterable[QueryLike]) -> Floats:
        """The fuzzy set of the answers of queries: a degree of each entity. Shape: [n, |E|].

        Raises FuzzError as `answer_many` does. `usage`: the bundle was made without its facts.
        """
        self.graphs.expect_open()
        check_facts(self.manifest, "degrees")
        trees = [self.read(query) for query in many(queries)]
        found = [self._sets.degrees(chunk) for chunk in chunks(trees, self._at_once)]
        rows = [row for chunk in found for row in chunk]
        return np.stack(rows) if rows else np.empty((0, self.manifest.model.entities), np.float32)

    def links(self, triples: Iterable[Sequence[int | str]]) -> list[Link]:
        """Triples of head, relation and tail, by names or ids, with degrees.

        Raises FuzzError `vocabulary`, `range` or `query`: a triple; `path` begins with its place. `usage`: the bundle
        was made without its facts.
        """
        self.graphs.expect_open()
        check_facts(self.manifest, "links")
        read = [self._triple(triple, f"triples[{place}]") for place, triple in enumerate(triples)]
        links = list(dict.fromkeys((head, relation) for head, relation, _ in read))
        tails: dict[tuple[int, int], list[int]] = defaultdict(list)
        for head, relation, tail in read:
            tails[head, relation].append(tail)
        found: dict[tuple[int, int, int], Link] = {}
        for chunk in chunks(links, self._at_once):
            # Rows have a number for every entity: only those of the tails are kept.
            degrees = self._sets.degrees([Project(relation, Entity(head)) for head, relation in chunk])
            for i, (head, relation) in enumerate(chunk):
                recorded = set(self.facts.tails(head, relation).tolist())
                for tail in tails[head, relation]:
                    found[head, relation, tail] = Link(
                        head, relation, tail, known=tail in recorded, degree=float(degrees[i][tail])
                    )
        return [found[triple] for triple in read]

    def _triple(self, triple: Sequence[int | str], path: str) -> tuple[int, int, int]:
        if isinstance(triple, str) or not isinstance(triple, Sequence) or len(triple) != 3:
            message = f"triple: expected a head, a relation and a tail, got {describe_value(triple)}"
            raise FuzzError("query", message, path, 'For example ("Germany", "borders", "France").')
        model = self.manifest.model
        ids = []
        for part, value in zip(("head", "relation", "tail"), triple, strict=True):
            kind, count = ("relation", model.relations) if part == "relation" else ("entity", model.entities)
            find = self.vocabulary.relation if part == "relation" else self.vocabulary.entity
            try:
                ids.append(find(value) if isinstance(value, str) else check_id(kind, value, count, ""))
            except FuzzError as error:
                raise FuzzError(error.code, error.message, f"{path}.{part}", error.hint) from None
        return ids[0], ids[1], ids[2]

    def _answer(
        self, queries: Sequence[Query], options: Options
    ) -> list[Answers[SetsAnswer]] | list[Answers[EmbeddingAnswer]]:
        self.graphs.expect_open()
        parts = chunks(queries, self._at_once)
        if options.mode == "embedding":
            return [each for chunk in parts for each in self._by_embedding(chunk, options)]
        return [each for chunk in parts for each in self._by_sets(chunk, options)]

    def _by_sets(self, queries: Sequence[Query], options: Options) -> list[Answers[SetsAnswer]]:
        answers = []
        # Degrees are of single precision: a limit of 0.7 keeps what is as near to it as they can be.
        least, lowest = np.float32(options.min_degree), np.float32(LEAST_SUGGESTION)
        for query, degrees in zip(queries, self._sets.degrees(queries), strict=True):
            if np.isnan(degrees).any():
                raise FuzzError("runtime", "degrees: expected numbers, got NaN", hint=CHECK)
            known = self.facts.answers(query)
            partly = self._partly(query)

            def named(ids: npt.NDArray[np.int32], degrees: Floats, known: _Marks, partly: _Marks) -> list[SetsAnswer]:
                return [
                    SetsAnswer(
                        **self._names(entity),
                        state=_state(float(degrees[entity]), bool(known[entity]), bool(partly[entity])),
                        degree=float(degrees[entity]),
                    )
                    for entity in ids.tolist()
                ]

            sure = (degrees >= least) if options.exclude == "known" else known | (degrees >= least)
            open_ = np.where(known, 0, degrees) if options.exclude == "known" else degrees
            ids = best(np.where(sure, open_, 0), options.k)
            wanted = options.k - len(ids) if options.suggestions else 0
            others = best(np.where(sure | known | (degrees < lowest), 0, degrees), wanted)
            warnings = warnings_of(query)
            if len(ids) == len(others) == 0:
                warnings = [*warnings, _nothing(options)]
            answers.append(
                Answers(
                    format_query(query, self.vocabulary),
                    named(ids, degrees, known, partly),
                    warnings,
                    SetsAnswer,
                    named(others, degrees, known, partly),
                )
            )
        return answers

    def _partly(self, query: Query) -> _Marks:
        """What the facts give to some operand of a conjunction; an absent link is no evidence."""
        marks = np.zeros(self.manifest.model.entities, bool)
        if isinstance(query, And):
            for operand in query.operands:
                if not isinstance(operand, Not):
                    marks |= self.facts.answers(operand)
        return marks

    def _by_embedding(self, queries: Sequence[Query], options: Options) -> list[Answers[EmbeddingAnswer]]:
        model = self.manifest.model
        vectors = embedding.embed(self.graphs, model, queries)
        known = [self._known(query) for query in queries]
        excluded = [each if options.exclude == "known" else None for each in known]
        answers = []
        rankings = embedding.rank(self.graphs, model, vectors, excluded, options.k)
        for query, recorded, (ids, scores) in zip(queries, known, rankings, strict=True):
            entities = [
                EmbeddingAnswer(**self._names(entity), known=bool(recorded[entity]), score=score)
                for entity, score in zip(ids.tolist(), scores.tolist(), strict=True)
            ]
            warnings = [*warnings_of(query), *_few_unrecorded(len(entities), options)]
            warnings += () if self.manifest.has_facts else (_EMBEDDING_ONLY,)
            answers.append(Answers(format_query(query, self.vocabulary), entities, warnings, EmbeddingAnswer))
        return answers

    def _known(self, query: Query) -> _Marks:
        """What the recorded facts give; nothing where they are not there, of a negation as well."""
        if self.manifest.has_facts:
            return self.facts.answers(query)
        return np.zeros(self.manifest.model.entities, bool)

    def _names(self, entity: int) -> _Named:
        return {"id": entity, "key": self.entities.keys[entity], "label": self.entities.labels[entity]}


class _Named(TypedDict):
    id: int
    key: str
    label: str


_lock = threading.Lock()
_opened: dict[tuple[object, ...], Bundle] = {}

_UNFITTED = (
    "default-calibration: degrees are by the default weights of evidence; with 20 validation facts or more, "
    "fuzzqe calibrate fits weights of this graph"
)

_EMBEDDING_ONLY = (
    "embedding-only: the bundle was made without its facts, so that it fits where it runs: answers are by the "
    "embedding, and no answer is marked as known"
)


def _most_exact(manifest: Manifest) -> str:
    return next((name for name in _PROFILES if name in manifest.profiles), next(iter(manifest.profiles)))


def _state(degree: float, known: bool, partly: bool) -> State:
    if known:
        return "recorded" if degree >= _UNDOUBTED else "doubted"
    return "partly" if partly else "predicted"


def _few_unrecorded(count: int, options: Options) -> list[str]:
    """Says where everything else is recorded, and left out for that."""
    if options.exclude != "known" or count == options.k:
        return []
    return [f"few-answers: {count} of {options.k} answers, all others are recorded"]


def _nothing(options: Options) -> str:
    """Says why there is neither an answer nor a suggestion."""
    lowest = min(options.min_degree, LEAST_SUGGESTION) if options.suggestions else options.min_degree
    least = f"of {lowest:g} or more" if lowest > 0 else "above 0"
    if options.exclude == "known":
        return f"few-answers: no answers beyond the recorded ones: no other entity has a degree {least}"
    return f"few-answers: no answers: nothing is recorded, and no entity has a degree {least}"


def _read_vocabulary(folder: Folder) -> Vocabulary:
    model, files = folder.manifest.model, folder.manifest.files
    path = "vocabulary/prefixes.tsv"
    prefixes = read_prefixes(folder.text(path), path) if path in files else {}
    further = "vocabulary/aliases.tsv"
    aliases = read_aliases(folder.text(further), further, model.entities) if further in files else []
    entities = _read_names(folder, "entity", "vocabulary/entities.tsv", model.entities, 1, prefixes, aliases)
    relations = _read_names(folder, "relation", "vocabulary/relations.tsv", model.relations // 2, 2, prefixes)
    return Vocabulary(entities, relations, prefixes)


def _read_names(
    folder: Folder,
    kind: Literal["entity", "relation"],
    path: str,
    count: int,
    step: int,
    prefixes: Mapping[str, str],
    aliases: Sequence[tuple[int, str]] = (),
) -> Names:
    keys, labels = read_names(folder.text(path), path, kind, count, step)
    return Names(kind, keys, labels, prefixes, aliases)

"""A bundle opened for answering."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, Unpack, overload

import numpy as np
import numpy.typing as npt

from . import embedding
from .answers import Answers, EmbeddingAnswer, Link, SetsAnswer
from .delta import Batches, GivenFact, Net, declares_axioms, forward, net_of, said_of
from .embedding import Plan, chunks
from .errors import FuzzError, describe_value
from .evidence import Evidence
from .explain import Explanation
from .fact_changes import ChangeKind, FactChange
from .facts import Facts, read_facts
from .folder import Folder
from .graphs import Graphs
from .instants import instant_of
from .manifest import FACTS, PROVENANCE, Manifest, Profile
from .notation import format_query
from .options import EmbeddingOptions, Options, SetsOptions, check_facts, check_options
from .provenance import read_said
from .query import Entity, Project, Query, check_id, warnings_of
from .query_forms import QueryLike, many, read_query
from .sets import rows_at_once
from .sets_view import SetsView, names_of
from .vocabulary import Names, Vocabulary, read_aliases, read_names, read_prefixes

Floats = npt.NDArray[np.float32]
_Marks: TypeAlias = npt.NDArray[np.bool_]

# From the most exact to the least.
_PROFILES = ("fp32", "fp16", "int8", "int8-basis")
_QUERIES_AT_ONCE = 64
_MOST_OFFERED = 16


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
        facts = read_facts(recorded, manifest.model, FACTS)
        if PROVENANCE in manifest.files:
            facts = Facts(facts.triples, manifest.model, read_said(folder.text(PROVENANCE), facts, PROVENANCE))
        self._view = SetsView(manifest, self.vocabulary, facts, Evidence(folder, facts, self.graphs))

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
    def facts(self) -> Facts:
        """The recorded facts: those of the bundle, or after changes."""
        return self._view.facts

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
        return self._answer([self._read_for(query, checked)], checked)[0]

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
        view = self._view_at(checked.at)
        (answers,) = view.answers([tree], checked)
        return view.explainer.explain(tree, [*answers, *answers.suggestions])

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
                trees.append(self._read_for(query, checked))
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
                names = self.vocabulary if len(errors) < _MOST_OFFERED else plain
                trees.append(self._read_for(query, checked, names))
            except FuzzError as error:
                errors[place] = error
        answers = iter(self._answer(trees, checked))
        # What is not an error was answered, in order.
        results: list[Any] = [errors[place] if place in errors else next(answers) for place in range(places)]
        return results

    def embed(self, queries: Iterable[QueryLike], *, plan: Plan = "auto") -> Floats:
        """S_q of queries. Shape: [n, d]. Raises FuzzError as `answer_many` does."""
        self.graphs.expect_open()
        model = self.manifest.model
        trees = [self.read(query) for query in many(queries)]
        for tree in trees:
            embedding.expect_embedded(model, tree)
        return embedding.embed(self.graphs, model, trees, plan)

    def degrees(self, queries: Iterable[QueryLike]) -> Floats:
        """The fuzzy set of the answers of queries: a degree of each entity. Shape: [n, |E|].

        Raises FuzzError as `answer_many` does. `usage`: the bundle was made without its facts.
        """
        self.graphs.expect_open()
        check_facts(self.manifest, "degrees")
        trees = [self.read(query) for query in many(queries)]
        found = [self._view.sets.degrees(chunk) for chunk in chunks(trees, self._at_once)]
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
            degrees = self._view.sets.degrees([Project(relation, Entity(head)) for head, relation in chunk])
            for i, (head, relation) in enumerate(chunk):
                recorded = set(self.facts.tails(head, relation).tolist())
                for tail in tails[head, relation]:
                    found[head, relation, tail] = Link(
                        head, relation, tail, known=tail in recorded, degree=float(degrees[i][tail])
                    )
        return [found[triple] for triple in read]

    def with_facts(
        self,
        added: Iterable[GivenFact] = (),
        removed: Iterable[GivenFact] = (),
        rejected: Iterable[GivenFact] = (),
    ) -> Bundle:
        """This bundle with some facts more, some facts fewer and some links rejected; this one stays as it is.

        A fact is head, relation and tail by names or ids, or a `FactChange` with a confidence and a validity. A
        rejected link is no answer, whatever the model predicts. What is removed and added is there, and so is what is
        rejected and added. Evidence is weighed as before, on the facts as they are then.

        Both share the model: to close one closes the other. Time: all facts are indexed anew.

        Raises FuzzError `vocabulary`, `range` or `query`: a fact; `path` begins with its place. `data`: a confidence or
        a date. `usage`: a bundle without facts, or a graph with axioms, from which other facts would follow.
        """
        net: Net = {}
        given: tuple[tuple[str, Iterable[GivenFact], ChangeKind], ...] = (
            ("removed", removed, "remove"),
            ("rejected", rejected, "reject"),
            ("added", added, "add"),
        )
        for name, facts, does in given:
            for place, fact in enumerate(facts):
                path = f"{name}[{place}]"
                change = fact if isinstance(fact, FactChange) else FactChange("", "", "")
                triple = (fact.head, fact.relation, fact.tail) if isinstance(fact, FactChange) else fact
                net[forward(*self._triple(triple, path))] = said_of(replace(change, does=does), path)
        return self._with(net)

    def with_changes(self, batches: Batches) -> Bundle:
        """This bundle after changes of a log of facts, from its first epoch on; this one stays as it is.

        `batches` are lines as `GET /v1/facts` and `fuzzqe facts log --json` write them, such as an open file, or
        `FactsServer(...).changes()`. The last change of a fact counts.

        Raises FuzzError `data`: a line that is no batch, or out of order. `vocabulary`: a key that the graph lacks.
        `usage`: batches with new or changed names; and as `with_facts`.
        """
        return self._with(net_of(batches, self.vocabulary))

    def _with(self, net: Net) -> Bundle:
        check_facts(self.manifest, "changes of facts")
        self._expect_no_axioms("changes of facts")
        other = copy(self)
        other._view = self._view.on(self.facts.changed(net))
        return other

    def _view_at(self, at: str | None) -> SetsView:
        """What answers by the facts of a date, or by all facts."""
        moment = None if at is None else instant_of(at)
        if moment is None or not self.facts.has_bounds:
            return self._view
        self._expect_no_axioms("at")
        return self._view.at(moment)

    @cached_property
    def _has_axioms(self) -> bool:
        return declares_axioms(self.vocabulary)

    def _expect_no_axioms(self, what: str) -> None:
        if self._has_axioms:
            message = f"{what}: expected a graph without axioms, got one that declares axioms of RDFS or OWL"
            raise FuzzError("usage", message, hint="Other facts would follow from them: ask a server of the bundle.")

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

    def _read_for(self, query: QueryLike, options: Options, names: Vocabulary | None = None) -> Query:
        """A query that can be answered with these options."""
        tree = read_query(query, self.vocabulary if names is None else names)
        if options.mode == "embedding":
            embedding.expect_embedded(self.manifest.model, tree)
        return tree

    def _answer(
        self, queries: Sequence[Query], options: Options
    ) -> list[Answers[SetsAnswer]] | list[Answers[EmbeddingAnswer]]:
        self.graphs.expect_open()
        parts = chunks(queries, self._at_once)
        if options.mode == "embedding":
            return [each for chunk in parts for each in self._by_embedding(chunk, options)]
        view = self._view_at(options.at)
        return [each for chunk in parts for each in view.answers(chunk, options)]

    def _by_embedding(self, queries: Sequence[Query], options: Options) -> list[Answers[EmbeddingAnswer]]:
        model = self.manifest.model
        vectors = embedding.embed(self.graphs, model, queries)
        known = [self._known(query) for query in queries]
        excluded = [each if options.exclude == "known" else None for each in known]
        answers = []
        rankings = embedding.rank(self.graphs, model, vectors, excluded, options.k)
        for query, recorded, (ids, scores) in zip(queries, known, rankings, strict=True):
            entities = [
                EmbeddingAnswer(**names_of(self.vocabulary, entity), known=bool(recorded[entity]), score=score)
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


def _few_unrecorded(count: int, options: Options) -> list[str]:
    """Says where everything else is recorded, and left out for that."""
    if options.exclude != "known" or count == options.k:
        return []
    return [f"few-answers: {count} of {options.k} answers, all others are recorded"]


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

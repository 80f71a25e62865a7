"""Mines the rules of a graph on Spark: the rules, counts and bytes of Node's miner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from fuzzqe.errors import FuzzError
from fuzzqe.rules import Rule

from .constants import Constant, FoundConstants, find_constants
from .graph import SparkGraph
from .judge import JudgedPaths, judge_paths
from .paths import Path, find_paths
from .random_stream import RandomStream
from .sizes import DOUBT, FEWEST_HITS, MOST_CONSTANTS, MOST_PATHS, MOST_ROUNDS, MiningSizes, usual_rounds

_FIRST_CANDIDATES = 4
_FIRST_HEADS = 1 / 8


@dataclass(frozen=True, slots=True)
class MinedRules:
    """Rules in their one order, and how they were mined."""

    entities: int
    relations: int
    rules: list[Rule]
    rounds: int
    """How many rounds were completed."""
    whole: bool
    """Whether further rounds would find nothing else."""

    def text(self, digest: str = "-") -> str:
        """The text of `rules.tsv`; `digest` is the SHA-256 of the facts, where it is known."""
        lines = [f"fuzzqe-rules\t1\t{self.entities}\t{self.relations}\t{digest}"]
        for rule in self.rules:
            kind, ids = ("path", rule.path) if rule.constant is None else ("constant", rule.constant)
            body = " ".join([kind, *map(str, ids)])
            lines.append(f"{rule.relation}\t{rule.hits}\t{rule.predictions}\t{body}")
        return "\n".join([*lines, ""])


@dataclass(slots=True)
class _Known:
    """The rules of a relation after some rounds: hits and predictions of each."""

    paths: dict[Path, tuple[int, int]] = field(default_factory=dict)
    constants: dict[Constant, tuple[int, int]] = field(default_factory=dict)


def mine_rules(graph: SparkGraph, *, rounds: int | None = None, seed: Sequence[str | int] = ("rules",)) -> MinedRules:
    """The rules that `mineRules` of `@fuzzqe/evidence` mines from the same facts with `createRandom(...seed)`.

    `rounds` is 4 by default, 2 beyond 500 000 facts and 1 beyond 5 million, as in a calibration without `--rules`.
    Raises FuzzError `range`: `rounds` is out of [1, 6].
    """
    most = usual_rounds(graph.fact_count) if rounds is None else rounds
    if not (isinstance(most, int) and 1 <= most <= MOST_ROUNDS):
        raise FuzzError("range", f"rounds: expected a whole number in [1, {MOST_ROUNDS}], got {most}", "rounds")
    random = RandomStream(*seed)
    known = {relation: _Known() for relation in range(graph.relations)}
    left = [relation for relation in range(0, graph.relations, 2) if graph.heads[relation] > 0]
    completed = 0
    while completed < most and left:
        left = _mine_round(graph, random, completed, left, known)
        completed += 1
    rules = [
        rule
        for relation, of in known.items()
        for rule in (
            *(Rule(relation, *counts, path, None) for path, counts in of.paths.items()),
            *(Rule(relation, *counts, (), constant) for constant, counts in of.constants.items()),
        )
    ]
    return MinedRules(graph.entities, graph.relations, sorted(rules, key=lambda rule: rule.order), completed, not left)


def _mine_round(
    graph: SparkGraph, random: RandomStream, number: int, left: Sequence[int], known: dict[int, _Known]
) -> list[int]:
    """Mines relations and their inverses again; returns the relations of which something was left out."""
    sizes = MiningSizes.of_round(number)
    streams: dict[int, RandomStream] = {}
    for relation in left:
        stream = random.fork("rules", number, relation)
        streams[relation] = RandomStream(*(stream.uint32() for _ in range(4)))
    facts = {relation: stream.fork("facts") for relation, stream in streams.items()}
    found = find_paths(graph, facts, sizes, _FIRST_CANDIDATES * sizes.candidates)
    ways = {2 * (relation // 2) + way: streams[relation].fork("way", way) for relation in left for way in (0, 1)}
    candidates = {along: _turned(found[along & ~1].paths, along & 1) for along in ways}
    judged, cut = _judge(graph, candidates, known, ways, sizes)
    constants = find_constants(graph, {along: way.fork("constants") for along, way in ways.items()}, sizes)
    for along in ways:
        known[along].paths = _best_paths(judged[along], MOST_PATHS, FEWEST_HITS)
        known[along].constants = _best_constants(constants[along], known[along].constants)

    def whole(relation: int) -> bool:
        both = (relation, relation + 1)
        return found[relation].whole and all(
            along not in cut and judged[along].whole and constants[along].whole for along in both
        )

    return [relation for relation in left if not whole(relation)]


def _judge(
    graph: SparkGraph,
    candidates: Mapping[int, Sequence[Path]],
    known: Mapping[int, _Known],
    ways: Mapping[int, RandomStream],
    sizes: MiningSizes,
) -> tuple[dict[int, JudgedPaths], set[int]]:
    """Judges candidates and the paths of rules before; returns also the relations whose candidates were too many."""
    many = {along: paths for along, paths in candidates.items() if len(paths) > sizes.candidates}
    chosen = dict(candidates)
    if many:
        few = {along: ways[along].fork("few") for along in many}
        heads, work = -(-sizes.heads // 8), -(-sizes.work // 8)
        for along, judged in judge_paths(graph, many, heads, work, few).items():
            chosen[along] = list(_best_paths(judged, sizes.candidates, 0))
    every = {along: sorted({*paths, *known[along].paths}) for along, paths in chosen.items()}
    streams = {along: way.fork("all") for along, way in ways.items()}
    return judge_paths(graph, every, sizes.heads, sizes.work, streams), set(many)


def _turned(paths: Sequence[Path], way: int) -> list[Path]:
    """Paths, or those of the inverse relation: backwards along the inverses."""
    return [tuple(relation ^ 1 for relation in reversed(path)) if way else path for path in paths]


def _best_paths(judged: JudgedPaths, most: int, fewest: int) -> dict[Path, tuple[int, int]]:
    """The paths of the highest confidence times √hits; at equal scores shorter paths first, then by relations."""

    def order(path: Path) -> tuple[float, int, Path]:
        hits, predictions = judged.counts[path]
        return -(hits / (predictions + DOUBT) * sqrt(hits)), len(path), path

    enough = [path for path, (hits, _) in judged.counts.items() if hits >= fewest]
    return {path: judged.counts[path] for path in sorted(enough, key=order)[:most]}


def _best_constants(
    found: FoundConstants, before: Mapping[Constant, tuple[int, int]]
) -> dict[Constant, tuple[int, int]]:
    """The constants of the highest confidence, of this round and of rules before that it did not judge."""
    counts = {constant: each for constant, each in found.counts.items() if each[0] >= FEWEST_HITS}
    counts |= {constant: each for constant, each in before.items() if constant not in found.counts}

    def order(constant: Constant) -> tuple[float, Constant]:
        hits, predictions = counts[constant]
        return -(hits / (predictions + DOUBT)), constant

    return {constant: counts[constant] for constant in sorted(counts, key=order)[:MOST_CONSTANTS]}

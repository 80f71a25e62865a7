"""Answers logical questions on incomplete knowledge graphs from a FuzzQE bundle."""

from .answers import Answers, EmbeddingAnswer, Link, SetsAnswer, State, to_pandas
from .bundle import Bundle
from .errors import FuzzError
from .explain import (
    Derivation,
    Explanation,
    Fact,
    FactProvenance,
    FiringRule,
    Named,
    Objection,
    Reasons,
    SupportingLink,
)
from .fact_changes import FactBatch, FactChange
from .facts_server import Changes, FactLike, FactsServer, FactsWritten, FoundFact
from .golden import GoldenReport, check_golden
from .graph_server import GraphServer, PatternLike
from .judgements import Judged, Judgements, NamesWritten, ProposedLink
from .match_options import MatchOptions, Order, OrderLike
from .match_support import ConditionSupport, LikeSupport, SetSupport, SharedFact, Value, ValueSupport
from .matches import Match, MatchCounts, MatchedEntity, Matches
from .notation import format_query, parse_query
from .options import EmbeddingOptions, Exclude, Mode, SetsOptions
from .query import And, Entity, Not, Or, Project, Query
from .query_forms import QueryLike, from_kgreasoning, to_kgreasoning
from .structures import match_structure
from .vocabulary import Names, Vocabulary

__version__ = "0.1.0"

__all__ = [
    "And",
    "Answers",
    "Bundle",
    "Changes",
    "ConditionSupport",
    "Derivation",
    "EmbeddingAnswer",
    "EmbeddingOptions",
    "Entity",
    "Exclude",
    "Explanation",
    "Fact",
    "FactBatch",
    "FactChange",
    "FactLike",
    "FactProvenance",
    "FactsServer",
    "FactsWritten",
    "FiringRule",
    "FoundFact",
    "FuzzError",
    "GoldenReport",
    "GraphServer",
    "Judged",
    "Judgements",
    "LikeSupport",
    "Link",
    "Match",
    "MatchCounts",
    "MatchOptions",
    "MatchedEntity",
    "Matches",
    "Mode",
    "Named",
    "Names",
    "NamesWritten",
    "Not",
    "Objection",
    "Or",
    "Order",
    "OrderLike",
    "PatternLike",
    "Project",
    "ProposedLink",
    "Query",
    "QueryLike",
    "Reasons",
    "SetSupport",
    "SetsAnswer",
    "SetsOptions",
    "SharedFact",
    "State",
    "SupportingLink",
    "Value",
    "ValueSupport",
    "Vocabulary",
    "check_golden",
    "format_query",
    "from_kgreasoning",
    "match_structure",
    "parse_query",
    "to_kgreasoning",
    "to_pandas",
]

"""The text notation of queries: `and(project(borders, France), not(project(currency^-1, Euro)))`."""

from __future__ import annotations

import json

from .errors import FuzzError
from .near_names import near_names, offer_names
from .query import And, Entity, Not, Or, Project, Query, Size, check_id, check_operands, check_query, name_of
from .tokens import Token, error_at, is_bare, place_of, point_at, read_token
from .vocabulary import INVERSE_SUFFIX, Names, Vocabulary

_OPERATORS = {
    "project": "A projection is project(relation, query).",
    "and": "A conjunction is and(query, query, …).",
    "or": "A disjunction is or(query, query, …).",
    "not": "A negation is not(query), of one query.",
}
_LONGEST = 2**20
_NAMES = ("bare name", "quoted name", "IRI", "id")
_UNSEEN = {character: f"\\u{character:04x}" for character in [*range(0x7F, 0xA0), 0x2028, 0x2029]}


def parse_query(text: str, vocabulary: Vocabulary, path: str | None = None) -> Query:
    """Reads a query in the notation of docs/query-notation.md; `path` says where the text stands, for errors.

    Raises FuzzError `query`, `vocabulary` or `range`, with line and column, and a caret under the place in the hint.
    """
    check_length(text, path)
    return _Parser(text, vocabulary, path).read()


def check_length(text: str, path: str | None) -> None:
    """Refuses a text that is longer than any query."""
    if len(text) > _LONGEST:
        message = f"query: expected at most {_LONGEST} characters, got {len(text)}"
        raise FuzzError("query", message, path, "Split the query into several.")


def format_query(query: Query, vocabulary: Vocabulary) -> str:
    """Writes a query in the notation, each name by its label where that finds it again, else by its key.

    `parse_query(format_query(query, v), v)` is the query again. Raises FuzzError `range` or `query`.
    """
    entities, relations = vocabulary.entities, vocabulary.relations
    check_query(query, len(entities), 2 * len(relations))

    def write(node: Query) -> str:
        match node:
            case Entity(entity):
                return _write_name(entities, entity)
            case Project(relation, operand):
                inverse = INVERSE_SUFFIX if relation % 2 else ""
                return f"project({_write_name(relations, relation // 2)}{inverse}, {write(operand)})"
            case Not(operand):
                return f"not({write(operand)})"
            case And(operands) | Or(operands):
                return f"{name_of(node)}({', '.join(map(write, operands))})"

    return write(query)


class _Parser:
    def __init__(self, text: str, vocabulary: Vocabulary, path: str | None) -> None:
        self.text, self.vocabulary, self.path = text, vocabulary, path
        self.size = Size()
        self.token = read_token(text, 0, path)

    def read(self) -> Query:
        query = self.query(1)
        if self.token.kind != "end":
            spaced = self.token.kind.endswith("name")
            hint = "Names with spaces need double quotes." if spaced else "Join several queries by and(…) or or(…)."
            raise self.unexpected(self.token, "the end of the query", hint)
        return query

    def query(self, depth: int) -> Query:
        at = self.token
        try:
            self.size.add(depth, "")
        except FuzzError as error:
            raise self.located(at, error) from None
        if at.kind == "end":
            hint = "A query is an entity or project(relation, query), and(…), or(…), not(query)."
            raise self.unexpected(at, "a query", hint)
        if at.kind not in _NAMES:
            hint = "Parentheses stand only after an operator, as in not(query)."
            raise self.unexpected(at, "an entity or an operator", hint)
        self.advance()
        if self.token.kind == "(":
            return self.call(at, depth)
        if self.token.kind == "^-1":
            hint = "Only a relation has an inverse: project(relation^-1, query)."
            raise self.unexpected(self.token, "an entity", hint)
        return Entity(self.name(at, self.vocabulary.entities))

    def call(self, at: Token, depth: int) -> Query:
        if at.kind != "bare name" or at.text not in _OPERATORS:
            near = near_names(at.text, list(_OPERATORS), 1)
            hint = offer_names(near, _OPERATORS["project"])
            raise self.unexpected(at, 'project, and, or or not before "("', hint)
        self.advance()
        if at.text == "project":
            relation = self.relation()
            self.expect(",", _OPERATORS["project"])
            operand = self.query(depth + 1)
            self.expect(")", _OPERATORS["project"])
            return Project(relation, operand)
        if at.text == "not":
            if self.token.kind == ")":
                raise self.unexpected(self.token, "a query", _OPERATORS["not"])
            operand = self.query(depth + 1)
            self.expect(")", _OPERATORS["not"])
            return Not(operand)
        return self.operands(at, depth)

    def operands(self, at: Token, depth: int) -> Query:
        operands: list[Query] = []
        if self.token.kind != ")":
            operands.append(self.query(depth + 1))
            while self.token.kind == ",":
                self.advance()
                operands.append(self.query(depth + 1))
        self.expect(")", f"Close {at.text}(…), or put a comma before the next operand.")
        try:
            check_operands(at.text, len(operands), "")
        except FuzzError as error:
            raise self.located(at, error) from None
        return And(tuple(operands)) if at.text == "and" else Or(tuple(operands))

    def relation(self) -> int:
        at = self.token
        if at.kind not in _NAMES:
            raise self.unexpected(at, "a relation", _OPERATORS["project"])
        self.advance()
        if self.token.kind == "(":
            raise self.unexpected(at, "a relation", _OPERATORS["project"])
        relation = self.name(at, self.vocabulary.relations)
        if self.token.kind != "^-1":
            return relation
        self.advance()
        return relation ^ 1

    def name(self, at: Token, names: Names) -> int:
        """The id of a name, or the id that is written."""
        step = 2 if names.kind == "relation" else 1
        try:
            if at.kind == "id":
                return check_id(names.kind, int(at.text), step * len(names), "")
            return step * names.find(at.text, offer=self.vocabulary.offers)
        except FuzzError as error:
            if step == 2 and at.text.endswith(INVERSE_SUFFIX):
                name = json.dumps(at.text[: -len(INVERSE_SUFFIX)], ensure_ascii=False)
                error.hint = f"Write {INVERSE_SUFFIX} after the quotes: {name}{INVERSE_SUFFIX}."
            raise self.located(at, error) from None

    def expect(self, kind: str, hint: str) -> None:
        if self.token.kind != kind:
            spaced = " Names with spaces need double quotes." if self.token.kind.endswith("name") else ""
            raise self.unexpected(self.token, f'"{kind}"', hint + spaced)
        self.advance()

    def advance(self) -> None:
        self.token = read_token(self.text, self.token.end, self.path)

    def unexpected(self, at: Token, expected: str, hint: str) -> FuzzError:
        message = f"query: expected {expected}, got {_describe(at)}"
        return error_at(self.text, at.start, message, hint, self.path)

    def located(self, at: Token, error: FuzzError) -> FuzzError:
        """An error of what knows nothing of the text, with its place there."""
        place = place_of(self.text, at.start, self.path)
        hint = f"{error.hint or 'Here:'}\n{point_at(self.text, at.start)}"
        return FuzzError(error.code, error.message, place, hint)


def _describe(token: Token) -> str:
    match token.kind:
        case "end":
            return "the end of the text"
        case "id":
            return f"the id #{token.text}"
        case "bare name" | "quoted name" | "IRI":
            return f"the name {json.dumps(token.text, ensure_ascii=False)}"
        case _:
            return f'"{token.kind}"'


def _write_name(names: Names, index: int) -> str:
    label, key = str(names.labels[index]), str(names.keys[index])
    if label != key and names.has(label) and names.find(label) == index:
        return _write(label)
    return _write(key)


def _write(name: str) -> str:
    if name and name not in _OPERATORS and all(map(is_bare, name)):
        return name
    # The notation has of JSON's escapes those for quotes, backslashes, line feeds and tabs, and code units.
    quoted = json.dumps(name, ensure_ascii=False)
    for short, long in (("\\b", "\\u0008"), ("\\f", "\\u000c"), ("\\r", "\\u000d")):
        quoted = quoted.replace(short, long)
    quoted = quoted.translate(_UNSEEN)
    return "".join(f"\\u{ord(each):04x}" if 0xD800 <= ord(each) < 0xE000 else each for each in quoted)

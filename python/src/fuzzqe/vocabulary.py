"""The names of a graph's entities and relations."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from .errors import FuzzError, describe_value
from .near_names import MOST_CANDIDATES, fold_name, near_names, offer_names

INVERSE_SUFFIX = "^-1"

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
_NAME_MARKS = "_.-"
_NOT_OFFERED = "Ask this query alone to be offered near names."


class Names:
    """Keys and labels of entities or of forward relations, by their order."""

    def __init__(
        self,
        kind: Literal["entity", "relation"],
        keys: Sequence[str],
        labels: Sequence[str],
        prefixes: Mapping[str, str] | None = None,
        aliases: Sequence[tuple[int, str]] = (),
    ) -> None:
        self.kind = kind
        self.keys = _array(keys)
        """What the data call each, once each. Shape: [n]."""
        self.labels = _array(labels)
        """What people call each; several may share one. Shape: [n]."""
        self.aliases = aliases
        """Further names, each with the place of what it names; errors offer its label for a near name."""
        self._prefixes = prefixes or {}
        self._by_key = {key: index for index, key in enumerate(keys)}
        self._by_label: dict[str, list[int]] | None = None
        self._by_folded: dict[str, list[int]] | None = None
        self._by_alias: dict[str, list[int]] = {}
        self._candidates: tuple[list[str], list[str]] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def of_key(self, key: str) -> int | None:
        """The place of the one with this key."""
        return self._by_key.get(key)

    def find(self, name: str, *, offer: bool = True) -> int:
        """The place of the one with this name.

        Order: key, `<key>`, label, label in another case, further name, `prefix:rest`.
        Raises FuzzError `vocabulary`: no such name, one that several share, a prefix that is not known; its hint offers
        near names if `offer` says so, which takes longer than all else.
        """
        _check_name(self.kind, name)
        found = self._look_up(name)
        if len(found) == 1:
            return found[0]
        if found:
            shown = ", ".join(_quoted(self.keys[index]) for index in found[:5])
            more = f" and {len(found) - 5} more" if len(found) > 5 else ""
            raise FuzzError(
                "vocabulary",
                f"{self.kind} {_quoted(name)}: expected a name that only one has, got one that {len(found)} share",
                hint=f"Use a key: {shown}{more}.",
            )
        key = key_behind(name, self._prefixes)
        if key is not None and key in self._by_key:
            return self._by_key[key]
        near = self._near(key if key is not None else name) if offer else []
        prefix = _prefix_of(name)
        if key is None and prefix is not None and self._prefixes:
            known = ", ".join(f"{each}:" for each in self._prefixes)
            raise FuzzError(
                "vocabulary",
                f'{self.kind} {_quoted(name)}: expected a prefix that is known, got "{prefix}:"',
                hint=f"Known are {known}; any key may be written <key>. {offer_names(near, '')}".rstrip(),
            )
        raise FuzzError(
            "vocabulary",
            f"{self.kind}: expected a key or label of the graph, got {_quoted(name)}",
            hint=offer_names(near, f"no {self.kind} is called nearly so." if offer else _NOT_OFFERED),
        )

    def has(self, name: str) -> bool:
        """Whether `find` finds it, without looking for near names."""
        key = key_behind(name, self._prefixes)
        return len(self._look_up(name)) == 1 or (key is not None and key in self._by_key)

    def _look_up(self, name: str) -> Sequence[int]:
        if name.startswith("<") and name.endswith(">") and name[1:-1] in self._by_key:
            return [self._by_key[name[1:-1]]]
        if name in self._by_key:
            return [self._by_key[name]]
        if self._by_label is None or self._by_folded is None:
            self._by_label = _grouped(enumerate(self.labels), str)
            self._by_folded = _grouped(enumerate(self.labels), _folded)
            self._by_alias = _grouped(dict.fromkeys((place, _folded(text)) for place, text in self.aliases), str)
        folded = _folded(name)
        return self._by_label.get(name) or self._by_folded.get(folded) or self._by_alias.get(folded, [])

    def _near(self, name: str) -> list[str]:
        if 2 * len(self) + len(self.aliases) > MOST_CANDIDATES:
            return []
        if self._candidates is None:
            unique = dict.fromkeys([*self.labels, *self.keys])
            unique.pop("", None)
            labels = [self.labels[place] for place, _ in self.aliases]
            folded = [fold_name(text) for text in [*unique, *(text for _, text in self.aliases)]]
            self._candidates = [*unique, *labels], folded
        names, folded = self._candidates
        return list(dict.fromkeys(near_names(name, names, 6, folded=folded)))[:3]


def _folded(label: str) -> str:
    """A label without regard to case, and to how accents are composed."""
    return unicodedata.normalize("NFC", label).lower()


class Vocabulary:
    """The names of a graph: entity e is `entities.keys[e]`, relation 2k `relations.keys[k]`, and 2k + 1 its inverse."""

    def __init__(self, entities: Names, relations: Names, prefixes: Mapping[str, str]) -> None:
        self.entities = entities
        self.relations = relations
        self.prefixes = prefixes
        self.offers = True

    def without_offers(self) -> Vocabulary:
        """The same names, whose errors offer no near ones."""
        same = Vocabulary(self.entities, self.relations, self.prefixes)
        same.offers = False
        return same

    def entity(self, name: str) -> int:
        """The id of an entity. Raises FuzzError `vocabulary`."""
        return self.entities.find(name, offer=self.offers)

    def relation(self, name: str) -> int:
        """The id of a relation, `name^-1` for the inverse, unless a relation's own name ends so.

        Raises FuzzError `vocabulary`.
        """
        _check_name("relation", name)
        if not name.endswith(INVERSE_SUFFIX) or self.relations.has(name):
            return 2 * self.relations.find(name, offer=self.offers)
        return 2 * self.relations.find(name[: -len(INVERSE_SUFFIX)], offer=self.offers) + 1

    def relation_name(self, relation: int) -> str:
        """The label of a relation, `^-1` after it for an inverse."""
        return f"{self.relations.labels[relation // 2]}{INVERSE_SUFFIX if relation % 2 else ''}"


def _check_name(kind: str, name: object) -> None:
    if not isinstance(name, str):
        message = f"{kind}: expected a key or label of the graph, got {describe_value(name)}"
        raise FuzzError("vocabulary", message, hint="Ids need no vocabulary: they are what it gives for names.")


def key_behind(name: str, prefixes: Mapping[str, str]) -> str | None:
    """The key that `<iri>` or a name with a known prefix stands for."""
    if len(name) > 1 and name.startswith("<") and name.endswith(">"):
        return name[1:-1]
    prefix = _prefix_of(name)
    iri = None if prefix is None else prefixes.get(prefix)
    return None if iri is None or prefix is None else iri + name[len(prefix) + 1 :]


def read_names(
    text: str, path: str, kind: Literal["entity", "relation"], count: int, step: int
) -> tuple[list[str], list[str]]:
    """Keys and labels of a vocabulary file: `id TAB key TAB label [TAB description]`, ids 0, step, 2 step, … in order.

    A label that is empty is the key. Raises FuzzError `bundle` with the line.
    """
    keys: list[str] = []
    labels: list[str] = []
    for number, line in enumerate(_lines(text), start=1):
        where = f"{path}:{number}"
        fields = line.split("\t")
        if len(fields) not in (3, 4) or fields[0] != str(step * (number - 1)):
            raise _damaged(
                f"expected {step * (number - 1)}, a key and a label between tabs, got {_quoted(line[:60])}",
                where,
            )
        keys.append(_unescaped(fields[1], where))
        labels.append(_unescaped(fields[2], where) or keys[-1])
    if len(keys) != count:
        raise _damaged(f"expected {count} lines, got {len(keys)}", path)
    if len(set(keys)) != count or "" in keys:
        raise _damaged(f"expected a key of its own for each {kind}, got one that is empty or given twice", path)
    return keys, labels


def read_aliases(text: str, path: str, count: int) -> list[tuple[int, str]]:
    """Further names of entities, each with its entity: `id TAB kind TAB language TAB text`, in the order of ids.

    Descriptions are passed over. Raises FuzzError `bundle` with the line.
    """
    aliases: list[tuple[int, str]] = []
    last = 0
    for number, line in enumerate(_lines(text), start=1):
        where = f"{path}:{number}"
        fields = line.split("\t")
        place = int(fields[0]) if re.fullmatch("[0-9]{1,10}", fields[0]) else -1
        if len(fields) != 4 or not last <= place < count or fields[1] not in ("label", "alias", "description"):
            raise _damaged(f"expected an id in order, a kind, a language and a text, got {_quoted(line[:60])}", where)
        last = place
        if fields[1] != "description":
            aliases.append((place, _unescaped(fields[3], where)))
    return aliases


def read_prefixes(text: str, path: str) -> dict[str, str]:
    """The prefixes of a graph, without their colons. Raises FuzzError `bundle` with the line."""
    prefixes: dict[str, str] = {}
    for number, line in enumerate(_lines(text), start=1):
        where = f"{path}:{number}"
        fields = [_unescaped(field, where) for field in line.split("\t")]
        if len(fields) != 2 or not fields[0].endswith(":") or not fields[1] or fields[0][:-1] in prefixes:
            raise _damaged(f"expected a new prefix and its IRI, got {_quoted(line[:60])}", where)
        prefixes[fields[0][:-1]] = fields[1]
    return prefixes


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _unescaped(field: str, where: str) -> str:
    if "\\" not in field:
        return field

    def meaning(sequence: re.Match[str]) -> str:
        if sequence[1] not in _ESCAPES:
            raise _damaged(f"expected the escape \\t, \\n, \\r or \\\\, got {_quoted(sequence[0])}", where)
        return _ESCAPES[sequence[1]]

    return re.sub(r"\\(.?)", meaning, field, flags=re.DOTALL)


def _damaged(what: str, path: str) -> FuzzError:
    return FuzzError("bundle", f"names: {what}", path, "Export or download the bundle again.")


def _prefix_of(name: str) -> str | None:
    """The prefix of `ex:Thing`, known or not; none of `http://…` and of blank nodes."""
    prefix, colon, rest = name.partition(":")
    plain = all(unicodedata.category(character)[0] in "LMN" or character in _NAME_MARKS for character in prefix)
    if not colon or not plain or prefix == "_" or rest.startswith("//") or re.search(r"\s", rest):
        return None
    return prefix


def _grouped(names: Iterable[tuple[int, str]], form: Callable[[str], str]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for index, name in names:
        if name:
            groups.setdefault(form(name), []).append(index)
    return groups


def _array(names: Sequence[str]) -> npt.NDArray[np.object_]:
    array = np.empty(len(names), object)
    array[:] = names
    array.flags.writeable = False
    return array


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

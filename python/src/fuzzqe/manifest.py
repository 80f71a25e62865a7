"""`manifest.json`: what a bundle holds, as docs/bundle-format.md specifies it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest

from .errors import FuzzError
from .fields import SHA256, Fields
from .model import Model, read_model
from .near_names import near_names, offer_names
from .sets_entry import SetsEntry, read_sets
from .signatures import CASES, OPERATORS, OWN_GRAPHS, Signature, Tensor, signatures
from .structures import structures_of

VERSION = 6
FACTS = "facts.bin"
EVIDENCE = "evidence.json"
RULES = "rules.tsv"
ENTAILED = "entailed.bin"
"""Facts that declared axioms entail; only where the graph declares axioms that do."""
PROVENANCE = "provenance.tsv"
"""How sure facts are and when they hold; only where the data say so."""
MODES = ("sets", "embedding")
SHARED_FILES = ("README.md", "vocabulary/entities.tsv", "vocabulary/relations.tsv")
SETS_FILES = (FACTS, EVIDENCE, RULES)
"""What answers by sets need beside a profile."""

_MANIFEST = "manifest.json"
_LARGEST = 16 * 2**20
# What may be told of a profile that other readers need and this one does not.
_CHANGE = ("queries", "mrrChange", "overlap10")
_LARGEST_GRAPH = 2**20
_DOMAIN_HEADS = 256  # that a relation has at most
_PART = r"(?!\.{1,2}(?:/|$))[^/\\:\0]+"
_PATH = (re.compile(rf"{_PART}(?:/{_PART})*"), "a path inside the bundle, with / between folders")


@dataclass(frozen=True, slots=True)
class Tolerance:
    """`|a − b| ≤ absolute + relative·|b|`."""

    absolute: float
    relative: float


@dataclass(frozen=True, slots=True)
class Graph:
    """One ONNX graph: a file, or a case of the file of all graphs of a profile."""

    name: str
    path: str
    weights: tuple[str, ...]
    signature: Signature
    case: int | None
    """Its place in the file where that is the file of all graphs."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A stored form of the model with its graphs, by their names."""

    name: str
    graphs: Mapping[str, Graph]
    golden: str
    tolerances: Mapping[str, Tolerance]
    bytes: int
    """Of its graphs, weights and golden cases."""

    @property
    def files(self) -> set[str]:
        """The files that belong to it alone."""
        return {self.golden}.union(*({graph.path, *graph.weights} for graph in self.graphs.values()))


@dataclass(frozen=True, slots=True)
class File:
    """Size and digest of a file, and the paths and sizes of its parts where it lies in parts."""

    bytes: int
    sha256: str
    parts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle holds, and how to know that it is whole."""

    version: int
    sha256: str
    name: str
    data: str
    licence: str
    model: Model
    data_sha256: str
    """Of the facts that were trained on."""
    edges: int
    """Of the graph that was trained on, inverses included."""
    sets: SetsEntry
    modes: tuple[str, ...]
    """How queries are answered: those without its facts have `embedding` alone."""
    profiles: Mapping[str, Profile]
    files: Mapping[str, File]

    @property
    def has_facts(self) -> bool:
        """Whether the facts are there, and with them answers by sets."""
        return "sets" in self.modes

    def profile(self, name: str) -> Profile:
        """A profile by its name. Raises FuzzError `usage`."""
        if name in self.profiles:
            return self.profiles[name]
        present = ", ".join(self.profiles)
        hint = offer_names(
            near_names(name, list(self.profiles)),
            "Choose one that the bundle has, or export it with this one.",
        )
        raise FuzzError("usage", f'profile: expected one of {present}, got "{name}"', hint=hint)


def parse_manifest(content: bytes, location: str) -> Manifest:
    """Reads and checks the bytes of `manifest.json`. Raises FuzzError `bundle`."""
    if len(content) > _LARGEST:
        raise FuzzError("bundle", f"expected at most {_LARGEST} bytes, got {len(content)}", location, _AGAIN)
    try:
        fields = Fields(json.loads(content.decode("utf-8"), parse_constant=_refuse_constant), location)
    except (ValueError, RecursionError) as error:
        raise FuzzError("bundle", f"expected JSON, got {error}", location, _AGAIN) from error
    _check_head(fields)
    _check_seal(content, fields, location)
    fields.only(
        "format",
        "version",
        "sha256",
        "name",
        "model",
        "data",
        "sets",
        "modes",
        "profiles",
        "metrics",
        "training",
        "files",
    )
    for record in ("metrics", "training"):
        fields.object(record)
    model = read_model(fields.object("model"))
    graphs = signatures(model.entities, model.dimension)
    data = fields.object("data")
    data.only("name", "licence", "sha256", "edges")
    manifest = Manifest(
        version=fields.integer("version", VERSION, VERSION),
        sha256=fields.text("sha256"),
        name=fields.text("name"),
        data=data.text("name"),
        licence=data.text("licence"),
        data_sha256=data.matching("sha256", *SHA256),
        edges=data.integer("edges", 0),
        model=model,
        sets=read_sets(fields.object("sets")),
        modes=_read_modes(fields),
        profiles={name: _read_profile(name, entry, graphs, model) for name, entry in fields.objects("profiles")},
        files=_read_files(fields),
    )
    _check_files(manifest, fields)
    return manifest


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name}, which is no number of JSON")


_AGAIN = "Give the folder of a FuzzQE bundle; export or download it again."


def _check_head(fields: Fields) -> None:
    if fields.values.get("format") != "fuzzqe-bundle":
        raise fields.wrong(".format", '"fuzzqe-bundle"', fields.values.get("format"))
    version = fields.values.get("version")
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        raise FuzzError(
            "bundle",
            f"version: expected {VERSION}, got {version!r}",
            fields.file,
            "Upgrade fuzzqe-py, or export the run again." if newer else "Export the run again with `fuzzqe export`.",
        )


def _check_seal(content: bytes, fields: Fields, location: str) -> None:
    """The digest of the manifest is that of its bytes with the digits of the digest zero."""
    own = fields.matching("sha256", *SHA256)
    got = hashlib.sha256(content.replace(own.encode(), b"0" * 64, 1)).hexdigest()
    if got != own:
        raise FuzzError(
            "bundle",
            f"altered: expected sha256 {own}, got {got}",
            location,
            "Export or download the bundle again.",
        )


def _read_modes(fields: Fields) -> tuple[str, ...]:
    """Every model embeds."""
    if "modes" not in fields.values:
        return MODES
    modes = fields.array("modes")
    if any(mode not in MODES for mode in modes) or "embedding" not in modes or len(set(modes)) < len(modes):
        raise fields.wrong(".modes", '"embedding" among modes that differ', modes)
    return tuple(modes)


def _read_profile(name: str, fields: Fields, table: Mapping[str, Signature], model: Model) -> Profile:
    fields.only(
        "operators",
        "structures",
        "program",
        *OWN_GRAPHS,
        "bytes",
        "golden",
        "tolerances",
        "quality",
    )
    # A profile whose graphs are cases of one file has none for structures.
    combined = "case" in fields.object("rank").values
    for key in ("structures", "program"):
        if (key in fields.values) == combined:
            raise fields.wrong(
                f".{key}", "none, as graphs are combined" if combined else "an object", list(fields.values)
            )
    operators = fields.object("operators")
    # The last is there for models whose projections start from it.
    names = (*OPERATORS, "centroid") if model.projection_input == "domain" else OPERATORS
    operators.only(*names)
    graphs = {each: _read_graph(each, operators, table[each]) for each in names}
    for each in OWN_GRAPHS:
        graphs[each] = _read_graph(each, fields, table["combined" if combined and each == "edge" else each])
    if not combined:
        structures = fields.object("structures")
        embedded = structures_of(model)
        structures.only(*embedded)
        graphs |= {each: _read_graph(each, structures, table[each]) for each in embedded}
        graphs["program"] = _read_graph("program", fields, table["program"])
    for each, graph in graphs.items():
        case = CASES.index(each) if combined and each != "edge" else None
        if graph.case != case:
            raise fields.wrong(f".{each}.case", "none" if case is None else str(case), graph.case)
        if case is not None and graph.path != graphs["edge"].path:
            raise fields.wrong(f".{each}.path", f"{graphs['edge'].path}, the edge graph", graph.path)
    tolerances = fields.object("tolerances")
    tolerances.only("embedding", "score", "degree")
    _check_quality(fields.object("quality"))
    return Profile(
        name,
        graphs,
        fields.matching("golden", *_PATH),
        {what: _read_tolerance(tolerances.object(what)) for what in ("embedding", "score", "degree")},
        fields.integer("bytes", 0),
    )


def _read_tolerance(fields: Fields) -> Tolerance:
    fields.only("absolute", "relative")
    return Tolerance(fields.number("absolute", 0, 1e308), fields.number("relative", 0, 1e308))


def _check_quality(fields: Fields) -> None:
    if "reason" in fields.values:
        fields.only("reason")
        fields.text("reason")
        return
    fields.only("embedding", "sets")
    for mode in ("embedding", "sets"):
        change = fields.object(mode)
        change.only(*_CHANGE)
        change.integer("queries", 1)
        change.number("mrrChange", -1, 1)
        change.number("overlap10", 0, 1)


def _read_graph(name: str, parent: Fields, expected: Signature) -> Graph:
    fields = parent.object(name)
    fields.only("path", "weights", "inputs", "outputs", "case")
    weights = fields.array("weights")
    if not all(isinstance(path, str) and _PATH[0].fullmatch(path) for path in weights):
        raise fields.wrong(".weights", "paths inside the bundle, with / between folders", weights)
    for side, tensors in (("inputs", expected.inputs), ("outputs", expected.outputs)):
        got = _tensors(fields, side)
        for place, (one, wanted) in enumerate(zip_longest(got, tensors)):
            if one != wanted:
                raise fields.wrong(f".{side}[{place}]", str(wanted or "none"), str(one or "none"))
    case = fields.integer("case", 0, len(CASES) - 1) if "case" in fields.values else None
    return Graph(name, fields.matching("path", *_PATH), tuple(weights), expected, case)


def _tensors(fields: Fields, key: str) -> tuple[Tensor, ...]:
    tensors = []
    for entry in fields.each(key):
        entry.only("name", "dtype", "shape")
        shape = entry.array("shape")
        if not all(isinstance(size, int | str) and not isinstance(size, bool) for size in shape):
            raise entry.wrong(".shape", "numbers, and names of dimensions", shape)
        tensors.append(Tensor(entry.text("name"), entry.text("dtype", ("int", "float", "bool")), tuple(shape)))
    return tuple(tensors)


def _read_files(fields: Fields) -> Mapping[str, File]:
    files = {}
    for path, entry in fields.objects("files"):
        if not _PATH[0].fullmatch(path) or path == _MANIFEST:
            raise fields.wrong(".files", "paths inside the bundle, with / between folders", path)
        entry.only("bytes", "sha256", "parts")
        files[path] = File(entry.integer("bytes", 0), entry.matching("sha256", *SHA256), _read_parts(entry))
    return files


def _read_parts(fields: Fields) -> Mapping[str, int]:
    if "parts" not in fields.values:
        return {}
    parts = list(fields.each("parts"))
    sizes = {}
    for part in parts:
        part.only("path", "bytes", "sha256")
        part.matching("sha256", *SHA256)
        sizes[part.matching("path", *_PATH)] = part.integer("bytes", 1)
    if len(parts) < 2 or len(sizes) < len(parts):
        raise fields.wrong(".parts", "two or more, each with a path of its own", fields.get("parts"))
    return sizes


def _check_files(manifest: Manifest, fields: Fields) -> None:
    """Every file that is needed is listed, and counts agree with sizes: nothing is made larger than the files are."""
    model, files = manifest.model, manifest.files
    if not manifest.profiles:
        raise fields.wrong(".profiles", "at least one profile", "none")
    needed = {*SHARED_FILES, *(SETS_FILES if manifest.has_facts else ())}
    for path in sorted(needed.union(*(profile.files for profile in manifest.profiles.values())) - files.keys()):
        raise fields.wrong(".files", f'"{path}"', "no such entry")
    _check_parts(manifest, fields)
    least = {"entities": 5 * model.entities - 1, "relations": 5 * (model.relations // 2) - 1}
    for kind, size in least.items():
        path = f"vocabulary/{kind}.tsv"
        if files[path].bytes < size:
            raise fields.wrong(f".files[{path}].bytes", f"at least {size} for as many {kind}", files[path].bytes)
    if not manifest.has_facts:
        for path in SETS_FILES:
            if path in files:
                raise fields.wrong(".files", "no facts and no evidence without the mode sets", path)
    elif files[FACTS].bytes % 12 or not files[FACTS].bytes:
        raise fields.wrong(f".files[{FACTS}].bytes", "12 for each fact, of which there is one", files[FACTS].bytes)
    elif files[FACTS].sha256 == manifest.data_sha256 and 6 * manifest.edges != files[FACTS].bytes:
        # Where the bundle records what was trained on, and nothing else.
        raise fields.wrong(".data.edges", f"{files[FACTS].bytes // 6}, twice the facts of the bundle", manifest.edges)
    smallest, largest = _weight_bytes(model)
    for profile in manifest.profiles.values():
        path = f".profiles.{profile.name}"
        stored = sum(
            files[each].bytes for each in {each for graph in profile.graphs.values() for each in graph.weights}
        )
        if not smallest <= stored <= largest:
            raise fields.wrong(
                f"{path}.rank.weights", f"{smallest} to {largest} bytes of weights of this model", stored
            )
        for graph in profile.graphs.values():
            if files[graph.path].bytes > _LARGEST_GRAPH:
                raise fields.wrong(f".files[{graph.path}].bytes", f"at most {_LARGEST_GRAPH}", files[graph.path].bytes)
        total = sum(files[each].bytes for each in profile.files)
        if profile.bytes != total:
            raise fields.wrong(f"{path}.bytes", f"{total}, the sum of its files", profile.bytes)


def _check_parts(manifest: Manifest, fields: Fields) -> None:
    """Parts have paths that no other file has, and the bytes of their file together."""
    paths = list(manifest.files)
    for path, file in manifest.files.items():
        paths += file.parts
        if file.parts and sum(file.parts.values()) != file.bytes:
            raise fields.wrong(f".files[{path}].parts", f"{file.bytes} bytes in all", sum(file.parts.values()))
    if len(set(paths)) < len(paths):
        twice = next(path for place, path in enumerate(paths) if path in paths[:place])
        raise fields.wrong(".files", "parts with paths that no other file has", twice)


def _weight_bytes(model: Model) -> tuple[int, int]:
    """How many bytes weights take at least, one a coordinate, and at most, four a number with all scales."""
    matrix = model.dimension**2 + 2 * model.dimension
    numbers = model.entities * (model.dimension + 2)
    if model.relation_form == "blocks":
        numbers += model.relations * model.dimension
        if model.projection_input == "domain":
            numbers += 2 * model.relations * min(_DOMAIN_HEADS, model.entities)
    else:
        numbers += (model.relations + model.bases) * matrix + model.relations * model.bases
    # The vector of an entity has d / 12 numbers at least.
    return model.entities * model.dimension // (3 if model.by_distances else 1), 4 * numbers + 2**16

"""`manifest.json`: what a bundle holds, as docs/bundle-format.md specifies it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .errors import FuzzError
from .fields import Fields
from .near_names import near_names, offer_names
from .structures import STRUCTURES

VERSIONS = (3, 4)
OPERATORS = ("anchor", "project", "conjunction", "disjunction", "negation")
OWN_GRAPHS = ("edge", "rank", "links", "projectSet", "projectSetAt")
SHARED_FILES = (
    "README.md",
    "vocabulary/entities.tsv",
    "vocabulary/relations.tsv",
    "facts.bin",
    "partitions.bin",
)

_MANIFEST = "manifest.json"
_MAPPINGS = ("logistic", "boundedRectifier")
_LARGEST = 16 * 2**20
_LARGEST_GRAPH = 2**20
_PART = r"(?!\.{1,2}(?:/|$))[^/\\:\0]+"
_INSIDE = re.compile(rf"{_PART}(?:/{_PART})*")
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Model:
    """Counts and formulas of a model."""

    entities: int
    relations: int
    """Inverses included: 2k is the k-th relation, and 2k + 1 its inverse."""
    dimension: int
    bases: int
    logic: str
    mapping: str
    entity_mapping: str
    entity_normalisation: str
    projection_input: str
    score: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """The numbers that make degrees of links out of cosines: (9) and (10) of docs/model.md."""

    temperature: float
    cap: float
    weight: float
    exponent: float
    exclusivity: float
    support: float
    certain_members: int
    predicted_members: int


@dataclass(frozen=True, slots=True)
class LinkProbability:
    """How likely predicted links are: (11) of docs/model.md."""

    temperature: float
    partitions: npt.NDArray[np.float32]
    log_shares: npt.NDArray[np.float64]
    probabilities: npt.NDArray[np.float64]


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
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    case: int | None


@dataclass(frozen=True, slots=True)
class Tensor:
    """What a graph takes or gives."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A stored form of the model with its graphs, by their names."""

    name: str
    graphs: Mapping[str, Graph]
    golden: str
    tolerances: Mapping[str, Tolerance]

    @property
    def files(self) -> set[str]:
        """The files that belong to it alone."""
        return {self.golden}.union(*({graph.path, *graph.weights} for graph in self.graphs.values()))


@dataclass(frozen=True, slots=True)
class File:
    """Size and digest of a file, and whether it lies in parts."""

    bytes: int
    sha256: str
    parts: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle holds, and how to know that it is whole."""

    version: int
    sha256: str
    name: str
    data: str
    licence: str
    model: Model
    calibration: Calibration
    fitted: bool
    """Whether the calibration was fitted on validation queries of this model."""
    probability: LinkProbability | None
    profiles: Mapping[str, Profile]
    files: Mapping[str, File]

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
        fields = Fields(json.loads(content.decode("utf-8")), location)
    except (ValueError, RecursionError) as error:
        raise FuzzError("bundle", f"expected JSON, got {error}", location, _AGAIN) from error
    _check_head(fields)
    _check_seal(content, fields, location)
    model = read_model(fields.object("model"))
    files = {path: _read_file(entry) for path, entry in fields.objects("files")}
    for path in files:
        if not _INSIDE.fullmatch(path) or path == _MANIFEST:
            raise fields.wrong(".files", "paths inside the bundle, with / between folders", path)
    profiles = {name: _read_profile(name, entry) for name, entry in fields.objects("profiles")}
    data, sets = fields.object("data"), fields.object("sets")
    manifest = Manifest(
        version=fields.integer("version", 3, 4),
        sha256=fields.text("sha256"),
        name=fields.text("name"),
        data=data.text("name"),
        licence=data.text("licence"),
        model=model,
        calibration=_read_calibration(sets.object("calibration")),
        fitted=sets.get("fitted") is not None,
        probability=_read_probability(sets, model),
        profiles=profiles,
        files=files,
    )
    _check_files(manifest, fields)
    return manifest


_AGAIN = "Give the folder of a FuzzQE bundle; export or download it again."


def _check_head(fields: Fields) -> None:
    if fields.values.get("format") != "fuzzqe-bundle":
        raise fields.wrong(".format", '"fuzzqe-bundle"', fields.values.get("format"))
    version = fields.values.get("version")
    if version not in VERSIONS:
        newer = isinstance(version, int) and version > max(VERSIONS)
        raise FuzzError(
            "bundle",
            f"version: expected {' or '.join(map(str, VERSIONS))}, got {version!r}",
            fields.file,
            "Upgrade fuzzqe-py, or export the run again." if newer else "Export the run again with `fuzzqe export`.",
        )


def _check_seal(content: bytes, fields: Fields, location: str) -> None:
    """The digest of the manifest is that of its bytes with the digits of the digest zero."""
    own = fields.text("sha256")
    if not _SHA256.fullmatch(own):
        raise fields.wrong(".sha256", "64 lower-case hexadecimal digits", own)
    got = hashlib.sha256(content.replace(own.encode(), b"0" * 64, 1)).hexdigest()
    if got != own:
        raise FuzzError(
            "bundle",
            f"altered: expected sha256 {own}, got {got}",
            location,
            "Export or download the bundle again.",
        )


def read_model(fields: Fields) -> Model:
    """Reads `model` of a manifest or of a graph. Raises FuzzError `bundle`."""
    relations = fields.integer("relations", 2, 2**31 - 2)
    if relations % 2:
        raise fields.wrong(".relations", "an even number: relations with their inverses", relations)
    return Model(
        entities=fields.integer("entities", 1, 2**31 - 1),
        relations=relations,
        dimension=fields.integer("dimension", 1, 8192),
        bases=fields.integer("bases", 1, 4096),
        logic=fields.text("logic", ("product", "godel", "lukasiewicz")),
        mapping=fields.text("mapping", _MAPPINGS),
        entity_mapping=fields.text("entityMapping", _MAPPINGS),
        entity_normalisation=fields.text("entityNormalisation", ("l1", "l2")),
        projection_input=fields.text("projectionInput", ("raw", "l2")),
        score=fields.text("score", ("innerProduct", "cosine")),
    )


def _read_calibration(fields: Fields) -> Calibration:
    return Calibration(
        temperature=fields.number("temperature", 0, 1000, above=True),
        cap=fields.number("cap", 0, 0.94, above=True),
        weight=fields.number("weight", 0, 100, above=True),
        exponent=fields.number("exponent", 0, 1.5),
        exclusivity=fields.number("exclusivity", 0, 2),
        support=fields.number("support", 0, 1),
        certain_members=fields.integer("certainMembers", 1, 100_000),
        predicted_members=fields.integer("predictedMembers", 0, 100_000),
    )


def _read_probability(sets: Fields, model: Model) -> LinkProbability | None:
    if sets.get("probability") is None:
        return None
    fields = sets.object("probability")
    knots = [Fields(knot, fields.file, f"{fields.path}.knots") for knot in fields.array("knots")]
    log_shares = np.array([knot.number("logShare", -1e308, 1e308) for knot in knots])
    if not knots or np.any(np.diff(log_shares) < 0):
        raise fields.wrong(".knots", "one or more, ascending", fields.get("knots"))
    partitions = fields.array("partitions")
    is_number = all(isinstance(each, float | int) and abs(each) < 1e6 for each in partitions)
    if len(partitions) != model.relations or not is_number:
        raise fields.wrong(".partitions", f"{model.relations} numbers", partitions)
    return LinkProbability(
        temperature=fields.number("temperature", 0, 1000, above=True),
        partitions=np.array(partitions, np.float32),
        log_shares=log_shares,
        probabilities=np.array([knot.number("probability", 0, 1) for knot in knots]),
    )


def _read_profile(name: str, fields: Fields) -> Profile:
    operators = fields.object("operators")
    graphs = {each: _read_graph(each, operators) for each in OPERATORS}
    graphs |= {each: _read_graph(each, fields) for each in OWN_GRAPHS}
    # A profile whose graphs are cases of one file has none for structures.
    if graphs["rank"].case is None:
        structures = fields.object("structures")
        graphs |= {each: _read_graph(each, structures) for each in STRUCTURES}
        graphs["program"] = _read_graph("program", fields)
    tolerances = {
        what: Tolerance(entry.number("absolute", 0, 1e308), entry.number("relative", 0, 1e308))
        for what, entry in fields.objects("tolerances")
    }
    for what in ("embedding", "score", "degree"):
        if what not in tolerances:
            raise fields.wrong(".tolerances", f'the key "{what}"', list(tolerances))
    return Profile(name, graphs, fields.text("golden"), tolerances)


def _read_graph(name: str, parent: Fields) -> Graph:
    fields = parent.object(name)
    weights = fields.array("weights")
    if not all(isinstance(path, str) for path in weights):
        raise fields.wrong(".weights", "paths", weights)
    case = fields.integer("case", 0, 8) if "case" in fields.values else None
    return Graph(
        name,
        fields.text("path"),
        tuple(weights),
        _tensors(fields, "inputs"),
        _tensors(fields, "outputs"),
        case,
    )


def _tensors(fields: Fields, key: str) -> tuple[Tensor, ...]:
    entries = [Fields(entry, fields.file, f"{fields.path}.{key}") for entry in fields.array(key)]
    return tuple(
        Tensor(entry.text("name"), entry.text("dtype", ("int", "float", "bool")), tuple(entry.array("shape")))
        for entry in entries
    )


def _read_file(fields: Fields) -> File:
    sha256 = fields.text("sha256")
    if not _SHA256.fullmatch(sha256):
        raise fields.wrong(".sha256", "64 lower-case hexadecimal digits", sha256)
    return File(fields.integer("bytes", 0), sha256, "parts" in fields.values)


def _check_files(manifest: Manifest, fields: Fields) -> None:
    """Every file that is needed is listed, and counts agree with sizes: nothing is made larger than the files are."""
    model, files = manifest.model, manifest.files
    needed = set(SHARED_FILES).union(*(profile.files for profile in manifest.profiles.values()))
    for path in sorted(needed - files.keys()):
        raise fields.wrong(".files", f'"{path}"', "no such entry")
    if not manifest.profiles:
        raise fields.wrong(".profiles", "at least one profile", "none")
    least = {"entities": 5 * model.entities - 1, "relations": 5 * (model.relations // 2) - 1}
    for kind, size in least.items():
        path = f"vocabulary/{kind}.tsv"
        if files[path].bytes < size:
            raise fields.wrong(f".files[{path}].bytes", f"at least {size} for as many {kind}", files[path].bytes)
    if files["partitions.bin"].bytes != 4 * model.relations:
        raise fields.wrong(".files[partitions.bin].bytes", f"{4 * model.relations}", files["partitions.bin"].bytes)
    if files["facts.bin"].bytes % 12 or not files["facts.bin"].bytes:
        raise fields.wrong(
            ".files[facts.bin].bytes", "12 for each fact, of which there is one", files["facts.bin"].bytes
        )
    for profile in manifest.profiles.values():
        weights = {path for graph in profile.graphs.values() for path in graph.weights}
        if sum(files[path].bytes for path in weights) < model.entities * model.dimension:
            raise fields.wrong(f".profiles.{profile.name}", "weights of all entities", sorted(weights))
        for graph in profile.graphs.values():
            if files[graph.path].bytes > _LARGEST_GRAPH:
                raise fields.wrong(f".files[{graph.path}].bytes", f"at most {_LARGEST_GRAPH}", files[graph.path].bytes)

"""Checks of an ONNX file before a runtime gets it: a runtime runs whatever a graph says, and a loop need not end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from .errors import FuzzError
from .fields import Fields
from .manifest import Graph, Manifest
from .model import read_model

# fmt: off
_OPERATORS = {
    "Add", "Cast", "Concat", "ConstantOfShape", "Div", "Exp", "Expand", "Gather", "GatherElements", "Gemm",
    "GreaterOrEqual", "Identity", "If", "Log", "MatMul", "MatMulInteger", "Max", "Min", "Mul", "Neg", "ReduceMax",
    "ReduceSum", "Reshape", "Round", "ScatterND", "Shape", "Sigmoid", "Slice", "Softplus", "Sqrt", "Sub", "TopK",
    "Transpose", "Unsqueeze", "Where",
}
# fmt: on
_IR_VERSION, _OPSET = 10, 21

# The fields of each message that a bundle's graphs have: number → (name, whether it may stand more than once).
_Message: TypeAlias = Mapping[int, tuple[str, bool]]
_MODEL: _Message = {
    1: ("ir_version", False),
    2: ("producer_name", False),
    3: ("producer_version", False),
    6: ("doc_string", False),
    7: ("graph", False),
    8: ("opset_import", True),
    14: ("metadata_props", True),
}
_OPSET_IMPORT: _Message = {1: ("domain", False), 2: ("version", False)}
_ENTRY: _Message = {1: ("key", False), 2: ("value", False)}
_GRAPH: _Message = {
    1: ("node", True),
    2: ("name", False),
    5: ("initializer", True),
    10: ("doc_string", False),
    11: ("input", True),
    12: ("output", True),
    13: ("value_info", True),
}
_NODE: _Message = {
    1: ("input", True),
    2: ("output", True),
    3: ("name", False),
    4: ("op_type", False),
    5: ("attribute", True),
    6: ("doc_string", False),
}
_ATTRIBUTE: _Message = {
    1: ("name", False),
    2: ("f", False),
    3: ("i", False),
    4: ("s", False),
    5: ("t", False),
    6: ("g", False),
    8: ("ints", True),
    20: ("type", False),
}
_TENSOR: _Message = {
    1: ("dims", True),
    2: ("data_type", False),
    8: ("name", False),
    9: ("raw_data", False),
    12: ("doc_string", False),
    13: ("external_data", True),
    14: ("data_location", False),
}

_Value: TypeAlias = int | bytes


def check_graph(content: bytes, graph: Graph, manifest: Manifest, profile: str) -> None:
    """Refuses a file that is no graph of this model and profile, or has operators that no exporter writes.

    Raises FuzzError `bundle`.
    """
    try:
        model = _read(content, _MODEL, "model")
        if _one(model, "ir_version") != _IR_VERSION:
            raise _UnfitError(f"expected IR version {_IR_VERSION}, got {_one(model, 'ir_version')!r}")
        opsets = [_read(_bytes(each), _OPSET_IMPORT, "opset_import") for each in model["opset_import"]]
        if [(_one(each, "domain", b""), _one(each, "version")) for each in opsets] != [(b"", _OPSET)]:
            raise _UnfitError(f"expected the operators of ai.onnx {_OPSET} alone")
        _check_origin(model["metadata_props"], manifest, profile)
        inner = _bytes(_one(model, "graph", b""))
        name = _text(_one(_read(inner, _GRAPH, "graph"), "name", b""))
        if name != graph.name:
            raise _UnfitError(f"expected a graph called {graph.name}, got {name!r}")
        _check_nodes(inner, graph, manifest, 0)
    except _UnfitError as error:
        raise FuzzError(
            "bundle",
            f"a graph that FuzzQE does not write: {error}",
            graph.path,
            "It did not run. Export the bundle again.",
        ) from None


_NUMBER = re.compile("[0-9]{1,19}")


class _UnfitError(Exception):
    """What is wrong with a graph."""


def _check_origin(entries: list[_Value], manifest: Manifest, profile: str) -> None:
    """A graph says to which model and profile it belongs: one of another bundle may take and give the same."""
    pairs = [_read(_bytes(entry), _ENTRY, "metadata") for entry in entries]
    stated = {_text(_one(pair, "key", b"")): _text(_one(pair, "value", b"")) for pair in pairs}
    for key, expected in (("fuzzqe.format", str(manifest.version)), ("fuzzqe.profile", profile)):
        if stated.get(key) != expected:
            raise _UnfitError(f"{key}: expected {expected}, got {stated.get(key)}")
    try:
        model = read_model(Fields(json.loads(stated.get("fuzzqe.model", "null")), "fuzzqe.model"))
    except (ValueError, RecursionError, FuzzError) as error:
        raise _UnfitError(f"fuzzqe.model: {error}") from None
    if model != manifest.model:
        raise _UnfitError("fuzzqe.model: expected the model of the manifest, got another")


def _check_nodes(content: bytes, graph: Graph, manifest: Manifest, depth: int) -> None:
    if depth > 8:
        raise _UnfitError("graphs inside of graphs, more than eight deep")
    fields = _read(content, _GRAPH, "graph")
    for initializer in fields["initializer"]:
        _check_tensor(_bytes(initializer), graph, manifest)
    for each in fields["node"]:
        node = _read(_bytes(each), _NODE, "node")
        operator = _text(_one(node, "op_type", b""))
        if operator not in _OPERATORS:
            raise _UnfitError(f"the operator {operator!r}")
        for one in node["attribute"]:
            attribute = _read(_bytes(one), _ATTRIBUTE, "attribute")
            if attribute["t"]:
                _check_tensor(_bytes(_one(attribute, "t")), graph, manifest)
            if attribute["g"] and operator != "If":
                raise _UnfitError(f"a graph inside of {operator}")
            for branch in attribute["g"]:
                _check_nodes(_bytes(branch), graph, manifest, depth + 1)


def _check_tensor(content: bytes, graph: Graph, manifest: Manifest) -> None:
    """Numbers from other files come from those that the manifest names, within their sizes."""
    tensor = _read(content, _TENSOR, "tensor")
    pairs = [_read(_bytes(entry), _ENTRY, "external data") for entry in tensor["external_data"]]
    where = {_text(_one(pair, "key", b"")): _text(_one(pair, "value", b"")) for pair in pairs}
    if not where:
        return
    path = graph.path[: graph.path.rfind("/") + 1] + where.get("location", "")
    if path not in graph.weights:
        raise _UnfitError(f"numbers from {path!r}, which the manifest does not name for it")
    offset, length = (where.get(key, "") for key in ("offset", "length"))
    if (
        not (_NUMBER.fullmatch(offset) and _NUMBER.fullmatch(length))
        or int(offset) + int(length) > manifest.files[path].bytes
    ):
        raise _UnfitError(f"numbers at {offset!r}, {length!r} bytes of them, which are not in {path}")


def _read(content: bytes, message: _Message, what: str) -> dict[str, list[_Value]]:
    """The fields of a protobuf message; one that is not known, or stands twice where one may, is refused."""
    fields: dict[str, list[_Value]] = {name: [] for name, _ in message.values()}
    for number, value in _fields(content, what):
        if number not in message:
            raise _UnfitError(f"{what}: the field {number}")
        name, repeats = message[number]
        if fields[name] and not repeats:
            raise _UnfitError(f"{what}: {name} twice")
        fields[name].append(value)
    return fields


def _fields(content: bytes, what: str) -> Iterator[tuple[int, _Value]]:
    at = 0
    while at < len(content):
        tag, at = _varint(content, at, what)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = _varint(content, at, what)
            yield number, value
            continue
        length = 4
        if wire == 2:
            length, at = _varint(content, at, what)
        elif wire != 5:
            raise _UnfitError(f"{what}: the wire type {wire}")
        if at + length > len(content):
            raise _UnfitError(f"{what}: cut off")
        yield number, content[at : at + length]
        at += length


def _varint(content: bytes, at: int, what: str) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(content):
            break
        value |= (content[at] & 0x7F) << shift
        at += 1
        if content[at - 1] < 0x80:
            return value, at
    raise _UnfitError(f"{what}: cut off")


def _one(fields: Mapping[str, list[_Value]], name: str, default: _Value = 0) -> _Value:
    return fields[name][0] if fields[name] else default


def _bytes(value: _Value) -> bytes:
    if isinstance(value, int):
        raise _UnfitError("a number in the place of a message")
    return value


def _text(value: _Value) -> str:
    return _bytes(value).decode("utf-8", "replace")

"""The graphs of a profile on onnxruntime, each opened when it is first run."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import FuzzError
from .folder import Folder
from .manifest import Graph, Profile
from .onnx_check import check_graph
from .signatures import Tensor

# onnxruntime sends telemetry unless the environment says otherwise before it is imported; an empty value is consent.
os.environ["ORT_DISABLE_TELEMETRY"] = os.environ.get("ORT_DISABLE_TELEMETRY") or "1"
import onnxruntime as ort

Array: TypeAlias = npt.NDArray[Any]

# How inputs of a graph are called where it is a case of the combined graph; outputs are `numbers`, and `best` for ids.
_COMBINED_INPUTS: Mapping[str, Mapping[str, str]] = {
    "anchor": {"entities": "heads"},
    "project": {"operand": "left", "relations": "along"},
    "conjunction": {"left": "left", "right": "right"},
    "disjunction": {"left": "left", "right": "right"},
    "negation": {"operand": "left"},
    "centroid": {"operand": "left", "relations": "along"},
    "rank": {"embedding": "left", "allowed": "allowed", "k": "number"},
    "links": {"heads": "heads", "relations": "along"},
}
_DTYPES = {"int": np.int32, "float": np.float32, "bool": np.bool_}
_ORT_TYPES = {"int": "tensor(int32)", "float": "tensor(float)", "bool": "tensor(bool)"}


class Graphs:
    """Runs the graphs of one profile; may be used by several threads."""

    def __init__(self, folder: Folder, profile: Profile, threads: int | None) -> None:
        self._folder, self._profile, self._threads = folder, profile, threads
        self._sessions: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        """Lets go of all sessions, which have the weights mapped; one that runs in another thread ends first."""
        with self._lock:
            self._closed = True
            self._sessions.clear()

    @property
    def closed(self) -> bool:
        """Whether nothing is run any more."""
        return self._closed

    def expect_open(self) -> None:
        """Raises FuzzError `runtime`: they are closed."""
        if self._closed:
            raise FuzzError("runtime", "the bundle is closed", str(self._folder.path), "Open it again: Bundle.open.")

    def run(self, name: str, **feeds: Array) -> list[Array]:
        """The outputs of a graph, in the order of the manifest. Raises FuzzError `bundle` or `runtime`."""
        graph = self._profile.graphs[name]
        session = self._session(graph)
        outputs = [output.name for output in graph.signature.outputs]
        if graph.case is not None:
            feeds = self._combined_feeds(graph, feeds)
            outputs = ["best" if output == "ids" else "numbers" for output in outputs]
        try:
            results: list[Array] = session.run(outputs, feeds)
        except Exception as error:  # onnxruntime has no common class of errors
            raise FuzzError("runtime", f"onnxruntime: {error}", graph.path, CHECK) from error
        return results

    def has(self, name: str) -> bool:
        """Whether the profile has a graph of this name: one of all graphs in a file has none for structures."""
        return name in self._profile.graphs

    def _session(self, graph: Graph) -> Any:
        session = self._sessions.get(graph.path)
        if session is None:
            with self._lock:
                session = self._sessions.get(graph.path)
                if session is None:
                    self.expect_open()
                    session = self._sessions[graph.path] = self._open(graph)
        return session

    def _open(self, graph: Graph) -> Any:
        # Where graphs are combined, the file is that of the edge graph.
        file = self._profile.graphs["edge"] if graph.case is not None else graph
        # Opened by path later than the bundle was: a new export in the same folder may lie there by now.
        self._folder.verify_files(file.weights)
        check_graph(self._folder.read(file.path), file, self._folder.manifest, self._profile.name)
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Prepacking copies the entity table once a graph, and is worth it where every entity is compared.
        compares = all(output.name != "embedding" for output in file.signature.outputs)
        options.add_session_config_entry("session.disable_prepacking", "0" if compares else "1")
        if self._threads is not None:
            options.intra_op_num_threads = self._threads
        path = str(self._folder.path / file.path)
        try:
            # By its path, so that the system maps the weights into memory once for all graphs.
            session = ort.InferenceSession(path, options, ["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has no common class of errors
            raise FuzzError("runtime", f"onnxruntime cannot open it: {error}", path, CHECK) from error
        for side, tensors in (
            (session.get_inputs(), file.signature.inputs),
            (session.get_outputs(), file.signature.outputs),
        ):
            got = [(each.name, each.type, list(each.shape)) for each in side]
            expected = [(each.name, _ORT_TYPES[each.dtype], list(each.shape)) for each in tensors]
            if got != expected:
                raise FuzzError("bundle", f"expected a graph with {expected}, got {got}", path, CHECK)
        return session

    def _combined_feeds(self, graph: Graph, feeds: Mapping[str, Array]) -> dict[str, Array]:
        """All inputs of the combined graph: those that the case does not read are zeros."""
        combined = {each.name: _zeros(each) for each in self._profile.graphs["edge"].signature.inputs}
        combined["case"] = np.array([graph.case], np.int32)
        names = _COMBINED_INPUTS[graph.name]
        return combined | {names[name]: value for name, value in feeds.items()}


CHECK = "Check the bundle with `python -m fuzzqe check BUNDLE`; it, or this onnxruntime, is at fault."


def _zeros(tensor: Tensor) -> Array:
    shape = [size if isinstance(size, int) else 1 for size in tensor.shape]
    return np.zeros(shape, _DTYPES[tensor.dtype])

"""usage: triton.py REPOSITORY PLACE RELATIONS: a model repository by Triton's own schema, and its requests to `fuzzqe serve` at PLACE.

1. Every config.pbtxt is parsed by Triton's protobuf schema; names, types and dimensions are those of the ONNX files, which
   ONNX Runtime opens where they lie, and steps of ensembles fit together.
2. The steps of every ensemble are run as Triton would, and the same tensors are sent to /v2 by NVIDIA's client: same answers.
"""
import os
import sys
from pathlib import Path

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import numpy as np
import onnxruntime
import tritonclient.http as http
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2 as schema

repository, place = Path(sys.argv[1]), sys.argv[2]
kinds = {schema.TYPE_INT64: ("INT64", "tensor(int64)", np.int64), schema.TYPE_FP32: ("FP32", "tensor(float)", np.float32)}


def fail(what):
    raise SystemExit(f"triton: {what}")


def expect(holds, what):
    if not holds:
        fail(what)


configs, sessions = {}, {}
for folder in sorted(repository.iterdir()):
    config = text_format.Parse((folder / "config.pbtxt").read_text(), schema.ModelConfig())
    expect(config.name == folder.name, f"{folder}: is called {config.name}")
    expect(config.max_batch_size > 1, f"{config.name}: no batches")
    versions = [each for each in folder.iterdir() if each.is_dir()]
    expect(len(versions) == 1 and versions[0].name.isdigit(), f"{config.name}: versions {versions}")
    configs[config.name] = config
    model = versions[0] / "model.onnx"
    expect(model.exists() == (config.platform != "ensemble"), f"{config.name}: {model}")
    for output in config.output:
        if output.label_filename:
            labels = (folder / output.label_filename).read_text().splitlines()
            expect([len(labels)] == list(output.dims), f"{config.name}: {len(labels)} labels for {output.dims}")
    if not model.exists():
        continue
    expect(config.backend == "onnxruntime", f"{config.name}: backend {config.backend}")
    session = sessions[config.name] = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    for what, described, own in (("inputs", config.input, session.get_inputs()), ("outputs", config.output, session.get_outputs())):
        stated = {each.name: (kinds[each.data_type][1], list(each.dims)) for each in described}
        found = {each.name: (each.type, each.shape) for each in own}
        expect(stated.keys() == found.keys(), f"{config.name}: {what} {set(stated)} and {set(found)}")
        for name, (kind, dims) in stated.items():
            element, shape = found[name]
            same = element == kind and isinstance(shape[0], str) and len(shape) == 1 + len(dims)
            # A dimension that only the run knows is a name there.
            same = same and all(isinstance(a, str) or a == b for a, b in zip(shape[1:], dims))
            expect(same, f"{config.name}: {name} is {kind} {dims} and {element} {shape}")

ensembles = [config for config in configs.values() if config.platform == "ensemble"]
expect(len(ensembles) == 14, f"{len(ensembles)} ensembles")


def run(config, feeds):
    """One request to Triton: an ensemble is its steps, in order."""
    if config.name in sessions:
        names = [output.name for output in config.output]
        return dict(zip(names, sessions[config.name].run(names, feeds)))
    values = dict(feeds)
    for step in config.ensemble_scheduling.step:
        inner = configs[step.model_name]
        expect({each.name for each in inner.input} == set(step.input_map), f"{config.name}: inputs of {inner.name}")
        results = run(inner, {name: values[key] for name, key in step.input_map.items()})
        values.update({key: results[name] for name, key in step.output_map.items()})
    return {output.name: values[output.name] for output in config.output}


client = http.InferenceServerClient(place)
random = np.random.default_rng(7)
entities = next(iter(configs[next(name for name in configs if name.endswith("-links"))].output)).dims[0]
relations = int(sys.argv[3])
rows, compared = 5, 0
for config in ensembles:
    structure = config.name.rsplit("-", 1)[1]
    metadata = client.get_model_metadata(f"fuzzqe-{structure}")
    ours = {each["name"]: (each["datatype"], each["shape"][1:]) for each in metadata["inputs"]}
    theirs = {each.name: (kinds[each.data_type][0], list(each.dims)) for each in config.input}
    expect(ours == theirs, f"{config.name}: /v2 takes {ours}, Triton {theirs}")
    offered = {each["name"]: each["datatype"] for each in metadata["outputs"]}
    for output in config.output:
        expect(offered.get(output.name) == kinds[output.data_type][0], f"{config.name}: /v2 gives {offered}")

    feeds, tensors = {}, []
    for given in config.input:
        most = entities if given.name == "anchors" else relations
        kind, _, dtype = kinds[given.data_type]
        feeds[given.name] = random.integers(0, most, (rows, *given.dims)).astype(dtype)
        tensor = http.InferInput(given.name, [rows, *given.dims], kind)
        tensor.set_data_from_numpy(feeds[given.name], binary_data=False)
        tensors.append(tensor)
    expected = run(config, feeds)
    width = expected["ids"].shape[1]
    outputs = [http.InferRequestedOutput(output.name, binary_data=False) for output in config.output]
    answer = client.infer(f"fuzzqe-{structure}", tensors, outputs=outputs, parameters={"mode": "embedding", "k": width})
    for name, values in expected.items():
        got = answer.as_numpy(name)
        expect(got.shape == values.shape and got.dtype == values.dtype, f"{config.name}: {name} {got.shape} {got.dtype}")
    scores = answer.as_numpy("scores")
    expect(np.allclose(scores, expected["scores"], rtol=1e-4, atol=1e-5), f"{config.name}: other scores")
    # Equal scores may stand in any order: ids are compared where the next score is another.
    told = np.abs(np.diff(scores, axis=1, append=-1)) > 1e-4 * np.abs(scores) + 1e-5
    told[:, 1:] &= told[:, :-1]
    expect(told.mean() > 0.3, f"{config.name}: scores are too near one another to compare")
    expect((answer.as_numpy("ids") == expected["ids"])[told].all(), f"{config.name}: other entities")
    # Rows of one batch do not hang together.
    alone = run(config, {name: values[2:3] for name, values in feeds.items()})
    expect(np.allclose(alone["scores"], expected["scores"][2:3], rtol=1e-4, atol=1e-5), f"{config.name}: alone")
    compared += rows

links = next(config for config in configs.values() if config.name.endswith("-links"))
scores = run(links, {"heads": np.array([[1], [2]]), "relations": np.array([[0], [1]])})["scores"]
expect(scores.shape == (2, entities) and np.isfinite(scores).all() and scores.std() > 0, "links: scores")

# Negative control: what is no configuration is refused.
try:
    text_format.Parse('name: "x" max_batch: 3', schema.ModelConfig())
    fail("the schema takes anything")
except text_format.ParseError:
    pass
print(f"triton: {len(configs)} models by Triton's schema, {compared} queries answered by both")

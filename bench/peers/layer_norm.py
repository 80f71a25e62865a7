"""Times a projection as it is exported beside one with ONNX's LayerNormalization, and compares both with float64.

    python3 layer_norm.py BUNDLE [--profile fp32]

The exported graph writes the normalisation as nine nodes, which ONNX Runtime does not fuse; here they are replaced by the
one operator. Rows of inputs are as long as those of the bundle; `offset` adds a constant to all of them before the norm.
"""

import argparse
import json
import os
import pathlib
import statistics
import time

import numpy as np
import onnx
from onnx import TensorProto, helper

# onnxruntime sends telemetry unless the environment says otherwise before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime as ort  # noqa: E402

EPSILON = 1e-5
NORM = ["ReduceSum", "Mul", "Sub", "Mul", "ReduceSum", "Mul", "Add", "Sqrt", "Div"]


def replaced(model):
    """A copy of the model with the nodes of the norm replaced."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    nodes = list(model.graph.node)
    kinds = [node.op_type for node in nodes]
    starts = [i for i in range(len(kinds)) if kinds[i : i + len(NORM)] == NORM]
    assert len(starts) == 1, "expected one norm"
    start = starts[0]
    last = nodes[start + len(NORM) - 1]
    width = [i for i in model.graph.input if i.name == "operand"][0].type.tensor_type.shape.dim[1].dim_value
    model.graph.initializer.append(helper.make_tensor("ones", TensorProto.FLOAT, [width], np.ones(width, np.float32)))
    norm = helper.make_node(
        "LayerNormalization", [nodes[start].input[0], "ones"], [last.output[0]], axis=-1, epsilon=EPSILON
    )
    del model.graph.node[:]
    model.graph.node.extend(nodes[:start] + [norm] + nodes[start + len(NORM) :])
    return model


def session(model, path):
    path.write_bytes(model.SerializeToString())
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.disable_prepacking", "1")
    try:
        return ort.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    finally:
        path.unlink()


def norm_alone(width, fused):
    """The norm and nothing else."""
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", width])
    constant = lambda name, kind, dims, data: helper.make_tensor(name, kind, dims, data)
    if fused:
        nodes = [helper.make_node("LayerNormalization", ["x", "ones"], ["y"], axis=-1, epsilon=EPSILON)]
        initialisers = [constant("ones", TensorProto.FLOAT, [width], np.ones(width, np.float32))]
    else:
        nodes = [
            helper.make_node("ReduceSum", ["x", "axis"], ["sum"]),
            helper.make_node("Mul", ["sum", "share"], ["mean"]),
            helper.make_node("Sub", ["x", "mean"], ["centred"]),
            helper.make_node("Mul", ["centred", "centred"], ["squares"]),
            helper.make_node("ReduceSum", ["squares", "axis"], ["sum of squares"]),
            helper.make_node("Mul", ["sum of squares", "share"], ["variance"]),
            helper.make_node("Add", ["variance", "epsilon"], ["more"]),
            helper.make_node("Sqrt", ["more"], ["deviation"]),
            helper.make_node("Div", ["centred", "deviation"], ["y"]),
        ]
        initialisers = [
            constant("axis", TensorProto.INT64, [1], [1]),
            constant("share", TensorProto.FLOAT, [1], [1 / width]),
            constant("epsilon", TensorProto.FLOAT, [1], [EPSILON]),
        ]
    graph = helper.make_graph(nodes, "norm", [value("x")], [value("y")], initialisers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("--profile", default="fp32")
    flags = parser.parse_args()
    manifest = json.loads((flags.bundle / "manifest.json").read_text("utf-8"))
    width, relations = manifest["model"]["dimension"], manifest["model"]["relations"]
    path = flags.bundle / manifest["profiles"][flags.profile]["operators"]["project"]["path"]
    model = onnx.load(str(path), load_external_data=False)
    beside = path.with_name(".layer-norm.onnx")
    whole = {"nine nodes": session(model, beside), "LayerNormalization": session(replaced(model), beside)}
    random = np.random.default_rng(1)
    print(f"d {width}, {flags.profile}, onnxruntime {ort.__version__}, one thread")
    for rows in (1, 8):
        feeds = {
            "operand": random.uniform(0, 1, (rows, width)).astype(np.float32),
            "relations": random.integers(0, relations, rows).astype(np.int32),
        }
        times = {name: [] for name in whole}
        for _ in range(2000 // rows):
            for name, each in whole.items():
                start = time.perf_counter()
                each.run(None, feeds)
                times[name].append(time.perf_counter() - start)
        one, other = (each.run(None, feeds)[0] for each in whole.values())
        figures = ", ".join(f"{name} {1e6 * statistics.median(all):.1f} µs" for name, all in times.items())
        print(f"  projection of {rows} rows: {figures}; largest difference {np.max(np.abs(one - other)):.1e}")
    alone = {name: session(norm_alone(width, fused), beside) for name, fused in (("nine nodes", False), ("LayerNormalization", True))}
    for offset in (0, 10, 100):
        x = (random.normal(0, 1, (64, width)) + offset).astype(np.float32)
        exact = x.astype(np.float64)
        exact = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + EPSILON)
        errors = ", ".join(
            f"{name} {np.max(np.abs(each.run(None, {'x': x})[0] - exact)):.1e}" for name, each in alone.items()
        )
        print(f"  norm with offset {offset}, largest error beside float64: {errors}")


if __name__ == "__main__":
    main()

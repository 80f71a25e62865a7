# Asks a server that runs, by NVIDIA's client of the Open Inference Protocol, and compares what it answers with the HTTP API.
#   fuzzqe serve bundles/countries --port 8080
#   pip install "tritonclient[http]" && python bench/peers/inference_protocol.py localhost:8080
import json
import re
import sys
import time
import urllib.request

import numpy as np
import tritonclient.http as client
from tritonclient.utils import InferenceServerException

place = sys.argv[1] if len(sys.argv) > 1 else "localhost:8080"
server = client.InferenceServerClient(place)


def tensor(name, values, datatype):
    given = client.InferInput(name, list(values.shape), datatype)
    given.set_data_from_numpy(values, binary_data=False)  # the server has no extensions
    return given


def infer(model, inputs, outputs=(), model_version="", **parameters):
    wanted = [client.InferRequestedOutput(name, binary_data=False) for name in outputs] or None
    return server.infer(model, inputs, outputs=wanted, request_id="one", model_version=model_version, parameters=parameters)


def v1(body):
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"http://{place}/v1/query", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)["answers"]


def refused(expected, *arguments, **parameters):
    try:
        infer(*arguments, **parameters)
    except InferenceServerException as error:
        assert expected in str(error), error
        return
    raise AssertionError(f"not refused: {arguments}")


assert server.is_server_live() and server.is_server_ready()
about = server.get_server_metadata()
assert about["extensions"] == [] and re.fullmatch(r"\d+\.\d+\.\d+\S*", about["version"]), about
assert server.is_model_ready("fuzzqe") and not server.is_model_ready("fuzzqe-4p")
sizes = {"1p": (1, 1), "2p": (1, 2), "3p": (1, 3), "2i": (2, 2), "3i": (3, 3), "pi": (2, 3), "ip": (2, 3), "2u": (2, 2),
         "up": (2, 3), "2in": (2, 2), "3in": (3, 3), "inp": (2, 3), "pin": (2, 3), "pni": (2, 3)}
compared = 0
for structure, (anchors, relations) in sizes.items():
    name = f"fuzzqe-{structure}"
    metadata = server.get_model_metadata(name)
    assert [tensor["shape"] for tensor in metadata["inputs"]] == [[-1, anchors], [-1, relations]], metadata
    given = np.arange(3 * anchors, dtype=np.int64).reshape(3, anchors)
    along = (np.arange(3 * relations, dtype=np.int64) % 4).reshape(3, relations)
    for mode, values in (("sets", "degrees"), ("embedding", "scores")):
        result = infer(name, [tensor("anchors", given, "INT64"), tensor("relations", along, "INT64")], mode=mode, k=5)
        ids, found = result.as_numpy("ids"), result.as_numpy(values)
        assert ids.dtype == np.int64 and found.dtype == np.float32 and ids.shape == found.shape
        assert result.get_response()["id"] == "one"
        compared += ids.shape[0]

texts = ["project(#0, #1)", "and(project(#0, #1), not(project(#2, #3)))", '{"project": 0, "from": {"entity": 1}}']
result = infer("fuzzqe", [tensor("query", np.array(texts, dtype=object), "BYTES")], ["ids", "degrees", "keys"], k=5)
for row, text in enumerate(texts):
    query = json.loads(text) if text.startswith("{") else text
    answers = v1({"query": query, "k": 5})
    width = len(answers)
    assert result.as_numpy("ids")[row, :width].tolist() == [answer["id"] for answer in answers]
    assert np.allclose(result.as_numpy("degrees")[row, :width], [answer["degree"] for answer in answers])
    assert result.as_numpy("keys")[row, :width].tolist() == [answer["key"] for answer in answers]
    compared += 1

text_model = server.get_model_metadata("fuzzqe")
version = text_model["versions"][0]
assert text_model["platform"] == "fuzzqe_bundle" and server.get_model_metadata("fuzzqe", version) == text_model, text_model
assert server.is_model_ready("fuzzqe", version) and not server.is_model_ready("fuzzqe", f"{version}0")

one = [tensor("query", np.array(["project(#0, #1)"], dtype=object), "BYTES")]
same = server.infer("fuzzqe", one, model_version=version).get_response()
assert same["model_version"] == version and same["model_name"] == "fuzzqe", same
refused("no such model", "nothing", one)
refused("no such version", "fuzzqe", one, model_version=f"{version}0")
refused("expected BYTES", "fuzzqe", [tensor("query", np.array([1], dtype=np.int64), "INT64")])
refused("expected the shape", "fuzzqe", [tensor("query", np.array([["#0"]], dtype=object), "BYTES")])
refused("expected an integer", "fuzzqe", one, k=0)
binary = client.InferInput("query", [1], "BYTES")
binary.set_data_from_numpy(np.array(["#0"], dtype=object), binary_data=True)
refused("binary_data=False", "fuzzqe", [binary])

began, asked = time.perf_counter(), 200
for _ in range(asked):
    infer("fuzzqe", one, k=5)
took = 1000 * (time.perf_counter() - began) / asked
print(f"{compared} queries answered, 6 requests refused with their reasons; {took:.2f} ms a request, one after the other")

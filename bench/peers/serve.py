"""A bundle's fp32 weights served by PyTorch and FAISS behind FastAPI: what one would write without FuzzQE.

    python3 serve.py BUNDLE [--workers 2] [--port 0]

POST /query {"structure": "2i", "anchors": [...], "relations": [...], "k": 10} answers the k entities of the highest score,
with their names. Product logic with logistic mappings and input of length 1 alone. Every worker has one thread, maps the weights
and answers one query at a time, which was faster here than one worker with two threads.
"""

import argparse
import json
import os
import pathlib
import socket

os.environ["OMP_NUM_THREADS"] = "1"

import faiss  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import uvicorn  # noqa: E402
from fastapi import FastAPI  # noqa: E402
from pydantic import BaseModel  # noqa: E402

torch.set_num_threads(1)
faiss.omp_set_num_threads(1)


def read_weights(bundle, model):
    """The tensors of models/fp32/weights.bin by docs/bundle-format.md, mapped."""
    e, r, d = (model[key] for key in ("entities", "relations", "dimension"))
    shapes = {"entityEmbeddings": (e, d), "relationBiases": (r, d), "relationWeights": (r, d, d)}
    if model["entityNormalisation"] == "l1":
        shapes["entityInverseLengths"] = (e,)
    path, end, found = pathlib.Path(bundle) / "models/fp32/weights.bin", 0, {}
    for name, shape in sorted(shapes.items()):
        size = 4 * int(np.prod(shape))
        step = 4096 if size >= 65536 else 64
        begin = -(-end // step) * step
        found[name] = np.memmap(path, np.float32, "c", begin, shape)
        end = begin + size
    return found


class Model:
    def __init__(self, bundle):
        manifest = json.loads((pathlib.Path(bundle) / "manifest.json").read_text())
        model = manifest["model"]
        expected = {"logic": "product", "mapping": "logistic", "projectionInput": "l2", "score": "innerProduct"}
        assert all(model[key] == value for key, value in expected.items()), f"expected {expected}"
        weights = read_weights(bundle, model)
        self.entities = torch.from_numpy(np.asarray(weights["entityEmbeddings"]))
        self.weights = torch.from_numpy(np.asarray(weights["relationWeights"]))
        self.biases = torch.from_numpy(np.asarray(weights["relationBiases"]))
        self.index = faiss.IndexFlatIP(model["dimension"])
        self.index.add(np.ascontiguousarray(weights["entityEmbeddings"]))
        lines = (pathlib.Path(bundle) / "vocabulary/entities.tsv").read_text().split("\n")[:-1]
        self.names = [line.split("\t")[1:3] for line in lines]

    def project(self, x, relation):
        x = x / torch.sqrt((x * x).sum() + 1e-12)
        y = torch.addmv(self.biases[relation], self.weights[relation].T, x)
        return torch.sigmoid(torch.nn.functional.layer_norm(y, y.shape, eps=1e-5))

    def embed(self, structure, a, r):
        P = lambda i, x: self.project(x, r[i])
        e = lambda i: self.entities[a[i]]
        either = lambda x, y: x + y - x * y
        match structure:
            case "1p":
                return P(0, e(0))
            case "2p":
                return P(1, P(0, e(0)))
            case "3p":
                return P(2, P(1, P(0, e(0))))
            case "2i":
                return P(0, e(0)) * P(1, e(1))
            case "3i":
                return P(0, e(0)) * P(1, e(1)) * P(2, e(2))
            case "pi":
                return P(1, P(0, e(0))) * P(2, e(1))
            case "ip":
                return P(2, P(0, e(0)) * P(1, e(1)))
            case "2u":
                return either(P(0, e(0)), P(1, e(1)))
            case "up":
                return P(2, either(P(0, e(0)), P(1, e(1))))
            case "2in":
                return P(0, e(0)) * (1 - P(1, e(1)))
            case "3in":
                return P(0, e(0)) * P(1, e(1)) * (1 - P(2, e(2)))
            case "inp":
                return P(2, P(0, e(0)) * (1 - P(1, e(1))))
            case "pin":
                return P(1, P(0, e(0))) * (1 - P(2, e(1)))
            case "pni":
                return (1 - P(1, P(0, e(0)))) * P(2, e(1))
        raise ValueError(structure)

    @torch.inference_mode()
    def answer(self, query):
        embedding = self.embed(query.structure, query.anchors, query.relations)
        scores, ids = self.index.search(embedding.numpy()[None], query.k)
        rows = zip(ids[0].tolist(), scores[0].tolist())
        return {"answers": [{"id": i, "key": self.names[i][0], "label": self.names[i][1], "score": s} for i, s in rows]}


class Query(BaseModel):
    structure: str
    anchors: list[int]
    relations: list[int]
    k: int = 10


def create_app():
    """Called by uvicorn in every worker."""
    app, model = FastAPI(), Model(os.environ["BUNDLE"])

    @app.post("/query")
    async def query(asked: Query):
        return model.answer(asked)

    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--port", type=int, default=0)
    args = parser.parse_args()
    os.environ["BUNDLE"] = args.bundle
    port = args.port
    if port == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    # Importing PyTorch may take longer than the five seconds after which a worker counts as dead.
    patience = {"timeout_worker_healthcheck": 120}
    uvicorn.run("serve:create_app", factory=True, port=port, workers=args.workers, access_log=False, **patience)

"""A bundle's fp32 weights served by PyTorch and FAISS behind FastAPI: what one would write without FuzzQE.

    python3 serve.py BUNDLE [--workers 2] [--port 0]

POST /query {"structure": "2i", "anchors": [...], "relations": [...], "k": 10} answers the k entities of the highest score,
with their names. Product logic with logistic mappings alone, and with bases input of length 1. Every worker has one thread, maps the weights
and answers one query at a time, which was faster here than one worker with two threads.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import signal
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
    shapes = {"entityEmbeddings": (e, d)}
    if model.get("relationForm") == "blocks":
        shapes["relationBlocks"] = (r, d)
        if model["projectionInput"] == "domain":
            shapes["relationHeads"] = shapes["relationTails"] = (r, min(256, e))
    else:
        if model["entityNormalisation"] == "l1":
            shapes["entityInverseLengths"] = (e,)
        shapes |= {"relationBiases": (r, d), "relationWeights": (r, d, d)}
    path, end, found = pathlib.Path(bundle) / "models/fp32/weights.bin", 0, {}
    for name, shape in shapes.items():
        size = 4 * int(np.prod(shape))
        step = 4096 if size >= 65536 else 64
        begin = -(-end // step) * step
        found[name] = np.memmap(path, np.int32 if name == "relationHeads" else np.float32, "c", begin, shape)
        end = begin + size
    return found


class Model:
    def __init__(self, bundle):
        manifest = json.loads((pathlib.Path(bundle) / "manifest.json").read_text())
        model = manifest["model"]
        self.blocks, self.input = model.get("relationForm") == "blocks", model["projectionInput"]
        expected = {"logic": "product", "mapping": "logistic", "score": "innerProduct"}
        assert all(model[key] == value for key, value in expected.items()), f"expected {expected}"
        assert self.blocks or self.input == "l2", "bases: expected projectionInput l2"
        self.negation = model.get("negationLambda", 0)
        weights = read_weights(bundle, model)
        tensors = {name: torch.from_numpy(np.asarray(each)) for name, each in weights.items()}
        self.entities = tensors["entityEmbeddings"]
        self.weights = tensors["relationBlocks" if self.blocks else "relationWeights"]
        self.biases, self.heads, self.tails = (
            tensors.get(name) for name in ("relationBiases", "relationHeads", "relationTails")
        )
        self.index = faiss.IndexFlatIP(model["dimension"])
        self.index.add(np.ascontiguousarray(weights["entityEmbeddings"]))
        lines = (pathlib.Path(bundle) / "vocabulary/entities.tsv").read_text().split("\n")[:-1]
        self.names = [line.split("\t")[1:3] for line in lines]

    def turn(self, x, relation):
        """A projection by blocks."""
        u = x / (x.mean() + 1e-12) - 1
        if self.input == "lengthened":
            u = u / (8 * torch.sqrt((u * u).mean() + 1e-6)).clamp(max=1)
        (a, b), (c, s) = u.chunk(2), self.weights[relation].chunk(2)
        return torch.sigmoid(torch.cat([a * c - b * s, a * s + b * c]))

    def centroid(self, x, relation):
        """Where a projection of what is no anchor starts."""
        heads = self.entities[self.heads[relation]]
        scores = heads @ (x - x.mean())
        least, most = torch.aminmax(scores)
        weights = self.tails[relation] * (((scores - least) / (most - least + 1e-7)) ** 8 + 1e-9)
        return weights @ heads / weights.sum()

    def project(self, x, relation, first=False):
        if self.blocks:
            return self.turn(x if first or self.input != "domain" else self.centroid(x, relation), relation)
        x = x / torch.sqrt((x * x).sum() + 1e-12)
        y = torch.addmv(self.biases[relation], self.weights[relation].T, x)
        return torch.sigmoid(torch.nn.functional.layer_norm(y, y.shape, eps=1e-5))

    def embed(self, structure, a, r):
        A = lambda i, j: self.project(self.entities[a[j]], r[i], first=True)
        P = lambda i, x: self.project(x, r[i])
        no = lambda x: (1 - x) / (1 + self.negation * x) if self.negation else 1 - x
        either = lambda x, y: x + y - x * y
        match structure:
            case "1p":
                return A(0, 0)
            case "2p":
                return P(1, A(0, 0))
            case "3p":
                return P(2, P(1, A(0, 0)))
            case "2i":
                return A(0, 0) * A(1, 1)
            case "3i":
                return A(0, 0) * A(1, 1) * A(2, 2)
            case "pi":
                return P(1, A(0, 0)) * A(2, 1)
            case "ip":
                return P(2, A(0, 0) * A(1, 1))
            case "2u":
                return either(A(0, 0), A(1, 1))
            case "up":
                return P(2, either(A(0, 0), A(1, 1)))
            case "2in":
                return A(0, 0) * no(A(1, 1))
            case "3in":
                return A(0, 0) * A(1, 1) * no(A(2, 2))
            case "inp":
                return P(2, A(0, 0) * no(A(1, 1)))
            case "pin":
                return P(1, A(0, 0)) * no(A(2, 1))
            case "pni":
                return no(P(1, A(0, 0))) * A(2, 1)
        raise ValueError(structure)

    @torch.inference_mode()
    def answer(self, query):
        embedding = self.embed(query.structure, query.anchors, query.relations)
        # By blocks embeddings lie near 1/2, and entities sum to 1: without the mean less is lost to rounding.
        mean = embedding.mean() if self.blocks else torch.zeros(())
        scores, ids = self.index.search((embedding - mean).numpy()[None], query.k)
        rows = zip(ids[0].tolist(), scores[0].tolist())
        shift = float(mean)
        return {"answers": [{"id": i, "key": self.names[i][0], "label": self.names[i][1], "score": s + shift} for i, s in rows]}


class Query(BaseModel):
    structure: str
    anchors: list[int]
    relations: list[int]
    k: int = 10


def create_app(bundle):
    app, model = FastAPI(), Model(bundle)

    @app.post("/query")
    async def query(asked: Query):
        return model.answer(asked)

    return app


def listener(port):
    """A socket of its own for each worker, among which the system shares connections out.

    Without its protocol asyncio leaves Nagle's algorithm on, as under `uvicorn --workers`: an answer's body then waits 40 ms for the
    client to acknowledge its headers.
    """
    own = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    own.bind(("127.0.0.1", port))
    return own


def work(bundle, port):
    config = uvicorn.Config(create_app(bundle), access_log=False, log_level="warning")
    uvicorn.Server(config).run(sockets=[listener(port)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--port", type=int, default=0)
    args = parser.parse_args()
    # Bound and not listening, so that the port stays ours and no connection comes here.
    kept = listener(args.port)
    port = kept.getsockname()[1]
    workers = [multiprocessing.Process(target=work, args=(args.bundle, port)) for _ in range(args.workers)]
    for each in workers:
        each.start()
    signal.signal(signal.SIGTERM, lambda *_: [each.terminate() for each in workers])
    print(f"running on http://127.0.0.1:{port}", flush=True)
    for each in workers:
        each.join()

"""The training step of bench/peers/train-step.mjs in PyTorch: the same model, batch, loss and optimiser.

Forms of the relation projection: `grouped` (W_r formed once a relation, padded groups, bmm), `outer` (one product of
alpha (x) x with all bases) and `naive` (one W_r for every row). Reads one line for each block of steps from standard
input (`<form> <steps>`) and answers with JSON: milliseconds of each step and the last loss.
"""

import json
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

folder, threads = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(threads)
header = json.load(open(f"{folder}/header.json"))
kinds = {"float": np.float32, "int": np.int32, "bool": np.bool_}


def load(name):
    entry = header["tensors"][name]
    data = np.fromfile(f"{folder}/{name}.bin", dtype=kinds[entry["dtype"]]).reshape(entry["shape"])
    tensor = torch.from_numpy(data.copy())
    return tensor.long() if entry["dtype"] == "int" else tensor


d, bases = header["dimension"], header["bases"]
batches = [
    {name: load(f"{step}.{name}") for name in header["feeds"]} for step in range(header["batches"])
]
one_hop, two_hop = header["1p"], header["2p"]
queries = one_hop + two_hop
correction = np.log(header["entities"] / header["negatives"])


def unit(x):
    return x / torch.sqrt((x * x).sum(-1, keepdim=True) + 1e-12)


def entity(x):
    p = torch.sigmoid(8 * x - 4)
    return p / (torch.sqrt((p * p).sum(-1, keepdim=True)) + 1e-12)


class Trainer:
    """One model with its optimiser; every form starts from the same parameters."""

    def __init__(self, form):
        self.form, self.step_number = form, 0
        self.p = {name: load(name).requires_grad_() for name in header["learned"]}
        decay, rate = header["decay"], header["learningRate"]
        groups = [{"params": [self.p[n]], "weight_decay": decay[n], "lr": rate} for n in decay]
        groups.append({"params": [self.p["logTemperature"]], "weight_decay": 0.0, "lr": 2 * rate})
        self.optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.999), eps=1e-8, fused=True)

    def prepare(self, feeds):
        if self.form == "grouped":
            alpha = self.p["coefficients"].index_select(0, feeds["groupRelations"])
            self.weights = (alpha @ self.p["bases"].view(bases, d * d)).view(-1, d, d)
            self.bias = (alpha @ self.p["biasBases"]).unsqueeze(1)

    def project(self, level, x, feeds):
        x = unit(x)
        if self.form == "grouped":
            rows, places = feeds[f"rows.{level}"], feeds[f"places.{level}"]
            padded = F.pad(x, (0, 0, 0, 1)).index_select(0, rows.view(-1)).view(*rows.shape, d)
            y = torch.baddbmm(self.bias, padded, self.weights).view(-1, d).index_select(0, places)
        else:
            alpha = self.p["coefficients"].index_select(0, feeds[f"relations.{level}"])
            bias = alpha @ self.p["biasBases"]
            if self.form == "outer":
                pairs = (alpha.unsqueeze(2) * x.unsqueeze(1)).view(-1, bases * d)
                y = torch.addmm(bias, pairs, self.p["bases"].view(bases * d, d))
            else:
                weights = (alpha @ self.p["bases"].view(bases, d * d)).view(-1, d, d)
                y = torch.bmm(x.unsqueeze(1), weights).squeeze(1) + bias
        return torch.sigmoid(F.layer_norm(y, (d,), eps=1e-5))

    def step(self, feeds):
        vectors = entity(self.p["entities"].index_select(0, feeds["entityRows"]))
        anchors, positives, negatives = torch.split(
            vectors, [queries, queries, vectors.shape[0] - 2 * queries]
        )
        self.prepare(feeds)
        first = self.project(0, anchors, feeds)
        second = self.project(1, first[one_hop:], feeds)
        direction = unit(torch.cat([first[:one_hop], second])) * torch.exp(self.p["logTemperature"])
        own = (direction * unit(positives)).sum(-1)
        others = (direction @ unit(negatives).T).masked_fill(feeds["masked"], -1e30)
        loss = F.softplus(torch.logsumexp(others, -1) + correction - own).mean()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        return loss.item()


trainers = {}
print(json.dumps({"torch": torch.__version__, "threads": torch.get_num_threads()}), flush=True)
for line in sys.stdin:
    form, steps = line.split()
    if form not in trainers:
        trainers[form] = Trainer(form)
    trainer = trainers[form]
    times, loss = [], 0.0
    for _ in range(int(steps)):
        start = time.perf_counter()
        loss = trainer.step(batches[trainer.step_number % len(batches)])
        times.append(1000 * (time.perf_counter() - start))
        trainer.step_number += 1
    print(json.dumps({"ms": times, "loss": loss}), flush=True)

"""The training step of bench/peers/train-step.mjs in PyTorch: the same model, batch, loss and optimiser.

Reads one line for each block of steps from standard input (`<form> <steps>`) and answers with JSON: milliseconds of each
step, processor milliseconds of a step and the last loss. `step_families.py` has the families with their forms.
"""

import json
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

from step_families import families

folder, threads = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(threads)
header = json.load(open(f"{folder}/header.json"))
kinds = {"float": np.float32, "int": np.int32, "bool": np.bool_}
groups, levels = header["groups"], header["levels"]
queries = sum(group["count"] for group in groups)
anchors = sum(group["count"] * group["anchors"] for group in groups)


def load(name):
    entry = header["tensors"][name]
    data = np.fromfile(f"{folder}/{name}.bin", dtype=kinds[entry["dtype"]]).reshape(entry["shape"])
    tensor = torch.from_numpy(data.copy())
    return tensor.long() if entry["dtype"] == "int" else tensor


batches = [{name: load(f"{step}.{name}") for name in header["feeds"]} for step in range(header["batches"])]


def embed_batch(family, vectors, feeds):
    """The vectors of all queries, a level of projections at a time, as `embedBatch` orders them."""
    slots, at = [], 0
    for group in groups:
        slots.append(vectors[at : at + group["anchors"] * group["count"]].split(group["count"]))
        at += group["anchors"] * group["count"]
    projected = [{} for _ in groups]

    def embed(group, template):
        match template["op"]:
            case "entity":
                return slots[group][template["anchor"]]
            case "project":
                return projected[group][template["relation"]]
            case "and":
                return family.intersect([embed(group, each) for each in template["operands"]])
            case "not":
                return family.negate(embed(group, template["operand"]))

    for level, parts in enumerate(levels):
        x = family.project(level, torch.cat([embed(part["group"], part["from"]) for part in parts]), feeds)
        for part, rows in zip(parts, x.split([groups[part["group"]]["count"] for part in parts])):
            projected[part["group"]][part["relation"]] = rows
    return torch.cat([embed(at, group["template"]) for at, group in enumerate(groups)])


def softmax_loss(own, others, masked):
    correction = np.log(header["entities"] / header["negatives"])
    return F.softplus(torch.logsumexp(others.masked_fill(masked, -1e30), -1) + correction - own).mean()


def margin_loss(own, others, masked):
    counted = (~masked).float()
    far = (F.softplus(others - header["margin"]) * counted).sum(-1) / (counted.sum(-1) + 1e-12)
    return (F.softplus(header["margin"] - own) + far).mean()


class Trainer:
    """One model with its optimiser; every form starts from the same parameters."""

    def __init__(self, form):
        self.step_number = 0
        self.p = {name: load(name).requires_grad_() for name in header["learned"]}
        self.family = families[header["family"]](self.p, header, form)
        rate = header["learningRate"]
        each = [{"params": [x], "lr": rate * (2 if name == "logTemperature" else 1)} for name, x in self.p.items()]
        self.optimiser = torch.optim.AdamW(each, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, fused=True)

    def step(self, feeds):
        family = self.family
        vectors = family.entity(self.p["entities"].index_select(0, feeds["entityRows"]))
        entering, positives, negatives = vectors.split([anchors, queries, len(vectors) - anchors - queries])
        if header["kind"] == "own":
            negatives = negatives.view(queries, -1, vectors.shape[1])
        family.prepare(feeds)
        found = family.compared(embed_batch(family, family.anchor(entering), feeds))
        own, others = family.scores(found, positives.unsqueeze(1)).squeeze(1), family.scores(found, negatives)
        loss = (softmax_loss if "logTemperature" in self.p else margin_loss)(own, others, feeds["masked"])
        if header["n3"]:
            loss = loss + header["n3"] * family.cubes(entering, positives, feeds)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        return loss.item()


trainers = {}
print(json.dumps({"torch": torch.__version__}), flush=True)
for line in sys.stdin:
    form, steps = line.split()
    if form not in trainers:
        trainers[form] = Trainer(form)
    trainer = trainers[form]
    times, loss, used = [], 0.0, time.process_time()
    for _ in range(int(steps)):
        start = time.perf_counter()
        loss = trainer.step(batches[trainer.step_number % len(batches)])
        times.append(1000 * (time.perf_counter() - start))
        trainer.step_number += 1
    cpu = 1000 * (time.process_time() - used) / int(steps)
    print(json.dumps({"ms": times, "cpu": cpu, "loss": loss}), flush=True)

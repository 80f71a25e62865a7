"""Imports state dicts of KGReasoning's shapes, and compares every score of their bundles with PyTorch.

    python bench/peers/kgreasoning.py [--queries N] [--dimension M]

Models with random parameters: GQE (`vec`), Query2Box (`box`) with each activation of offsets, and BetaE (`beta`) with ∨ of
either kind. The names and shapes are those of KGReasoning's `model_state_dict`; the distances are computed here, from the
formulas. Needs the packages of Node to be built, and torch, numpy, safetensors and onnxruntime in Python.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "python" / "src"))
from fuzzqe import Bundle  # noqa: E402
from fuzzqe.structures import STRUCTURES, fill_structure  # noqa: E402
from fuzzqe.query import And, Entity, Not, Or, Project  # noqa: E402

ACTIVATIONS = {"none": lambda x: x, "relu": functional.relu, "softplus": functional.softplus}


def layers(**sizes):
    """Linear layers of a net by their names."""
    return nn.ModuleDict({name: nn.Linear(inputs, outputs) for name, (inputs, outputs) in sizes.items()})


def two_layers(net, x):
    return net["layer2"](torch.relu(net["layer1"](x)))


class Model(nn.Module):
    """The parameters of a model by KGReasoning's names."""

    def __init__(self, geo, activation, entities, relations, m):
        super().__init__()
        self.geo, self.union, self.pass_offset = geo, activation, ACTIVATIONS.get(activation)
        drawn = lambda *shape: nn.Parameter(torch.randn(*shape))
        self.gamma, self.embedding_range = nn.Parameter(torch.tensor([24.0])), nn.Parameter(torch.tensor([26.0 / m]))
        self.entity_embedding, self.relation_embedding = drawn(entities, m), drawn(relations, m)
        if geo == "beta":
            self.entity_embedding = drawn(entities, 2 * m)
            self.center_net = layers(layer1=(2 * m, 2 * m), layer2=(2 * m, m))
            self.projection_net = layers(layer1=(3 * m, 4 * m), layer2=(4 * m, 4 * m), layer0=(4 * m, 2 * m))
            return
        self.center_net = layers(layer1=(m, m), layer2=(m, m))
        if geo == "box":
            self.offset_embedding, self.offset_net = drawn(relations, m), layers(layer1=(m, m), layer2=(m, m))

    def boxes(self, query):
        """The alternatives of a query: centre and offset each."""
        match query:
            case Entity(entity):
                point = self.entity_embedding[entity]
                return [(point, torch.zeros_like(point))]
            case Project(relation, operand):
                grown = self.pass_offset(self.offset_embedding[relation]) if self.geo == "box" else 0
                return [(c + self.relation_embedding[relation], o + grown) for c, o in self.boxes(operand)]
            case Or(operands):
                return [box for operand in operands for box in self.boxes(operand)]
            case And(operands):
                return [self.intersection([self.boxes(operand)[0] for operand in operands])]
        raise ValueError(query)

    def intersection(self, boxes):
        centres, offsets = torch.stack([c for c, _ in boxes]), torch.stack([o for _, o in boxes])
        net = self.center_net
        weights = torch.softmax(two_layers(net, centres), dim=0)
        offset = offsets[0]
        if self.geo == "box":
            net = self.offset_net
            gate = torch.sigmoid(net["layer2"](torch.relu(net["layer1"](offsets)).mean(dim=0)))
            offset = offsets.min(dim=0).values * gate
        return (weights * centres).sum(dim=0), offset

    def betas(self, query):
        """The alternatives of a query as α and β side by side; one where ∨ is by ∧ and ¬."""
        positive = lambda x: torch.clamp(x + 1, 0.05, 1e9)
        match query:
            case Entity(entity):
                return [positive(self.entity_embedding[entity])]
            case Project(relation, operand):
                net = self.projection_net
                pairs = [torch.cat([each, self.relation_embedding[relation]]) for each in self.betas(operand)]
                return [positive(net["layer0"](torch.relu(two_layers(net, x)))) for x in pairs]
            case Not(operand):
                return [1 / each for each in self.betas(operand)]
            case Or(operands) if self.union == "DNF":
                return [each for operand in operands for each in self.betas(operand)]
            case Or(operands):
                return [1 / self.mean_of([1 / self.betas(operand)[0] for operand in operands])]
            case And(operands):
                return [self.mean_of([self.betas(operand)[0] for operand in operands])]
        raise ValueError(query)

    def mean_of(self, operands):
        stacked, net = torch.stack(operands), self.center_net
        weights = torch.softmax(two_layers(net, stacked), dim=0)
        return (torch.cat([weights, weights], dim=1) * stacked).sum(dim=0)

    def divergences(self, query):
        """KL of each entity from the nearest alternative."""
        of = lambda x: torch.distributions.Beta(*x.chunk(2, dim=-1))
        entities = of(torch.clamp(self.entity_embedding + 1, 0.05, 1e9))
        found = [torch.distributions.kl_divergence(entities, of(each)).sum(dim=-1) for each in self.betas(query)]
        return torch.stack(found).min(dim=0).values

    def distances(self, query):
        """Of all entities to the nearest alternative."""
        if self.geo == "beta":
            return self.divergences(query)
        found = []
        for centre, offset in self.boxes(query):
            far = (self.entity_embedding - centre).abs()
            if self.geo == "vec":
                found.append(far.sum(dim=1))
            else:
                outside, inside = torch.relu(far - offset), torch.min(far, offset)
                found.append(outside.norm(p=1, dim=1) + 0.02 * inside.norm(p=1, dim=1))
        return torch.stack(found).min(dim=0).values


def fuzzqe(*arguments):
    command = ["node", str(root / "packages/cli/bin/fuzzqe.js"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def compare(folder, geo, activation, options):
    """The largest relative difference of a score, and how many of the best entities are others."""
    name = f"{geo}-{activation}"
    torch.manual_seed(1)
    entities, relations = 879, 24
    model = Model(geo, activation, entities, relations, options.dimension).eval()
    save_file(model.state_dict(), str(folder / f"{name}.safetensors"))
    config = {"geo": geo, "hidden_dim": options.dimension, "gamma": 24.0, "box_mode": f"({activation},0.02)"}
    if geo == "beta":
        config |= {"beta_mode": f"({4 * options.dimension},2)", "evaluate_union": activation}
    (folder / f"{name}.json").write_text(json.dumps(config))
    data, run, out = folder / "data", folder / f"run-{name}", folder / f"bundle-{name}"
    fuzzqe("import", folder / f"{name}.safetensors", "--config", folder / f"{name}.json", "--data", data, "--out", run)
    fuzzqe("export", run, "--data", data, "--out", out)
    model = model.double()
    worst, others, count = 0.0, 0, 0
    draw = lambda below, size: tuple(torch.randint(below, (size,)).tolist())
    with Bundle.open(out, threads=1) as bundle, torch.no_grad():
        for structure in (each for each in STRUCTURES.values() if geo == "beta" or not each.negation):
            for _ in range(options.queries):
                filled = fill_structure(
                    structure.name, draw(entities, structure.anchors), draw(relations, structure.relations)
                )
                expected = 1 / (1 + model.distances(filled))
                answers = bundle.answer(filled, mode="embedding", k=entities)
                found = torch.zeros(entities, dtype=torch.float64)
                for answer in answers:
                    found[answer.id] = answer.score
                worst = max(worst, float(((found - expected) / expected).abs().max()))
                others += int(answers[0].id != int(expected.argmax()))
                count += 1
    return worst, others, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=20, help="queries of each structure")
    parser.add_argument("--dimension", type=int, default=40, help="m: how many numbers an entity has")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fuzzqe("data", "countries", "--out", folder / "data")
        boxes = (("box", each) for each in ACTIVATIONS)
        for geo, activation in (("vec", "none"), *boxes, ("beta", "DNF"), ("beta", "DM")):
            worst, others, count = compare(folder, geo, activation, options)
            failed |= worst > 1e-4
            print(f"{geo} {activation:<8} {count} queries, 879 scores each: relative difference {worst:.2g}, another best {others}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

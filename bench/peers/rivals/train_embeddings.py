"""Training of GQE, Query2Box and BetaE: a logistic loss around a margin, with negatives that a batch shares."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from .checkpoint import load_checkpoint, save_checkpoint
from .dataset import Dataset, Graph
from .embeddings import QueryEmbedding, models
from .query import Query, Tree, disjuncts, exact, parse, read_queries, with_negation
from .ranking import evaluate, means
from .timing import clock_of

trained = ["1p", "2p", "3p", "2i", "3i"]
"""The structures that GQE and Query2Box learn from; BetaE learns from those with negation, too."""


@dataclass
class EmbeddingOptions:
    model: str
    dimension: int = 200
    rate: float = 1e-3
    batch: int = 256
    """Queries of 1p, and as many of one other structure, a step."""
    negatives: int = 128
    margin: float = 0
    """γ; 0: the paper's, 24 for GQE and Query2Box, 60 for BetaE."""
    steps: int = 1_000_000
    minutes: float = 10
    """Of the processor on a CPU."""
    validate_every: int = 1000
    validation_queries: int = 20
    """Of each structure."""
    seed: int = 1
    save_seconds: float = 60


Example = tuple[Tree, np.ndarray]
"""A query and all its answers on the train graph."""


def training_queries(data: Dataset, graph: Graph) -> dict[str, list[Example]]:
    """Every link query of the train graph, and the data set's queries of the other structures."""
    path = data.folder / "queries" / "train.jsonl"
    if not path.exists():
        raise SystemExit(f"{path}: no training queries: draw some by fuzzqe data sample {data.folder} --train 8000")
    examples: dict[str, list[Example]] = {}
    for head, relation in graph.pairs.tolist():
        examples.setdefault("1p", []).append((parse([head, [relation]]), graph.tails(head, relation)))
    for query in read_queries(path, graph):
        answers = query.easy or sorted(exact(query.tree, graph))
        if query.structure != "1p" and answers:
            examples.setdefault(query.structure, []).append((query.tree, np.array(answers)))
    return examples


def batch_loss(model: QueryEmbedding, batch: list[Example], negatives: np.ndarray, random: np.random.Generator) -> Tensor:
    """−ln σ(γ − d(answer)) − mean over negatives of ln σ(d − γ), halved; a query with n answers weighs 1 / √n."""
    device = next(model.parameters()).device
    queries = model.embed([tree for tree, _ in batch])
    answers = np.array([each[random.integers(len(each))] for _, each in batch])
    where = np.full(int(max(each.max() for _, each in batch)) + 1, -1)
    inside = negatives < len(where)
    where[negatives[inside]] = np.flatnonzero(inside)
    allowed = np.ones((len(batch), len(negatives)), np.float32)
    for row, (_, each) in enumerate(batch):
        columns = where[each]
        allowed[row, columns[columns >= 0]] = 0
    mask = torch.from_numpy(allowed).to(device)
    near = F.logsigmoid(model.margin - model.distance(queries, model.table(torch.from_numpy(answers).to(device)[:, None]))).squeeze(1)
    far = F.logsigmoid(model.distance(queries, model.table(torch.from_numpy(negatives).to(device))) - model.margin)
    far = (far * mask).sum(1) / mask.sum(1).clamp_min(1)
    weights = torch.tensor([len(each) ** -0.5 for _, each in batch], device=device)
    return -(weights * (near + far)).sum() / (2 * weights.sum())


def scorer(model: QueryEmbedding) -> Callable[[Query], np.ndarray]:
    """The scores of all entities: minus the distance to the nearest branch of the query."""
    with torch.no_grad():
        everything = model.table(torch.arange(model.points.shape[0], device=model.points.device))

    @torch.no_grad()
    def score(query: Query) -> np.ndarray:
        distances = torch.cat([model.distance(model.embed([tree]), everything) for tree in disjuncts(query.tree)])
        return -distances.amin(0).cpu().numpy()

    return score


def endless(examples: list[Example], size: int, random: np.random.Generator) -> Iterator[list[Example]]:
    while True:
        order = random.permutation(len(examples))
        for at in range(0, max(1, len(order) - size + 1), size):
            yield [examples[i] for i in order[at : at + size]]


def train_embeddings(data: Dataset, options: EmbeddingOptions, device: str, out: Path, resume: bool = False) -> QueryEmbedding:
    """Trains until steps or minutes are used up, at a rate that falls to 0; best.pt is the best on validation queries."""
    torch.manual_seed(options.seed)
    model = models[options.model](data.entities, data.relations, options.dimension).to(device)
    model.margin = options.margin or model.margin
    optimiser = torch.optim.Adam(model.parameters(), lr=options.rate)
    state = {"step": 0, "seconds": 0.0, "best": -1.0, "best_step": 0, "finished": False}
    if resume:
        state = load_checkpoint(out / "last.pt", model, optimiser, device)
    random = np.random.default_rng([options.seed, state["step"]])
    graph = data.graph("train")
    examples = training_queries(data, graph)
    names = [name for name in examples if name in trained or (model.negates and name in with_negation)]
    sources = {name: endless(examples[name], options.batch, random) for name in names}
    others = [name for name in names if name != "1p"]
    held_out = read_queries(data.folder / "queries" / "valid.jsonl", graph, options.validation_queries)
    held_out = [query for query in held_out if model.negates or query.structure not in with_negation]
    clock = clock_of(device)
    began, saved = clock() - state["seconds"], time.monotonic()

    def save(name: str) -> None:
        state["seconds"] = clock() - began
        save_checkpoint(out / name, options.model, model, optimiser if name == "last.pt" else None, options, state)

    total = 0.0
    while not state["finished"]:
        used = max(state["step"] / options.steps, (clock() - began) / (60 * options.minutes))
        for group in optimiser.param_groups:
            group["lr"] = options.rate * max(0.01, 1 - used)
        optimiser.zero_grad(set_to_none=True)
        negatives = random.choice(data.entities, min(options.negatives, data.entities), replace=False)
        kinds = ["1p"] + ([others[state["step"] % len(others)]] if others else [])
        loss = sum(batch_loss(model, next(sources[kind]), negatives, random) for kind in kinds)
        loss.backward()
        optimiser.step()
        total += loss.item()
        state["step"] += 1
        last = state["step"] >= options.steps or clock() - began >= 60 * options.minutes
        if last or state["step"] % options.validate_every == 0:
            model.eval()
            mrr = float(np.nanmean(means(evaluate(scorer(model), held_out))))
            model.train()
            done = state["step"] % options.validate_every or options.validate_every
            seconds = clock() - began
            print(f"step {state['step']}: loss {total / done:.4f}, validation MRR {100 * mrr:.2f}, {seconds:.0f} s", flush=True)
            total = 0.0
            if not np.isfinite(mrr):
                raise SystemExit(f"step {state['step']}: validation MRR is not a number: lower --rate")
            if mrr > state["best"]:
                state.update(best=mrr, best_step=state["step"])
                save("best.pt")
        state["finished"] = last
        if last or time.monotonic() - saved > options.save_seconds:
            save("last.pt")
            saved = time.monotonic()
    return model

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
from .query import Query, Tree, disjuncts, parse, read_queries, with_negation
from .query_rows import exact_of, read_rows
from .ranking import evaluate, means
from .timing import budget_clock

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


class Examples:
    """Queries of one structure and all their answers on the train graph. Batches are drawn here and gathered on the device."""

    def __init__(self, shape: Tree, ids: np.ndarray, counts: np.ndarray, answers: np.ndarray, device: str):
        asked = counts > 0
        self.shape, self.counts = shape, counts[asked]
        self.starts = np.cumsum(self.counts) - self.counts
        on_device = lambda x: torch.from_numpy(x).to(device)
        self.ids, self.answers = on_device(ids[asked]), on_device(answers)
        self._counts, self._starts = on_device(self.counts), on_device(self.starts)

    def __len__(self) -> int:
        return len(self.counts)

    def some_answer(self, rows: np.ndarray, random: np.random.Generator) -> Tensor:
        """One answer of each query, drawn: [n]."""
        return self.answers[torch.from_numpy(self.starts[rows] + random.integers(self.counts[rows])).to(self.answers.device)]

    def gather(self, rows: np.ndarray) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The queries' ids [n, ids], how many answers each has [n], and all answers: whose each is, and it."""
        at = torch.from_numpy(rows).to(self.ids.device)
        counts = self._counts[at]
        row = torch.repeat_interleave(counts, output_size=int(self.counts[rows].sum()))
        first = self._starts[at] - counts.cumsum(0) + counts
        return self.ids[at], counts, row, self.answers[torch.arange(len(row), device=row.device) + first[row]]


def training_examples(data: Dataset, graph: Graph, negates: bool, device: str) -> dict[str, Examples]:
    """Every link query of the train graph, and the data set's queries of the other structures."""
    path = data.folder / "queries" / "train.jsonl"
    if not path.exists():
        raise SystemExit(f"{path}: no training queries: draw some by fuzzqe data sample {data.folder} --train 8000")
    examples = {"1p": Examples(parse([0, [0]]), graph.pairs, np.diff(graph.offsets), graph.facts[:, 2], device)}
    for name, (shape, ids) in read_rows(path, trained[1:] + (with_negation if negates else [])).items():
        examples[name] = Examples(shape, ids, *exact_of(shape, ids, graph), device)
    return {name: each for name, each in examples.items() if len(each)}


def batch_loss(model: QueryEmbedding, examples: Examples, rows: np.ndarray, negatives: Tensor, random: np.random.Generator) -> Tensor:
    """−ln σ(γ − d(answer)) − mean over negatives of ln σ(d − γ), halved; a query with n answers weighs 1 / √n."""
    ids, counts, row, answers = examples.gather(rows)
    queries = model.embed_rows(examples.shape, ids)
    # The column of each entity among the negatives; those that are none share one more column, which is left out again.
    column = torch.full((len(model.points),), len(negatives), device=ids.device)
    column[negatives] = torch.arange(len(negatives), device=ids.device)
    mask = torch.ones(len(rows), len(negatives) + 1, device=ids.device)
    mask[row, column[answers]] = 0
    mask = mask[:, :-1]
    near = F.logsigmoid(model.margin - model.distance(queries, model.table(examples.some_answer(rows, random)[:, None]))).squeeze(1)
    far = F.logsigmoid(model.distance(queries, model.table(negatives)) - model.margin)
    far = (far * mask).sum(1) / mask.sum(1).clamp_min(1)
    weights = counts**-0.5
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


def endless(count: int, size: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Rows of batches, in another order each time through."""
    while True:
        order = random.permutation(count)
        for at in range(0, max(1, len(order) - size + 1), size):
            yield order[at : at + size]


def train_embeddings(data: Dataset, options: EmbeddingOptions, device: str, out: Path, resume: bool = False) -> QueryEmbedding:
    """Trains until steps or minutes are used up, at a rate that falls to 0; best.pt is the best on validation queries."""
    torch.manual_seed(options.seed)
    model = models[options.model](data.entities, data.relations, options.dimension).to(device)
    model.margin = options.margin or model.margin
    optimiser = torch.optim.Adam(model.parameters(), lr=options.rate, fused=True if device.startswith("cuda") else None)
    state = {"step": 0, "seconds": 0.0, "best": -1.0, "best_step": 0, "finished": False}
    if resume:
        state = load_checkpoint(out / "last.pt", model, optimiser, device)
    random = np.random.default_rng([options.seed, state["step"]])
    graph = data.graph("train")
    examples = training_examples(data, graph, model.negates, device)
    sources = {name: endless(len(each), options.batch, random) for name, each in examples.items()}
    others = [name for name in examples if name != "1p"]
    held_out = read_queries(data.folder / "queries" / "valid.jsonl", graph, options.validation_queries)
    held_out = [query for query in held_out if model.negates or query.structure not in with_negation]
    clock = budget_clock(device)
    began, saved = clock() - state["seconds"], time.monotonic()

    def save(name: str) -> None:
        state["seconds"] = clock() - began
        save_checkpoint(out / name, options.model, model, optimiser if name == "last.pt" else None, options, state)

    total = torch.zeros((), device=device)
    while not state["finished"]:
        used = max(state["step"] / options.steps, (clock() - began) / (60 * options.minutes))
        for group in optimiser.param_groups:
            group["lr"] = options.rate * max(0.01, 1 - used)
        optimiser.zero_grad(set_to_none=True)
        negatives = torch.from_numpy(random.choice(data.entities, min(options.negatives, data.entities), replace=False)).to(device)
        kinds = ["1p"] + ([others[state["step"] % len(others)]] if others else [])
        loss = sum(batch_loss(model, examples[kind], next(sources[kind]), negatives, random) for kind in kinds)
        loss.backward()
        optimiser.step()
        total += loss.detach()
        state["step"] += 1
        last = state["step"] >= options.steps or clock() - began >= 60 * options.minutes
        if last or state["step"] % options.validate_every == 0:
            model.eval()
            mrr = float(np.nanmean(means(evaluate(scorer(model), held_out))))
            model.train()
            done = state["step"] % options.validate_every or options.validate_every
            seconds = clock() - began
            print(f"step {state['step']}: loss {total.item() / done:.4f}, validation MRR {100 * mrr:.2f}, {seconds:.0f} s", flush=True)
            total.zero_()
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

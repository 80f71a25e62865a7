"""Training of predictors of links by the full softmax over entities, with the N3 penalty (Lacroix et al., ICML 2018)."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .checkpoint import load_checkpoint, save_checkpoint
from .complex import ComplEx
from .dataset import Dataset, Graph, ranges
from .fuzzy_links import FuzzyLinks
from .timing import clock_of

LinkModel = ComplEx | FuzzyLinks


@dataclass
class LinkOptions:
    rank: int = 500
    rate: float = 0.1
    batch: int = 1000
    """Facts a step."""
    penalty: float = 0.05
    """The weight of N3."""
    relation_weight: float = 0.0
    """The weight of predicting the relation from head and tail."""
    masked: int = 0
    """1: a link's other tails are left out of the softmax that one of them is compared with."""
    adamw: int = 0
    """1: AdamW in place of Adagrad, its rate by 200 steps of warm-up and a cosine to 2 % over `epochs`."""
    layer_norm: int = 0
    """1: of FuzzyLinks, LN before σ."""
    epochs: int = 100
    minutes: float = float("inf")
    """Of the processor on a CPU."""
    validate_every: int = 5
    patience: int = 4
    """Validations without a better one after which training ends."""
    seed: int = 1
    save_seconds: float = 60


def batches(graph: Graph, size: int, order: np.ndarray, device: str = "cpu") -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Whole (head, relation) pairs with about `size` facts: pairs [p, 2], counts [p], tails [facts].

    An epoch goes to the device at once, and its batches are parts of it.
    """
    lengths = np.diff(graph.offsets)[order]
    ends = np.cumsum(lengths)
    tails = graph.facts[ranges(graph.offsets[order], lengths)[1], 2]
    pairs, counts, tails = (torch.from_numpy(x).to(device) for x in (graph.pairs[order], lengths, tails))
    borders = [0, *(np.flatnonzero(np.diff(ends // size)) + 1).tolist(), len(order)]
    before = np.r_[0, ends][borders].tolist()
    for i in range(len(borders) - 1):
        pair, fact = slice(borders[i], borders[i + 1]), slice(before[i], before[i + 1])
        yield pairs[pair], counts[pair], tails[fact]


def batch_loss(model: LinkModel, pairs: Tensor, counts: Tensor, tails: Tensor, options: LinkOptions) -> Tensor:
    """The mean over facts of −log P(t | h, r) + penalty: facts that share (h, r) share one row of scores."""
    facts = len(tails)
    vectors = model.vectors()
    heads, relations, own = vectors[pairs[:, 0]], model.relations[pairs[:, 1]], vectors[tails]
    logits = model.query(heads, relations) @ vectors.T
    row = torch.repeat_interleave(counts, output_size=facts)
    if options.masked:
        others = logits.clone()
        others[row, tails] = -torch.inf
        loss = (torch.logaddexp(others.logsumexp(1)[row], logits[row, tails]) - logits[row, tails]).sum()
    else:
        loss = (counts * torch.logsumexp(logits, 1)).sum() - logits[row, tails].sum()
    if options.relation_weight > 0:
        names = model.between(heads[row], own) @ model.relations.T
        loss = loss + options.relation_weight * torch.nn.functional.cross_entropy(names, pairs[row, 1], reduction="sum")
    penalty = (counts * (model.cubes(heads) + model.cubes(relations))).sum() + model.cubes(own).sum()
    return (loss + options.penalty * penalty) / facts


@torch.no_grad()
def link_mrr(model: LinkModel, held_out: Graph, known: Graph, limit: int = 2000) -> float:
    """Filtered MRR of held-out links in both directions: mean over the tails of (head, relation), then over those."""
    chosen = np.random.default_rng(0).permutation(len(held_out.pairs))[:limit]
    device, values = model.entities.device, []
    for part in np.array_split(chosen, max(1, len(chosen) // 256)):
        pairs = held_out.pairs[part]
        (easy_row, easy), (row, tails) = known.tails_of_many(*pairs.T), held_out.tails_of_many(*pairs.T)
        new = ~np.isin(row * known.entities + tails, easy_row * known.entities + easy)
        easy_row, easy, row, tails = (torch.from_numpy(x).to(device) for x in (easy_row, easy, row[new], tails[new]))
        scores = model.scores(*torch.from_numpy(pairs).to(device).T)
        if torch.isnan(scores).any():
            raise ValueError("scores: expected numbers, got NaN")
        own = scores[row, tails][:, None]
        scores[easy_row, easy] = scores[row, tails] = -torch.inf  # no answer is compared with another
        others = scores[row]
        ranks = 1 + (others > own).sum(1) + (others == own).sum(1) / 2
        counts = torch.bincount(row, minlength=len(pairs))
        values.append((torch.zeros(len(pairs), device=device).index_add_(0, row, 1 / ranks) / counts)[counts > 0])
    return torch.cat(values).double().mean().item()


def train_links(data: Dataset, options: LinkOptions, device: str, out: Path, resume: bool = False, kind: str = "complex") -> torch.nn.Module:
    """Trains until epochs, minutes or patience are used up; keeps the best by validation links in best.pt, the last in last.pt."""
    graph, held_out = data.graph("train"), data.graph("valid")
    sizes, generator = (data.entities, data.relations, options.rank), torch.Generator().manual_seed(options.seed)
    model = (ComplEx(*sizes, generator) if kind == "complex" else FuzzyLinks(*sizes, options.layer_norm > 0, generator)).to(device)
    if options.adamw:
        optimiser: torch.optim.Optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0)
    else:
        optimiser = torch.optim.Adagrad(model.parameters(), lr=options.rate)
    state = {"epoch": 0, "steps": 0, "seconds": 0.0, "best": -1.0, "best_epoch": 0, "finished": False}
    if resume:
        state |= load_checkpoint(out / "last.pt", model, optimiser, device)
    clock = clock_of(device)
    began, saved = clock() - state["seconds"], time.monotonic()

    def save(name: str) -> None:
        state["seconds"] = clock() - began
        save_checkpoint(out / name, kind, model, optimiser if name == "last.pt" else None, options, state)

    while not state["finished"]:
        order = np.random.default_rng([options.seed, state["epoch"]]).permutation(len(graph.pairs))
        total, steps, facts = torch.zeros((), device=device), 0, 0
        for pairs, counts, tails in batches(graph, options.batch, order, device):
            if options.adamw:
                share = (state["epoch"] + facts / len(graph.facts)) / options.epochs
                warm = min(1, (state["steps"] + 1) / 200)
                for group in optimiser.param_groups:
                    group["lr"] = options.rate * warm * (0.51 + 0.49 * math.cos(math.pi * share))
            optimiser.zero_grad(set_to_none=True)
            loss = batch_loss(model, pairs, counts, tails, options)
            loss.backward()
            optimiser.step()
            total, steps, facts = total + loss.detach(), steps + 1, facts + len(tails)
            state["steps"] += 1
        state["epoch"] += 1
        elapsed = clock() - began
        last = state["epoch"] >= options.epochs or elapsed >= 60 * options.minutes
        if not torch.isfinite(total):
            raise SystemExit(f"epoch {state['epoch']}: the loss is {total.item()}: lower --rate or raise --penalty")
        if last or state["epoch"] % options.validate_every == 0:
            mrr = link_mrr(model, held_out, graph)
            print(f"epoch {state['epoch']}: loss {total.item() / steps:.4f}, validation 1p MRR {100 * mrr:.2f}, {elapsed:.0f} s", flush=True)
            if mrr > state["best"] or np.isnan(mrr):
                state.update(best=mrr, best_epoch=state["epoch"])
                save("best.pt")
            last = last or state["epoch"] - state["best_epoch"] >= options.patience * options.validate_every
        state["finished"] = last
        if last or time.monotonic() - saved > options.save_seconds:
            save("last.pt")
            saved = time.monotonic()
    return model

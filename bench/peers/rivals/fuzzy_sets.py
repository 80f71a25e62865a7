"""FuzzQE's answers by fuzzy sets of entities (docs/model.md, equations 9 and 10) over the links of any predictor.

Written for comparison: one query at a time, by whole rows of links. `share` says what a link's degree is a share of: `relation`, e^score
over the entities that are not recorded, as a mean over the links of its relation (9); `link`, e^score over all entities of this very link,
the recorded ones among them, so that a link whose recorded tails explain it predicts little more.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from .dataset import Graph
from .links import LinkPredictor
from .query import And, Entity, Not, Project, Query, Tree

certain = 0.95


@dataclass(frozen=True)
class SetsOptions:
    """The calibration of (9) and (10); `temperature` multiplies scores, which are logits already."""

    share: Literal["relation", "link"] = "relation"
    temperature: float = 0.4
    cap: float = 0.3
    weight: float = 0.1
    exponent: float = 1.0
    exclusivity: float = 0.5
    support: float = 0.1
    members: int = 32
    """Certain members, and as many others, whose links are predicted."""


sets_grid = [SetsOptions(temperature=each) for each in (0.2, 0.3, 0.4, 0.5)] + [
    SetsOptions("link", temperature, weight=weight) for temperature in (0.5, 0.7, 1.0) for weight in (0.25, 0.5, 1.0)
]


class FuzzySets:
    def __init__(self, model: LinkPredictor, facts: Graph, options: SetsOptions):
        self.model, self.facts, self.options = model, facts, options
        self._exclusive = self._exclusivity()
        self._partitions = self._log_partitions() if options.share == "relation" else np.zeros(facts.relations)

    def _exclusivity(self) -> list[tuple[Tensor, float]]:
        """For each relation the entities with a recorded head, and κ of them."""
        keys, counts = np.unique(self.facts.facts[:, 1] * self.facts.entities + self.facts.facts[:, 2], return_counts=True)
        relation, entity = np.divmod(keys, self.facts.entities)
        found = []
        for each in range(self.facts.relations):
            own = relation == each
            one, two = int(own.sum()), int((counts[own] > 1).sum())
            found.append((torch.from_numpy(entity[own]), min(1.0, 8 * (two + 1) / (one + 1)) ** self.options.exclusivity))
        return found

    @torch.no_grad()
    def _log_partitions(self) -> np.ndarray:
        """z_r: means over up to 16 recorded heads."""
        random, means = np.random.default_rng(0), np.full(self.facts.relations, np.nan)
        for relation in range(self.facts.relations):
            heads = random.permutation(self.facts.pairs[self.facts.pairs[:, 1] == relation, 0])[:16]
            if len(heads) == 0:
                continue
            logits = self._logits(heads, relation)
            for row, head in zip(logits, heads.tolist()):
                row[self.facts.tails(head, relation)] = -torch.inf
            means[relation] = logits.logsumexp(1).mean().item()
        return np.where(np.isnan(means), np.nanmean(means), means)

    def _logits(self, heads: np.ndarray, relation: int) -> Tensor:
        return self.options.temperature * self.model.scores(torch.from_numpy(heads), torch.full((len(heads),), relation))

    @torch.no_grad()
    def predicted(self, heads: np.ndarray, relation: int) -> Tensor:
        """(9) with κ, whether recorded or not: [heads, entities]."""
        options, logits = self.options, self._logits(heads, relation)
        tails = torch.tensor([max(1, len(self.facts.tails(head, relation))) for head in heads.tolist()])
        total = logits.logsumexp(1, keepdim=True) if options.share == "link" else torch.tensor(self._partitions[relation])
        offset = math.log(options.weight) + options.exponent * tails.log()[:, None]
        degrees = (logits - total + offset).exp().clamp(1e-12, options.cap)
        having, factor = self._exclusive[relation]
        degrees[:, having] *= factor
        return degrees.float()

    def project(self, degrees: Tensor, relation: int) -> Tensor:
        """(10)."""
        sure = torch.nonzero(degrees >= certain).flatten()
        others = torch.where(degrees >= certain, torch.zeros(()), degrees)
        others = torch.topk(others, min(self.options.members, int((others > 0).sum()))).indices
        predicting = torch.cat([sure[: self.options.members], others])
        if len(predicting) == 0:
            return torch.zeros_like(degrees)
        reached = degrees[predicting][:, None] * self.predicted(predicting.numpy(), relation)
        best, total = reached.amax(0), reached.sum(0)
        for member in torch.cat([sure, others]).tolist():
            tails = torch.from_numpy(self.facts.tails(member, relation))
            best[tails] = best[tails].clamp_min(degrees[member])
            total[tails] += degrees[member]
        further = 1 - torch.exp(-self.options.support * (total - best).clamp_min(0))
        return torch.maximum(best, best + further - best * further).clamp_max(1)

    def answer(self, tree: Tree) -> Tensor:
        """The degrees of all entities, by product logic."""
        match tree:
            case Project(relation, Entity(head)):
                degrees = self.predicted(np.array([head]), relation)[0]
                degrees[torch.from_numpy(self.facts.tails(head, relation))] = 1
                return degrees
            case Project(relation, of):
                return self.project(self.answer(of), relation)
            case Not(of):
                return 1 - self.answer(of)
            case _:
                joined, *others = map(self.answer, tree.parts)
                for each in others:
                    joined = joined * each if isinstance(tree, And) else joined + each - joined * each
                return joined


def fuzzy_sets(model: LinkPredictor, facts: Graph, options: SetsOptions) -> Callable[[Query], Tensor]:
    sets = FuzzySets(model, facts, options)
    return lambda query: sets.answer(query.tree)

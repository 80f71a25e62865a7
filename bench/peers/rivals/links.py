"""Complex queries by links: ComplEx gives each link a degree in [0, 1], fuzzy logic combines the degrees of entities.

CQD-beam (Arakelyan et al., ICLR 2021) keeps the best `beam` entities of a variable in the middle. QTO (Bai et al.,
ICML 2023) keeps all, which is exact; facts that are recorded have degree 1 there, and small degrees are 0.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import torch
from torch import Tensor

from .dataset import Graph
from .query import And, Entity, Not, Or, Project, Query, Tree


class LinkPredictor(Protocol):
    """ComplEx, or what is asked like it: e^score is proportional to the probability of a tail."""

    entities: Tensor

    def scores(self, heads: Tensor, relations: Tensor) -> Tensor:
        """Of all entities as tails: ids [n] each → [n, entities]."""
        ...


class Hop(Protocol):
    """max over heads of degree(head) ∧ degree(head, relation, tail), of all tails: ids [n], degrees [n] → [entities]."""

    def __call__(self, heads: Tensor, degrees: Tensor, relation: int) -> Tensor: ...


@dataclass(frozen=True)
class Logic:
    """How degrees are combined; unions are 1 − ∏(1 − x) with the product, max with the minimum."""

    norm: Literal["product", "minimum"] = "product"
    negation_scale: float = 1.0
    """¬x = 1 − min(1, scale · x): QTO's α."""

    def both(self, x: Tensor, y: Tensor) -> Tensor:
        return x * y if self.norm == "product" else torch.minimum(x, y)

    def either(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y - x * y if self.norm == "product" else torch.maximum(x, y)

    def negation(self, x: Tensor) -> Tensor:
        return 1 - (self.negation_scale * x).clamp_max(1)


def answer(tree: Tree, hop: Hop, logic: Logic, beam: int, entities: int, device: torch.device) -> Tensor:
    """The degrees of all entities [entities]; `beam` 0 keeps every entity with a degree above 0."""
    inner = lambda each: answer(each, hop, logic, beam, entities, device)
    match tree:
        case Entity(id):
            return torch.zeros(entities, device=device).index_fill_(0, torch.tensor([id], device=device), 1.0)
        case Project(relation, Entity(id)):
            return hop(torch.tensor([id], device=device), torch.ones(1, device=device), relation)
        case Project(relation, of):
            degrees = inner(of)
            heads = torch.nonzero(degrees).flatten() if beam == 0 else torch.topk(degrees, min(beam, entities)).indices
            return hop(heads, degrees[heads], relation)
        case Not(of):
            return logic.negation(inner(of))
        case And(parts) | Or(parts):
            join = logic.both if isinstance(tree, And) else logic.either
            joined = inner(parts[0])
            for part in parts[1:]:
                joined = join(joined, inner(part))
            return joined


@dataclass(frozen=True)
class CqdOptions:
    beam: int = 64
    norm: Literal["product", "minimum"] = "product"
    degree: Literal["sigmoid", "softmax"] = "sigmoid"
    """Of a link: σ(score), or its share of e^score over all entities."""


def cqd_hop(model: LinkPredictor, options: CqdOptions) -> Hop:
    logic = Logic(options.norm)

    @torch.no_grad()
    def hop(heads: Tensor, degrees: Tensor, relation: int) -> Tensor:
        scores = model.scores(heads, torch.full_like(heads, relation))
        links = torch.sigmoid(scores) if options.degree == "sigmoid" else torch.softmax(scores, 1)
        return logic.both(degrees[:, None], links).amax(0)

    return hop


def cqd(model: LinkPredictor, options: CqdOptions) -> Callable[[Query], Tensor]:
    hop, logic = cqd_hop(model, options), Logic(options.norm)
    return lambda query: answer(query.tree, hop, logic, options.beam, len(model.entities), model.entities.device)


@dataclass(frozen=True)
class QtoOptions:
    scale: float = 1.0
    """A link's degree is min(1 − 10⁻⁴, scale · n · softmax), n the recorded tails of (head, relation), at least 1."""
    threshold: float = 2e-4
    """Degrees below are 0."""
    negation_scale: float = 3.0


@dataclass(frozen=True)
class Sparse:
    """A matrix of degrees by rows: row i holds entries offsets[i] … offsets[i + 1]."""

    offsets: Tensor
    tails: Tensor
    degrees: Tensor

    def hop(self, heads: Tensor, degrees: Tensor) -> Tensor:
        starts, lengths = self.offsets[heads], self.offsets[heads + 1] - self.offsets[heads]
        before = torch.cumsum(lengths, 0) - lengths
        entries = torch.arange(int(lengths.sum()), device=heads.device) + torch.repeat_interleave(starts - before, lengths)
        values = self.degrees[entries] * torch.repeat_interleave(degrees, lengths)
        result = torch.zeros(len(self.offsets) - 1, device=heads.device)
        return result.scatter_reduce_(0, self.tails[entries].long(), values, "amax")


@dataclass(frozen=True)
class Dense:
    degrees: Tensor

    def hop(self, heads: Tensor, degrees: Tensor) -> Tensor:
        return (degrees[:, None] * self.degrees[heads]).amax(0) if len(heads) else torch.zeros_like(self.degrees[0])


def sparse(blocks: Iterable[Tensor]) -> Sparse:
    """Of blocks of rows, one after the other."""
    lengths, tails, degrees = [torch.zeros(1, dtype=torch.int64)], [], []
    for block in blocks:
        row, column = torch.nonzero(block, as_tuple=True)
        lengths.append(torch.bincount(row, minlength=len(block)))
        tails.append(column.to(torch.int32))
        degrees.append(block[row, column])
    device = tails[0].device
    return Sparse(torch.cat([each.to(device) for each in lengths]).cumsum(0), torch.cat(tails), torch.cat(degrees))


class Adjacency:
    """Every relation's matrix of degrees [entities, entities], sparse on graphs of more entities than `dense_up_to`."""

    dense_up_to = 4096

    def __init__(self, model: LinkPredictor, facts: Graph, options: QtoOptions):
        self.model, self.facts, self.options = model, facts, options
        self._matrices: dict[int, Sparse | Dense] = {}

    @torch.no_grad()
    def matrix(self, relation: int) -> Sparse | Dense:
        """Computed when first asked for."""
        if relation not in self._matrices:
            count = self.facts.entities
            rows = max(1, (1 << 25) // count)
            device = self.model.entities.device
            blocks = (self._rows(torch.arange(at, min(at + rows, count), device=device), relation) for at in range(0, count, rows))
            self._matrices[relation] = Dense(torch.cat(list(blocks))) if count <= self.dense_up_to else sparse(blocks)
        return self._matrices[relation]

    def _rows(self, heads: Tensor, relation: int) -> Tensor:
        device = heads.device
        shares = torch.softmax(self.model.scores(heads, torch.full_like(heads, relation)), 1)
        row, known = self.facts.tails_of_many(heads.cpu().numpy(), relation)
        counts = torch.from_numpy(np.bincount(row, minlength=len(heads)).clip(1)).to(device)
        degrees = shares.mul_(self.options.scale * counts[:, None]).clamp_max_(1 - 1e-4)
        degrees.masked_fill_(degrees < self.options.threshold, 0)
        degrees[torch.from_numpy(row).to(device), torch.from_numpy(known).to(device)] = 1
        return degrees

    def prepare(self) -> int:
        """Computes all matrices; returns how many degrees above 0 they hold."""
        return sum(int(torch.count_nonzero(self.matrix(relation).degrees)) for relation in range(self.facts.relations))

    @torch.no_grad()
    def __call__(self, heads: Tensor, degrees: Tensor, relation: int) -> Tensor:
        return self.matrix(relation).hop(heads, degrees)


class RowsOnDemand(Adjacency):
    """The same degrees where memory does not hold every matrix: the rows of the heads that a query asks for, computed for it.

    With `members` above 0 those of so many heads of highest degree; recorded links count of all.
    """

    def __init__(self, model: LinkPredictor, facts: Graph, options: QtoOptions, members: int = 0):
        super().__init__(model, facts, options)
        self.members = members

    def prepare(self) -> int:
        return 0

    @torch.no_grad()
    def __call__(self, heads: Tensor, degrees: Tensor, relation: int) -> Tensor:
        best = torch.zeros(self.facts.entities, device=heads.device)
        if len(heads) == 0:
            return best
        rows = max(1, (1 << (25 if heads.is_cuda else 23)) // self.facts.entities)  # a GPU waits for the facts of each block
        if 0 < self.members < len(heads):
            order = torch.argsort(degrees, descending=True)
            others = order[self.members :]
            row, tails = (torch.from_numpy(x).to(heads.device) for x in self.facts.tails_of_many(heads[others].cpu().numpy(), relation))
            best.scatter_reduce_(0, tails, degrees[others][row], "amax")
            heads, degrees = heads[order[: self.members]], degrees[order[: self.members]]
        for part, own in zip(heads.split(rows), degrees.split(rows)):
            best = torch.maximum(best, (own[:, None] * self._rows(part, relation)).amax(0))
        return best


def qto(adjacency: Adjacency, negation_scale: float) -> Callable[[Query], Tensor]:
    logic, model = Logic("product", negation_scale), adjacency.model
    return lambda query: answer(query.tree, adjacency, logic, 0, len(model.entities), model.entities.device)


cqd_grid = [CqdOptions(norm=norm, degree=degree) for norm in ("product", "minimum") for degree in ("sigmoid", "softmax")]
qto_grid = [QtoOptions(scale=scale, negation_scale=3.0) for scale in (0.5, 1.0, 1.5, 2.5, 5.0)]
negation_scales = (1.0, 3.0, 6.0)

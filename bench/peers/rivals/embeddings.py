"""GQE, Query2Box and BetaE: a query is a point, a box or a distribution, and entities near it are its answers.

Hamilton et al., NeurIPS 2018 (GQE, with translations as in Query2Box's comparison); Ren et al., ICLR 2020 (Query2Box);
Ren and Leskovec, NeurIPS 2020 (BetaE). Unions are answered in disjunctive normal form: the nearest of the branches.
"""

from abc import abstractmethod

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .query import And, Entity, Not, Project, Tree
from .query_rows import ids_of, with_ids


class QueryEmbedding(nn.Module):
    """Trees of one shape become rows of one tensor [n, width]; a distance says how far an entity is from a query."""

    margin: float
    points: Tensor
    """A row for each entity."""
    negates: bool = False

    @abstractmethod
    def entity(self, ids: Tensor) -> Tensor: ...

    @abstractmethod
    def project(self, queries: Tensor, relations: Tensor) -> Tensor: ...

    @abstractmethod
    def intersect(self, queries: Tensor) -> Tensor:
        """[branches, n, width] → [n, width]."""

    def table(self, ids: Tensor) -> Tensor:
        """What a distance needs of entities, computed once for many queries: [*ids, …]."""
        return self.points[ids]

    @abstractmethod
    def distance(self, queries: Tensor, table: Tensor) -> Tensor:
        """Queries [n, width] and the table of entities [m] → [n, m]; or of [n, 1], one for each query → [n, 1]."""

    def negate(self, queries: Tensor) -> Tensor:
        raise ValueError(f"{type(self).__name__} has no negation")

    def embed(self, trees: list[Tree]) -> Tensor:
        """Trees of one shape → [n, width]."""
        return self.embed_rows(trees[0], torch.tensor([ids_of(tree) for tree in trees], device=self.points.device))

    def embed_rows(self, shape: Tree, ids: Tensor) -> Tensor:
        """A shape and its ids, a row for each query [n, ids] → [n, width]."""
        return self._embed(with_ids(shape, iter(ids.unbind(1))))

    def _embed(self, tree: Tree) -> Tensor:
        match tree:
            case Entity(ids):
                return self.entity(ids)
            case Project(relations, of):
                return self.project(self._embed(of), relations)
            case Not(of):
                return self.negate(self._embed(of))
            case And(parts):
                return self.intersect(torch.stack([self._embed(part) for part in parts]))
        raise ValueError("a union inside: take its disjuncts first")


def distances(queries: Tensor, points: Tensor) -> Tensor:
    """Sums of absolute differences: [n, width] and [m, width] → [n, m], or [n, 1, width], one for each query → [n, 1]."""
    return torch.cdist(queries, points, p=1) if points.dim() == 2 else (queries[:, None] - points).abs().sum(-1)


def uniform(rows: int, width: int, bound: float) -> nn.Parameter:
    return nn.Parameter(torch.empty(rows, width).uniform_(-bound, bound))


class Gqe(QueryEmbedding):
    """A point; a relation translates it, a conjunction is a network of each, their mean, and a product with a matrix."""

    margin = 24.0

    def __init__(self, entities: int, relations: int, dimension: int):
        super().__init__()
        bound = (self.margin + 2) / dimension
        self.points, self.shifts = uniform(entities, dimension, bound), uniform(relations, dimension, bound)
        self.each = nn.Sequential(nn.Linear(dimension, dimension), nn.ReLU(), nn.Linear(dimension, dimension))
        self.after = nn.Linear(dimension, dimension, bias=False)

    def entity(self, ids: Tensor) -> Tensor:
        return self.points[ids]

    def project(self, queries: Tensor, relations: Tensor) -> Tensor:
        return queries + self.shifts[relations]

    def intersect(self, queries: Tensor) -> Tensor:
        return self.after(self.each(queries).mean(0))

    def distance(self, queries: Tensor, table: Tensor) -> Tensor:
        return distances(queries, table)


class GqeAttention(Gqe):
    """The same with the conjunction of BetaE's comparison: a mean of the points by attention."""

    def __init__(self, entities: int, relations: int, dimension: int):
        super().__init__(entities, relations, dimension)
        del self.after

    def intersect(self, queries: Tensor) -> Tensor:
        return (torch.softmax(self.each(queries), 0) * queries).sum(0)


class Query2Box(QueryEmbedding):
    """A box, [centre, half its sides]: |outside|₁ + 0.02 |inside|₁; a conjunction has a weighted centre and a smaller box."""

    margin, inside = 24.0, 0.02

    def __init__(self, entities: int, relations: int, dimension: int):
        super().__init__()
        bound = (self.margin + 2) / dimension
        self.points, self.shifts = uniform(entities, dimension, bound), uniform(relations, dimension, bound)
        self.growths = nn.Parameter(torch.empty(relations, dimension).uniform_(0, bound))
        network = lambda: nn.Sequential(nn.Linear(dimension, dimension), nn.ReLU(), nn.Linear(dimension, dimension))
        self.attention, self.each = network(), network()
        self.gate = nn.Linear(dimension, dimension)

    def entity(self, ids: Tensor) -> Tensor:
        return torch.cat([self.points[ids], torch.zeros_like(self.points[ids])], -1)

    def project(self, queries: Tensor, relations: Tensor) -> Tensor:
        centre, side = queries.chunk(2, -1)
        return torch.cat([centre + self.shifts[relations], side + F.relu(self.growths[relations])], -1)

    def intersect(self, queries: Tensor) -> Tensor:
        centre, side = queries.chunk(2, -1)
        weights = torch.softmax(self.attention(centre), 0)
        shrink = torch.sigmoid(self.gate(self.each(side).mean(0)))
        return torch.cat([(weights * centre).sum(0), side.amin(0) * shrink], -1)

    def distance(self, queries: Tensor, table: Tensor) -> Tensor:
        centre, side = queries.chunk(2, -1)
        # |x outside|: max(|x| − side, 0) = (|x − side| + |x + side|) / 2 − side; |x inside| = |x| − |x outside|.
        corners = distances(centre - side, table) + distances(centre + side, table)
        outside = corners / 2 - side.sum(-1, keepdim=True)
        return (1 - self.inside) * outside + self.inside * distances(centre, table)


class BetaE(QueryEmbedding):
    """Beta distributions, [α, β] > 0: a relation is a network, a conjunction their weighted product, ¬ is (1/α, 1/β)."""

    margin, negates = 60.0, True
    least, most = 0.05, 1e9

    def __init__(self, entities: int, relations: int, dimension: int):
        super().__init__()
        bound = (self.margin + 2) / dimension
        hidden = 4 * dimension
        self.points, self.shifts = uniform(entities, 2 * dimension, bound), uniform(relations, dimension, bound)
        self.steps = nn.Sequential(
            nn.Linear(3 * dimension, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2 * dimension)
        )
        self.attention = nn.Sequential(nn.Linear(2 * dimension, 2 * dimension), nn.ReLU(), nn.Linear(2 * dimension, dimension))

    def positive(self, x: Tensor) -> Tensor:
        return (x + 1).clamp(self.least, self.most)

    def entity(self, ids: Tensor) -> Tensor:
        return self.positive(self.points[ids])

    def project(self, queries: Tensor, relations: Tensor) -> Tensor:
        return self.positive(self.steps(torch.cat([queries, self.shifts[relations]], -1)))

    def intersect(self, queries: Tensor) -> Tensor:
        weights = torch.softmax(self.attention(queries), 0)
        return (torch.cat([weights, weights], -1) * queries).sum(0)

    def negate(self, queries: Tensor) -> Tensor:
        return 1 / queries

    def table(self, ids: Tensor) -> Tensor:
        """[the slopes of Σ KL in the query's −α and −β, the entity's own part of it]: [*ids, 2 dimension + 1]."""
        a, b = self.entity(ids).chunk(2, -1)
        both = torch.digamma(a + b)
        slopes = torch.cat([torch.digamma(a) - both, torch.digamma(b) - both], -1)
        own = (torch.cat([a, b], -1) * slopes).sum(-1, keepdim=True) - log_beta(a, b).sum(-1, keepdim=True)
        return torch.cat([slopes, own], -1)

    def distance(self, queries: Tensor, table: Tensor) -> Tensor:
        """Σ KL(entity ‖ query) over the dimensions. In α and β of the query it is linear but for ln B, so it is a product."""
        slopes, own = table[..., :-1], table[..., -1]
        crossed = queries @ slopes.T if table.dim() == 2 else (queries[:, None] * slopes).sum(-1)
        return log_beta(*queries.chunk(2, -1)).sum(-1, keepdim=True) + own - crossed


def log_beta(a: Tensor, b: Tensor) -> Tensor:
    return torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)


models: dict[str, type[QueryEmbedding]] = {"gqe": Gqe, "gqe-attention": GqeAttention, "q2b": Query2Box, "betae": BetaE}

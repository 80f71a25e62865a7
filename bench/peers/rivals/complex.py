"""ComplEx with reciprocal relations.

Trouillon et al., ICML 2016; Lacroix et al., ICML 2018; the relation's own softmax (optional): Chen et al., AKBC 2021.
"""

import torch
from torch import Tensor

from .complex_rows import between, cubes, times


class ComplEx(torch.nn.Module):
    """score(h, r, t) = Re Σ h r conj(t) over `rank` complex numbers, kept as [real, imaginary]."""

    def __init__(self, entities: int, relations: int, rank: int, generator: torch.Generator | None = None):
        super().__init__()
        self.rank = rank
        start = lambda rows: torch.nn.Parameter(1e-3 * torch.randn(rows, 2 * rank, generator=generator))
        self.entities, self.relations = start(entities), start(relations)

    def vectors(self) -> Tensor:
        """Of all entities: [entities, 2 rank]."""
        return self.entities

    def query(self, heads: Tensor, relations: Tensor) -> Tensor:
        """h r of rows [n, 2 rank]: its inner product with an entity's vector is the score."""
        return times(heads, relations)

    def between(self, heads: Tensor, tails: Tensor) -> Tensor:
        """h conj(t), arranged such that its inner product with a relation's row is the score."""
        return between(heads, tails)

    def scores(self, heads: Tensor, relations: Tensor) -> Tensor:
        """Of all entities as tails: [n, entities]."""
        vectors = self.vectors()
        return self.query(vectors[heads], self.relations[relations]) @ vectors.T

    def cubes(self, rows: Tensor) -> Tensor:
        """What N3 adds up for each row: [n]."""
        return cubes(rows)

"""FuzzQE's links with block-diagonal relations: a study of what its form costs a predictor of links.

An entity is p = σ(x) / Σ σ(x) and enters as its deviation from uniform membership, c = d p − 1, whose elements sum to 0. W_r
has a 2 × 2 block, a rotation and a factor, for each pair of elements; S = σ(c W_r). Scores are τ · 2d (S − mean S) · p,
which ranks as S · p does. With `layer_norm` S = σ(LN(c W_r)), as in the paper, so every query has the same length.
"""

import torch
from torch import Tensor

from .complex_rows import between, cubes, times


class FuzzyLinks(torch.nn.Module):
    """Has what `batch_loss` and QTO ask of ComplEx; d is 2 · rank."""

    def __init__(self, entities: int, relations: int, rank: int, layer_norm: bool, generator: torch.Generator | None = None):
        super().__init__()
        self.rank, self.layer_norm = rank, layer_norm
        start = lambda rows: torch.nn.Parameter(0.1 * torch.randn(rows, 2 * rank, generator=generator))
        self.entities, self.relations = start(entities), start(relations)
        self.log_temperature = torch.nn.Parameter(torch.tensor(10.0).log())

    def vectors(self) -> Tensor:
        """c of all entities: [entities, d]."""
        inside = torch.sigmoid(self.entities)
        return inside / inside.mean(-1, keepdim=True) - 1

    def query(self, heads: Tensor, relations: Tensor) -> Tensor:
        """τ (2S − 1) of rows [n, d]: as the elements of c sum to 0, its product with c is the score."""
        affine = times(heads, relations)
        if self.layer_norm:
            affine = torch.nn.functional.layer_norm(affine, affine.shape[-1:])
        return self.log_temperature.exp() * (2 * torch.sigmoid(affine) - 1)

    def between(self, heads: Tensor, tails: Tensor) -> Tensor:
        """Its inner product with a relation's row is the score where 2σ(y) − 1 is y/2, from which scores are not far."""
        return self.log_temperature.exp() / 2 * between(heads, tails)

    def scores(self, heads: Tensor, relations: Tensor) -> Tensor:
        """Of all entities as tails: [n, entities]."""
        vectors = self.vectors()
        return self.query(vectors[heads], self.relations[relations]) @ vectors.T

    def cubes(self, rows: Tensor) -> Tensor:
        """What N3 adds up for each row, in the scale of scores: [n]."""
        return self.log_temperature.exp() * cubes(rows)

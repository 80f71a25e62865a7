"""Rows of complex numbers, kept as [real, imaginary]."""

import torch
from torch import Tensor


def times(x: Tensor, y: Tensor) -> Tensor:
    """Complex products of rows [n, 2 rank]: x times a block-diagonal matrix with a rotation and a factor for each pair."""
    a, b = x.chunk(2, -1)
    c, s = y.chunk(2, -1)
    return torch.cat([a * c - b * s, a * s + b * c], -1)


def between(x: Tensor, y: Tensor) -> Tensor:
    """What has the inner product with rows z that `times(x, z)` has with y: [n, 2 rank]."""
    a, b = x.chunk(2, -1)
    c, s = y.chunk(2, -1)
    return torch.cat([a * c + b * s, a * s - b * c], -1)


def cubes(rows: Tensor) -> Tensor:
    """Σ |x|³ over each row's complex numbers: [n]."""
    a, b = rows.chunk(2, -1)
    return (a * a + b * b).clamp_min(1e-20).pow(1.5).sum(-1)

"""What the graphs of a bundle take and give: the tables of docs/bundle-format.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .structures import STRUCTURES

OPERATORS = ("anchor", "project", "conjunction", "disjunction", "negation")
OWN_GRAPHS = ("edge", "rank", "links")
CASES = (*OPERATORS, "rank", "links", "centroid")
"""The cases of the combined graph, by the number that chooses them."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """What a graph takes or gives."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class Signature:
    """Inputs and outputs in the order of the ONNX file."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


def signatures(entities: int, dimension: int) -> Mapping[str, Signature]:
    """The signature of every graph of a profile by its name; `combined` is that of the file of combined graphs."""
    e, d = entities, dimension
    embedding = "embedding float batch d"
    terms = "int {} 3 3"
    program = (
        f"anchors int first; firstRelations int first; secondTerms {terms.format('second')}; "
        f"secondRelations int second; thirdTerms {terms.format('third')}; thirdRelations int third; "
        f"answerTerms {terms.format('batch')}"
    )
    combined = (
        "case int 1; left float rows d; right float rows d; heads int rows; along int rows; number int 1; "
        "allowed float rows e"
    )
    texts = {
        "anchor": ("entities int batch", embedding),
        "project": ("operand float batch d; relations int batch", embedding),
        "conjunction": ("left float batch d; right float batch d", embedding),
        "disjunction": ("left float batch d; right float batch d", embedding),
        "negation": ("operand float batch d", embedding),
        "centroid": ("operand float batch d; relations int batch", embedding),
        **{
            name: (f"anchors int batch {each.anchors}; relations int batch {each.relations}", embedding)
            for name, each in STRUCTURES.items()
        },
        "program": (program, embedding),
        "edge": ("structure int 1; anchors int batch 3; relations int batch 3", embedding),
        "combined": (combined, "numbers float rows columns; best int rows k"),
        "rank": ("embedding float batch d; allowed float batch e; k int 1", "ids int batch k; scores float batch k"),
        "links": ("heads int links; relations int links", "scores float links e"),
    }
    sizes = {"e": e, "d": d}

    def read(text: str) -> tuple[Tensor, ...]:
        words = (part.split(" ") for part in text.split("; "))
        return tuple(
            Tensor(name, dtype, tuple(int(size) if size.isdigit() else sizes.get(size, size) for size in shape))
            for name, dtype, *shape in words
        )

    return {name: Signature(read(inputs), read(outputs)) for name, (inputs, outputs) in texts.items()}

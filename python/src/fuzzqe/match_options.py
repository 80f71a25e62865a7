"""How a server is to answer a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Required, TypeAlias, TypedDict

from .options import Exclude, check_names


class Order(TypedDict, total=False):
    """By which values rows are sorted."""

    property: Required[str]
    """The key or the label of an attribute, such as a population."""
    variable: str
    """The answer variable whose entity has the value, without question mark; the first by default."""
    descending: bool


OrderLike: TypeAlias = str | Order
"""The attribute by which rows are sorted, or more of it."""


class MatchOptions(TypedDict, total=False):
    """How to answer a pattern; the server has the defaults."""

    k: int
    """How many rows and suggestions together; 10 by default."""
    min_degree: float
    """The lowest degree of a row that is not recorded, in [0, 1]; 0.5 by default."""
    suggestions: bool
    """Whether the best rows below `min_degree` are listed; True by default."""
    exclude: Exclude
    """`known` leaves only predictions."""
    at: str
    """A date as 2001, 2001-05 or 2001-05-31: only facts count that hold then."""
    explain: bool
    """Whether each row has `because` and `sets`, which say why it is a row."""
    count: bool
    """Whether it is counted how many answers there are."""
    exists: Literal["max", "or"]
    """How the degrees of the assignments of a row are joined; `max` by default."""
    links: int
    """How many links are computed at most."""
    width: int
    """How many entities are tried for a variable at most."""
    order: OrderLike
    """By what rows are sorted before `k` of them are taken; the best first by default."""


_NAMES = {name: name for name in MatchOptions.__annotations__} | {"min_degree": "minDegree"}


def written_options(given: Mapping[str, object]) -> dict[str, object]:
    """Options as a request has them. Raises FuzzError `usage`: no such option."""
    check_names(given, list(_NAMES))
    return {
        _NAMES[name]: {"property": value} if name == "order" and isinstance(value, str) else value
        for name, value in given.items()
    }

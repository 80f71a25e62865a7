"""Moments as texts: years, months, days and times."""

from __future__ import annotations

import re
from calendar import monthrange

from .errors import FuzzError, describe_value

DATES = "2001, 2001-05, 2001-05-31 or 2001-05-31T10:00Z"
"""What dates look like."""

_FORM = re.compile(
    r"(-?[0-9]{4,6})(?:-([0-9]{2})(?:-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?)?)?)?"
    r"(?:Z|([+-])([0-9]{2}):?([0-9]{2}))?"
)
_DAYS_BEFORE_1970 = 719_162


def instant_of(text: object) -> int | None:
    """The beginning of a year, a month or a day, or a time, in seconds since 1970; None of anything else.

    Without a zone a text is in UTC; parts of a second do not count.
    """
    found = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return None
    year = int(found[1])
    month, day = int(found[2] or 1), int(found[3] or 1)
    hours, minutes, seconds = (int(found[place] or 0) for place in (4, 5, 6))
    if not 1 <= month <= 12 or not 1 <= day <= _days_in(year, month) or hours > 24 or minutes > 59 or seconds > 59:
        return None
    before = year - 1
    days = 365 * before + before // 4 - before // 100 + before // 400 - _DAYS_BEFORE_1970
    days += sum(_days_in(year, each) for each in range(1, month)) + day - 1
    ahead = (int(found[8] or 0) * 60 + int(found[9] or 0)) * (-1 if found[7] == "-" else 1)
    return (days * 24 + hours) * 3600 + (minutes - ahead) * 60 + seconds


def validity_of(begin: object, end: object, path: str) -> tuple[float, float]:
    """When a fact holds: from the first moment until just before the second; infinite where there is no bound.

    Raises FuzzError `data`: a text that is no date, or an end before the beginning.
    """
    moments = []
    for name, text, without in (("from", begin, float("-inf")), ("until", end, float("inf"))):
        moment = without if text is None else instant_of(text)
        if moment is None:
            message = f"{name}: expected a date as {DATES}, got {describe_value(text)}"
            raise FuzzError("data", message, f"{path}.{name}")
        moments.append(moment)
    if moments[0] > moments[1]:
        message = f"until: expected a date that is not before {begin}, got {describe_value(end)}"
        raise FuzzError("data", message, f"{path}.until", "A fact holds from its beginning until just before its end.")
    return moments[0], moments[1]


def _days_in(year: int, month: int) -> int:
    return monthrange(year, month)[1]

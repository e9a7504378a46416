"""Does a filter explain its refusals well? The part of the contract check that reads reasons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bayplan.framework.evaluation.explain import explained

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bayplan.framework.evaluation.binding import Bound
    from bayplan.framework.plugins import Column
    from bayplan.framework.reasons import Rejection

_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def explained_wrongly(use: Bound, ask: Any, refused: Mapping[str, Column], size: int, cycle: Any) -> Iterator[str]:
    """What is wrong with the reasons for these rows, all of which the mask refused."""
    for reasons in explained(use, ask, refused, size, cycle):
        count = size if reasons.places is None else len(reasons.places)
        for place in range(count):
            if texts := list(_wrong(reasons.at(place, use.name))):
                yield from texts
                return  # one row tells enough


def _wrong(rejection: Rejection) -> Iterator[str]:
    if not _CODE.fullmatch(str(rejection.code)):
        yield f"explain's code {rejection.code!r} is not kebab-case, as in 'queue-full'"
    needed, free = rejection.needed, rejection.free
    if _is_number(needed) and _is_number(free) and not needed > free:
        yield f"explain says that a refused row needs {needed} and has {free}: that would fit"
    try:
        rejection.message  # noqa: B018 (rendering is what is tried)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as problem:
        yield f"explain's text cannot be rendered: {type(problem).__name__}: {problem}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""Parameters of a plugin as its author wrote them, whether or not they could be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayplan.framework.config.place import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.config.declarations import Declaration


def value_at(declared: Declaration, path: Sequence[str]) -> Any:
    """The parameter at a path; None where it is absent or something around it is no mapping."""
    found: Any = declared.given
    for step in path:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def place_of(declared: Declaration, path: Sequence[str | int]) -> Place:
    """Where a parameter stands."""
    return Place((*declared.place.steps, "parameters", *path))

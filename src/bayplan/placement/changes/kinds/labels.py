"""One label fewer to ask for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.selector import Selector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.selector import Requirement
    from bayplan.cluster.workload import Shape
    from bayplan.placement.changes.ladder import Ladder
    from bayplan.placement.changes.look import Look, Part

CHANGE = "selector"


def ladders(look: Look) -> Iterator[Ladder]:
    """Each requirement of the selector by itself."""
    for part in look.parts:
        for requirement in dict.fromkeys(part.shape.selector.requirements):
            yield _ladder(part, requirement)


def _without(shape: Shape, dropped: Requirement) -> Shape:
    kept = tuple(each for each in shape.selector.requirements if each != dropped)
    return replace(shape, selector=Selector(kept))


def _ladder(part: Part, dropped: Requirement) -> Ladder:
    return part.ladder(
        CHANGE,
        "selector",
        str(dropped),
        (None,),
        lambda shape, _: _without(shape, dropped),
        lambda _, __: f"drop {dropped} from its selector",
    )

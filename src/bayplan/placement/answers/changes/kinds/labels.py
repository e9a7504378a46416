"""One label fewer to ask for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.cluster.selector import Requirement, Selector
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "selector"


def ladders(look: Look) -> Iterator[Ladder]:
    """Each requirement of the selector by itself, and its alternatives together."""
    for part in look.parts:
        for requirement in dict.fromkeys(part.shape.selector.requirements):
            yield _ladder(part, str(requirement), _without(requirement))
        if part.shape.selector.alternatives:
            yield _ladder(part, "all alternatives", lambda selector: replace(selector, alternatives=()))


def _without(dropped: Requirement) -> Callable[[Selector], Selector]:
    return lambda selector: replace(
        selector, requirements=tuple(each for each in selector.requirements if each != dropped)
    )


def _ladder(part: ExaminedRole, dropped: str, loosened: Callable[[Selector], Selector]) -> Ladder:
    return part.ladder(
        CHANGE,
        "selector",
        dropped,
        (None,),
        lambda shape, _: replace(shape, selector=loosened(shape.selector)),
        lambda _, __: f"drop {dropped} from its selector",
    )

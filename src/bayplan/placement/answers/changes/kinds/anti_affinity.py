"""One neighbour fewer to keep away from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "anti-affinity"


def ladders(look: Look) -> Iterator[Ladder]:
    """Each name by itself."""
    for part in look.parts:
        for name in dict.fromkeys(part.shape.anti_affinity):
            yield _ladder(part, name)


def _ladder(part: ExaminedRole, dropped: str) -> Ladder:
    return part.ladder(
        CHANGE,
        "antiAffinity",
        dropped,
        (None,),
        lambda shape, _: replace(shape, anti_affinity=tuple(each for each in shape.anti_affinity if each != dropped)),
        lambda _, __: f"drop {dropped} from its antiAffinity",
    )

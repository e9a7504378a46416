"""Memory of a card that an engine needs beside its own: what must stay free, and what is gone before it loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.sizing.engine import Engine

_HEADROOM_MIB, _HEADROOM_OF_SEVERAL_MIB = 800, 1230
_GONE_MIB, _GONE_OF_SEVERAL_MIB = 1200, 2048


def headroom_mib(engine: Engine, tp: int, pp: int) -> int:
    """What stays unbooked beside the need of each card: the driver's own, CUDA's context and the collectives' buffers.

    vLLM and SGLang take a share of what CUDA gives, which is less than the card's size.
    """
    if not engine.divides_layers:
        return 0
    return _HEADROOM_OF_SEVERAL_MIB if tp * pp > 1 else _HEADROOM_MIB


def gone_mib(tp: int, pp: int) -> int:
    """What a card has lost before SGLang loads weights: its share is of the rest."""
    return _GONE_OF_SEVERAL_MIB if tp * pp > 1 else _GONE_MIB

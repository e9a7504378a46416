"""Memory of a card beyond the need of an engine: what must stay free, and what is gone before weights are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.sizing.engine import Engine

_HEADROOM_MIB, _HEADROOM_OF_SEVERAL_MIB = 800, 1230
_GONE_MIB, _GONE_OF_SEVERAL_MIB = 1200, 2048


def headroom_mib(engine: Engine, tp: int, pp: int) -> int:
    """MiB that stay unbooked on each card: for the driver, the CUDA context and the buffers of collectives.

    vLLM and SGLang take a share of what CUDA gives, which is less than the card's size.
    """
    if not engine.divides_layers:
        return 0
    return _HEADROOM_OF_SEVERAL_MIB if tp * pp > 1 else _HEADROOM_MIB


def gone_mib(tp: int, pp: int) -> int:
    """MiB that are gone before SGLang loads weights: its memory fraction applies to the rest."""
    return _GONE_OF_SEVERAL_MIB if tp * pp > 1 else _GONE_MIB

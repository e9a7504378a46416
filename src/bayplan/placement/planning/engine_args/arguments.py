"""What is to be added to a backend's own flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.planning.engine_args.flags import SGLANG, VLLM
from bayplan.placement.planning.engine_args.llama_cpp import LLAMA_CPP
from bayplan.placement.planning.engine_args.start import Start
from bayplan.placement.planning.engine_args.versions import knows

if TYPE_CHECKING:
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.decision.placed import Placed
    from bayplan.placement.planning.card_states import CardState
    from bayplan.placement.planning.engine_args.flags import Told
    from bayplan.sizing.engine import EngineName

_TABLES: dict[EngineName, tuple[Told, ...]] = {"vllm": VLLM, "sglang": SGLANG, "llama-cpp": LLAMA_CPP, "custom": ()}


def engine_args(sized: SizedRole, placed: Placed, cards: tuple[CardState, ...] = ()) -> list[str]:
    """Flags that make the engine the one that was sized; what the user gave is neither repeated nor changed.

    `cards` are those of the replica as it finds them.
    """
    if sized.need is None or sized.need.unknown is not None:
        return []
    start = Start(sized, sized.need, placed, cards)
    version = None if sized.shape.backend is None else sized.shape.backend.version
    args = []
    for told in _TABLES[sized.engine.name]:
        if told.meaning in start.given or not knows(sized.engine.name, version, told.flag):
            continue
        if (value := told.value(start)) is not None:
            args.append(f"{told.flag}={value}")
    return args

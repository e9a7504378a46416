"""Work in the background takes turns with requests and writes: what others wait for comes first."""

from __future__ import annotations

import asyncio
from time import perf_counter

_TIMES = 4  # others may hold the event loop for so many times as long as the turn lasted before they are not waited for
_SHORT_S = 1e-4  # a round of the event loop in which next to nothing was done
_ROUNDS = 3  # such rounds in a row: one reads from the sockets, one begins what came, one goes on with it


async def give_way(turn_s: float) -> None:
    """Let others have the event loop after a turn of `turn_s`, until they have nothing to do or had their share."""
    until = perf_counter() + _TIMES * turn_s
    short = 0
    while short < _ROUNDS:
        before = perf_counter()
        await asyncio.sleep(0)
        now = perf_counter()
        if now > until:
            return
        short = short + 1 if now - before < _SHORT_S else 0

"""The queue as people see it: who is ahead, what stands in the way, and when it may be over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import moment_text
from bayplan.control.scheduling.expected_start import UNKNOWN, expected_start
from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from bayplan.control.scheduling.loop import SchedulingLoop
    from bayplan.control.scheduling.waiting import Waiting

MOST_EXPECTED = 10
"""Units whose start is worked out: each takes several plans, and further ones depend on those before them."""
_AHEAD_SHOWN = 3
_TOGETHER = 200  # items that are made before others have the event loop


async def queue_document(loop: SchedulingLoop) -> dict[str, Any]:
    """`{kind: Queue, items: […]}`, in the order in which units are tried."""
    ordered = loop.waiting.ordered()
    ends = loop.known_ends()
    items = []
    for number, waiting in enumerate(ordered):
        if number % _TOGETHER == _TOGETHER - 1:
            await asyncio.sleep(0)
        ahead = [_name(each) for each in ordered[max(0, number - _AHEAD_SHOWN) : number]]
        eta = await _eta(loop, waiting, ends) if number < MOST_EXPECTED else UNKNOWN
        items.append(_item(loop, waiting, number, ahead, eta))
    return {"kind": "Queue", "items": items, "in_flight": loop.in_flight}


def _item(loop: SchedulingLoop, waiting: Waiting, number: int, ahead: list[str], eta: dict[str, Any]) -> dict[str, Any]:
    unit, workload = waiting.unit, waiting.workload
    return {
        "position": number + 1,
        "namespace": unit.key.namespace,
        "workload": unit.key.name,
        "kind": str(unit.key.collection),
        "priority": waiting.priority if workload is None else workload.id.priority,
        "pods": len(unit.pods),
        "since": moment_text(waiting.since_s),
        "attempts": waiting.attempts,
        "state": waiting.verdict or "new",
        "message": waiting.message,
        "blocked_by": [each["code"] for each in waiting.rejections],
        "ahead": number,
        "ahead_names": ahead,
        "expected_start": eta,
        "reservation": loop.reservations.document_of(unit.key),
        "record": waiting.record or None,
    }


async def _eta(loop: SchedulingLoop, waiting: Waiting, ends: list[Any]) -> dict[str, Any]:
    if waiting.verdict not in ("waiting", "partly"):
        return UNKNOWN
    try:
        sized = loop.sized(waiting.unit)
    except BayplanError:
        return UNKNOWN
    return await expected_start(sized, loop.live, ends)


def _name(waiting: Waiting) -> str:
    return f"{waiting.unit.key.namespace}/{waiting.unit.key.name}"

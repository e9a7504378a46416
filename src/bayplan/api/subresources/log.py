"""The log of a Pod's container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from starlette.responses import Response

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call


async def read_log(call: Call, backend: Backend) -> Response:
    """What a container wrote; a Pod that does not run yet has no log, and the answer says what it waits for."""
    pod = (await backend.store.get(call.key)).document()
    names = [each.get("name", "") for each in (pod.get("spec") or {}).get("containers") or ()]
    wanted = call.query.text("container") or (names[0] if len(names) == 1 else "")
    if not wanted:
        listed = ", ".join(names)
        raise Refusal(400, f"a container name must be specified for pod {call.path.name}, choose one of: [{listed}]")
    if wanted not in names:
        raise Refusal(400, f"container {wanted[:80]} is not valid for pod {call.path.name}")
    worker = (pod.get("spec") or {}).get("nodeName")
    reason = f"it is bound to {worker} and nothing runs there yet" if worker else "it has no node yet"
    raise Refusal(400, f'container "{wanted}" in pod "{call.path.name}" is waiting to start: {reason}')

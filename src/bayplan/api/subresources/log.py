"""The log of a Pod's container, which the worker of its node serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bayplan.api.log_relay import relay_log
from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from starlette.responses import Response

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.control.store import Object

_FLAGS = ("follow", "previous", "timestamps")
_NUMBERS = ("tailLines", "sinceSeconds", "limitBytes")


async def read_log(call: Call, backend: Backend) -> Response:
    """What a container wrote; a Pod that does not run yet has no log, and the answer says what it waits for."""
    pod = (await backend.store.get(call.key)).document()
    name = _container(call, pod)
    query = {key: str(number) for key in _NUMBERS if (number := call.query.number(key)) is not None}
    query |= {key: "true" for key in _FLAGS if call.query.flag(key)}
    if since := call.query.text("sinceTime"):
        query["sinceTime"] = since
    node = (pod.get("spec") or {}).get("nodeName")
    if not node:
        raise Refusal(400, _waits(call, name, "it has no node yet"))
    beat = backend.heartbeats.told(node)
    if beat is None or not beat.address:
        raise Refusal(400, _waits(call, name, f"it is bound to {node}, where no worker serves logs"))
    waiting = _waits(call, name, _reason(pod, name, previous="previous" in query))
    path = f"/pods/{quote(pod['metadata']['uid'], safe='')}/{quote(name, safe='')}/log"
    return await relay_log(beat, path, query, waiting)


def _container(call: Call, pod: Object) -> str:
    spec = pod.get("spec") or {}
    names = [each.get("name", "") for each in spec.get("containers") or ()]
    first = [each.get("name", "") for each in spec.get("initContainers") or ()]
    wanted = call.query.text("container") or (names[0] if len(names) == 1 else "")
    if not wanted:
        listed = ", ".join(names)
        raise Refusal(400, f"a container name must be specified for pod {call.path.name}, choose one of: [{listed}]")
    if wanted not in (*names, *first):
        raise Refusal(400, f"container {wanted[:80]} is not valid for pod {call.path.name}")
    return wanted


def _waits(call: Call, name: str, reason: str) -> str:
    return f'container "{name}" in pod "{call.path.name}" is waiting to start: {reason}'


def _reason(pod: Object, name: str, *, previous: bool) -> str:
    """Why there is no log, in the words of the container's status."""
    if previous:
        return "there is no log of a run before this one"
    status = pod.get("status") or {}
    listed: list[Any] = [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]
    state = next((each.get("state") or {} for each in listed if each.get("name") == name), {})
    waiting = state.get("waiting") or {}
    return ": ".join(filter(None, (waiting.get("reason"), waiting.get("message")))) or "ContainerCreating"

"""What workers ask of the server: to be registered, to be heard, and to report about their Pods and servers."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response, StreamingResponse

from bayplan.api.bodies import read_body
from bayplan.api.metadata_checks import metadata_problems
from bayplan.api.negotiation import JSON, content_type
from bayplan.api.status import Cause, Refusal, invalid
from bayplan.control.collections import NODES
from bayplan.control.nodes.heartbeats import Beat
from bayplan.control.nodes.pod_environment import PodEnvironment
from bayplan.control.nodes.registration import NameTakenError, Registration, identity_of
from bayplan.control.nodes.reports import NotBoundHereError, Reports
from bayplan.control.nodes.server_replicas import ServerReplicas
from bayplan.control.nodes.worker_address import check_address
from bayplan.control.resources.field_checks import check_fields
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.store import Key
from bayplan.control.store_errors import ExpiredError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from starlette.requests import Request

    from bayplan.api.access.roles import User
    from bayplan.api.backend import Backend

_NODE = REGISTRY.resolve("nodes")
_TEXTS = ("namespace", "name", "uid")


class Workers:
    """Handlers of the paths under /v1/workers/NAME."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._registration = Registration(backend.store, backend.heartbeats, backend.silence_s)
        self._reports = Reports(backend.store, backend.recorder)
        self._environment = PodEnvironment(backend.store)
        self._server_replicas = ServerReplicas(backend.store)

    async def register(self, request: Request) -> Response:
        """Make or renew the Node of a worker."""
        name, body = await _asked(request)
        node = body.get("node")
        if not isinstance(node, dict) or not isinstance(body.get("id"), str):
            raise Refusal(400, "a registration has an id and a node")
        _check_node(name, node)
        try:
            await self._registration.register(name, body["id"], node, self._backend.clock())
        except NameTakenError as error:
            raise Refusal(409, str(error)) from None
        return _json({"kind": "Registration", "worker": name})

    async def heartbeat(self, request: Request) -> Response:
        """Hear a worker; nothing is written. `resync` asks it to report everything anew: it was not heard for long."""
        name, body = await _asked(request)
        heartbeats = self._backend.heartbeats
        told = heartbeats.told(name)
        if told is None or told.id != body.get("id"):
            await self._check_known(name, str(body.get("id")))
        resync = told is None or heartbeats.is_silent(name)
        beat = _beat(body)
        if told is None or told.address != beat.address:
            peer = request.client.host if request.client else ""
            check_address(beat, peer, trusted=request.state.user.rules_all)
        heartbeats.beat(name, beat)
        return _json({"kind": "Heartbeat", "worker": name, "resync": resync})

    async def report(self, request: Request) -> Response:
        """Write what a worker says about its Pods."""
        name, body = await _asked(request)
        pods, events = _listed(body, "pods"), _listed(body, "events")
        answers = await self._reports.take(name, pods)
        await self._reports.tell(name, events)
        return _json({"kind": "Report", "pods": answers})

    async def environment(self, request: Request) -> Response:
        """Values of ConfigMaps and Secrets for the containers of a Pod of this worker."""
        name = _worker_name(request)
        namespace, pod = (request.query_params.get(key, "") for key in ("namespace", "pod"))
        try:
            found = await self._environment.of(name, namespace, pod)
        except (NotBoundHereError, NotFoundError):
            raise Refusal(404, f"no pod {namespace[:80]}/{pod[:253]} is bound to worker {name}") from None
        return _json({"kind": "Environment", **found})

    async def watch_servers(self, request: Request) -> Response:
        """The ServerReplicas of a worker, then their changes, one JSON document a line."""
        name, user = _worker_name(request), request.state.user
        watches = self._backend.watches
        watches.check(user)

        async def lines() -> AsyncIterator[bytes]:
            with watches.counted(user), suppress(ExpiredError):  # of a worker that reads too slowly: it asks again
                async for each in self._server_replicas.watch(name):
                    yield orjson.dumps(each) + b"\n"

        return StreamingResponse(lines(), media_type=f"{JSON};stream=watch")

    async def report_servers(self, request: Request) -> Response:
        """Write what a worker says about its ServerReplicas."""
        name, body = await _asked(request)
        answers = await self._server_replicas.take(name, _listed(body, "replicas"))
        return _json({"kind": "Report", "replicas": answers})

    async def _check_known(self, name: str, identity: str) -> None:
        """404 where the worker must register first, 409 where another one has its name, 410 where it is not wanted."""
        if self._backend.heartbeats.is_dismissed(name, identity):
            raise Refusal(410, f"the Node {name!r} was removed; start the worker again to bring it back", "Gone")
        try:
            node = (await self._backend.store.get(Key(NODES, "", name))).document()
        except NotFoundError:
            raise Refusal(404, f"there is no Node {name!r}; the worker must register first") from None
        if identity_of(node) != identity:
            raise Refusal(409, f"worker {name}: another worker has this name; give this one another --name")


def _check_node(name: str, node: dict[str, Any]) -> None:
    """Refuse what no Node could be; the name is that of the path."""
    metadata = node.setdefault("metadata", {})
    report = check_fields(_NODE, {**node, "apiVersion": "v1", "kind": "Node"})
    causes = [Cause(each.path, each.message, each.reason) for each in report.causes]
    if not causes:
        causes += metadata_problems({**metadata, "name": name})
    if causes:
        raise invalid("Node", name[:253], "", causes)


async def _asked(request: Request) -> tuple[str, dict[str, Any]]:
    """The name of the worker, and the body."""
    name = _worker_name(request)
    return name, read_body(await request.body(), content_type(request.headers.get("content-type", "")))


def _worker_name(request: Request) -> str:
    """The worker of the path, which the user must be allowed to speak for."""
    user: User = request.state.user
    name: str = request.path_params["name"]
    if not user.speaks_for(name):
        may = "an admin of all namespaces may, and a token of that name with the role worker"
        raise Refusal(403, f'User "{user.name}" cannot act as worker {name!r}: {may}')
    return name


def _beat(body: dict[str, Any]) -> Beat:
    measured = body.get("measurements")
    return Beat(
        id=str(body.get("id") or ""),
        address=str(body.get("address") or ""),
        secret=str(body.get("secret") or ""),
        certificate=str(body.get("certificate") or ""),
        measurements=measured if isinstance(measured, dict) else None,
        leaving=body.get("leaving") is True,
    )


def _listed(body: dict[str, Any], key: str) -> Sequence[dict[str, Any]]:
    found: Any = body.get(key, [])
    whole = isinstance(found, list) and all(isinstance(each, dict) for each in found)
    if not whole or not all(isinstance(each.get(part), str) for each in found for part in _TEXTS):
        raise Refusal(400, f"{key}: must be a list of objects with namespace, name and uid")
    listed: list[dict[str, Any]] = found
    return listed


def _json(document: dict[str, Any]) -> Response:
    return Response(orjson.dumps(document), media_type=JSON)

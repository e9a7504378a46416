"""The paths of our own verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response
from starlette.routing import Route

from bayplan.api.access.roles import Permission, Role
from bayplan.api.bodies import read_body
from bayplan.api.negotiation import JSON, content_type
from bayplan.api.query import Query
from bayplan.api.status import Refusal
from bayplan.api.verbs.answers import Answers
from bayplan.api.verbs.backup import send_backup
from bayplan.api.verbs.doctor import diagnose
from bayplan.api.verbs.metrics import Exposition
from bayplan.api.verbs.records import one_record, record_list, snapshot
from bayplan.api.verbs.workers import Workers
from bayplan.control.scheduling.queue_document import queue_document
from bayplan.control.store import Key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from bayplan.api.access.roles import User
    from bayplan.api.access.tokens import Tokens
    from bayplan.api.backend import Backend

    Endpoint = Callable[[Request], Awaitable[Response]]


class Verbs:
    """Handlers of /metrics and of the paths under /v1."""

    def __init__(self, backend: Backend, tokens: Tokens | None) -> None:
        self._backend = backend
        self._tokens = tokens
        self._answers = Answers(backend)
        self._exposition = Exposition(backend.metrics)
        self._workers = Workers(backend)

    def routes(self, guarded: Callable[[Endpoint], Endpoint]) -> list[Route]:
        """The routes; `guarded` turns refusals into Status documents."""
        return [
            Route("/metrics", guarded(self.metrics)),
            Route("/v1/plan", guarded(self.plan), methods=["POST"]),
            Route("/v1/why", guarded(self.why_workloads), methods=["POST"]),
            Route("/v1/why/{kind}/{name}", guarded(self.why)),
            Route("/v1/gpus", guarded(self.gpus)),
            Route("/v1/queue", guarded(self.queue)),
            Route("/v1/ledger", guarded(self.ledger)),
            Route("/v1/records", guarded(self.records)),
            Route("/v1/records/{id}", guarded(self.record)),
            Route("/v1/snapshot", guarded(self.snapshot)),
            Route("/v1/doctor", guarded(self.doctor)),
            Route("/v1/workers/{name}", guarded(self._workers.register), methods=["POST"]),
            Route("/v1/workers/{name}/heartbeat", guarded(self._workers.heartbeat), methods=["POST"]),
            Route("/v1/workers/{name}/pods", guarded(self._workers.report), methods=["POST"]),
            Route("/v1/workers/{name}/environment", guarded(self._workers.environment)),
            Route("/v1/workers/{name}/serverreplicas", guarded(self._workers.watch_servers)),
            Route("/v1/workers/{name}/serverreplicas", guarded(self._workers.report_servers), methods=["POST"]),
            Route("/v1/backup", guarded(self.backup), methods=["POST"]),
            Route("/v1/tokens", guarded(self.tokens), methods=["GET", "POST"]),
            Route("/v1/tokens/{name}", guarded(self.token), methods=["DELETE"]),
        ]

    async def metrics(self, request: Request) -> Response:
        _check_reads(request)
        return await self._exposition.answer(request.headers.get("accept", ""))

    async def plan(self, request: Request) -> Response:
        _check_reads(request)
        body = read_body(await request.body(), content_type(request.headers.get("content-type", "")))
        return _json(await self._answers.plan(body))

    async def why(self, request: Request) -> Response:
        query = Query(request.query_params)
        resource = self._backend.registry.placed(request.path_params["kind"])
        namespace = (query.text("namespace") or "default") if resource.namespaced else ""
        user: User = request.state.user
        wanted = Permission("get", resource.plural, resource.group, namespace, resource.namespaced)
        if reason := user.refusal(wanted):
            raise Refusal(403, f'User "{user.name}" cannot read {resource.full_name} in {namespace!r}: {reason}')
        key = Key(resource.collection, namespace, request.path_params["name"])
        changes = query.text("changes") != "false"
        shown = None if user.everywhere else user.namespaces
        return _json(await self._answers.why(key, query.text("worker"), changes=changes, shown=shown))

    async def why_workloads(self, request: Request) -> Response:
        _check_reads(request)
        body = read_body(await request.body(), content_type(request.headers.get("content-type", "")))
        return _json(await self._answers.why_workloads(body))

    async def gpus(self, request: Request) -> Response:
        _check_reads(request)
        return _json(await self._answers.gpus(holders=Query(request.query_params).flag("holders")))

    async def ledger(self, request: Request) -> Response:
        _check_reads(request)
        return _json(await self._answers.ledger())

    async def queue(self, request: Request) -> Response:
        _check_reads(request)
        control = self._backend.control
        return _json({"kind": "Queue", "items": []} if control is None else await queue_document(control.scheduling))

    async def records(self, request: Request) -> Response:
        _check_reads(request)
        return _json(await record_list(self._backend, Query(request.query_params).text("limit")))

    async def record(self, request: Request) -> Response:
        _check_reads(request)
        inputs = Query(request.query_params).flag("inputs")
        return _json(await one_record(self._backend, request.path_params["id"], inputs=inputs))

    async def snapshot(self, request: Request) -> Response:
        _check_reads(request)
        return _json(await snapshot(self._backend))

    async def doctor(self, request: Request) -> Response:
        _check_reads(request)
        backend = self._backend
        live = None if backend.control is None else backend.control.scheduling.live
        return _json(await diagnose(backend.store, backend.registry, backend.data, live))

    async def backup(self, request: Request) -> Response:
        user: User = request.state.user
        if user.role is not Role.ADMIN or not user.everywhere:
            raise Refusal(403, f'User "{user.name}" cannot back up the store: an admin of all namespaces may')
        return await send_backup(self._backend.data)

    async def tokens(self, request: Request) -> Response:
        tokens = self._tokens_of(request)
        if request.method == "GET":
            return _json({"kind": "TokenList", "items": [each.document() for each in tokens.list()]})
        body = read_body(await request.body(), content_type(request.headers.get("content-type", "")))
        namespaces = body.get("namespaces") or []
        if not isinstance(namespaces, list) or not all(isinstance(each, str) for each in namespaces):
            raise Refusal(400, "namespaces: must be a list of texts")
        text = await tokens.create(str(body.get("name", "")), str(body.get("role", "")), tuple(namespaces))
        return _json({"kind": "Token", "name": body.get("name"), "token": text}, 201)

    async def token(self, request: Request) -> Response:
        await self._tokens_of(request).revoke(request.path_params["name"])
        return _json({"kind": "Status", "apiVersion": "v1", "status": "Success"})

    def _tokens_of(self, request: Request) -> Tokens:
        user: User = request.state.user
        if user.role is not Role.ADMIN or not user.everywhere:
            raise Refusal(403, f'User "{user.name}" cannot manage tokens: an admin of all namespaces may')
        if self._tokens is None:
            raise Refusal(409, "this server was started without tokens; start it without --insecure-http")
        return self._tokens


def _check_reads(request: Request) -> None:
    """Plans and cards speak of every namespace, so that a token for some of them is not enough."""
    user: User = request.state.user
    if not user.everywhere:
        message = f'User "{user.name}" cannot read the whole cluster: its token is for {", ".join(user.namespaces)}'
        raise Refusal(403, message)


def _json(document: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(document), status, media_type=JSON)

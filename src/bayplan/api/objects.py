"""Requests about objects: which kind the path means, what is done, and the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.api import deleting, patching, reading, watching, writing
from bayplan.api.access.roles import Permission, Role
from bayplan.api.access.secrecy import is_secret, withheld
from bayplan.api.call import Call
from bayplan.api.negotiation import accepted_form, content_type
from bayplan.api.paths import Verb
from bayplan.api.request_meter import ASKED
from bayplan.api.reviews import review
from bayplan.api.status import Refusal, refusal_of
from bayplan.api.store_refusals import store_refusal
from bayplan.api.subresources.binding import bind
from bayplan.api.subresources.eviction import Evictions
from bayplan.api.subresources.log import read_log
from bayplan.api.subresources.scale import scale
from bayplan.api.warnings import warning_headers
from bayplan.control.store_errors import StoreError
from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.responses import Response

    from bayplan.api.access.roles import User
    from bayplan.api.backend import Backend
    from bayplan.api.http_request import HttpRequest
    from bayplan.api.paths import ObjectPath
    from bayplan.api.query import Query
    from bayplan.control.resources.resource_type import ResourceType

    Handler = Callable[[Call, Backend], Awaitable[Response]]


_PARTS = ("status", "finalize")  # subresources whose document is the object itself
_HANDLERS: dict[Verb, Handler] = {
    Verb.GET: reading.get,
    Verb.LIST: reading.list_objects,
    Verb.WATCH: watching.watch,
    Verb.CREATE: writing.create,
    Verb.UPDATE: writing.replace,
    Verb.PATCH: patching.patch,
    Verb.DELETE: deleting.delete,
    Verb.DELETE_COLLECTION: deleting.delete_collection,
}


class Objects:
    """The REST conventions of Kubernetes over a store."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._subresources: dict[str, Handler] = {
            "scale": scale,
            "binding": bind,
            "eviction": Evictions().evict,
            "log": read_log,
        }

    async def answer(self, request: HttpRequest, path: ObjectPath) -> Response:
        """The answer to one request; a Refusal is raised, never returned."""
        call = self._call(request, path)
        handler = self._handler(call)
        if handler is None:
            raise _no_method(request, path)
        call.body = await request.body()
        try:
            response = await handler(call, self._backend)
        except (Refusal, BayplanError) as problem:
            refusal = _refusal(call, problem)
            raise withheld(refusal) if is_secret(call.resource) else refusal from None
        for header in warning_headers(call.warnings):
            response.headers.append("Warning", header)
        return response

    def _handler(self, call: Call) -> Handler | None:
        if not call.resource.stored:
            return bind if call.resource.kind == "Binding" else review
        if call.path.subresource in _PARTS or not call.path.subresource:
            return _HANDLERS.get(call.verb)
        return self._subresources.get(call.path.subresource)

    def _call(self, request: HttpRequest, path: ObjectPath) -> Call:
        resource = self._backend.registry.at(path.group, path.version, path.plural)
        api = None if resource is None else resource.served_by(path.group, path.version)
        if resource is None or api is None:
            raise not_served(request.path)
        if path.name and resource.namespaced != bool(path.namespace):
            raise not_served(request.path)
        query = request.query()
        watch = path.watched or (request.method == "GET" and query.flag("watch"))
        verb = path.verb(request.method, watch=watch)
        part = resource.subresource(path.subresource) if path.subresource else None
        if path.subresource and part is None and path.subresource != "finalize":
            raise not_served(request.path)
        if verb is None or verb not in (resource.verbs if part is None else part.verbs):
            raise _no_method(request, path)
        named = f"{resource.full_name}/{path.subresource}" if path.subresource else resource.full_name
        request.scope["state"][ASKED] = verb, named
        user = request.user
        _authorise(user, path, verb, resource, query)
        return Call(
            path,
            verb,
            resource,
            api,
            query,
            accepted_form(request.header(b"accept")),
            content_type=content_type(request.header(b"content-type")),
            user=user,
            user_agent=request.header(b"user-agent"),
        )


def _refusal(call: Call, problem: Refusal | BayplanError) -> Refusal:
    if isinstance(problem, Refusal):
        return problem
    return store_refusal(call, problem) if isinstance(problem, StoreError) else refusal_of(problem)


def _authorise(user: User, path: ObjectPath, verb: Verb, resource: ResourceType, query: Query) -> None:
    if user.rules_all:
        return
    wanted = Permission(verb, path.plural, path.group, path.namespace, resource.namespaced, path.subresource, path.name)
    if user.role is Role.WORKER:
        wanted = replace(wanted, node=_node_of(query))
    if reason := user.refusal(wanted):
        where = f' in the namespace "{path.namespace}"' if path.namespace else " at the cluster scope"
        named = f"{path.plural}.{path.group}" if path.group else path.plural
        message = (
            f'{named} is forbidden: User "{user.name}" cannot {verb} resource "{path.plural}" '
            f'in API group "{path.group}"{where}: {reason}'
        )
        details = {"name": path.name, "group": path.group, "kind": path.plural}
        raise Refusal(403, message, details=details)


def _node_of(query: Query) -> str:
    """The node whose objects alone are asked for; empty where others are asked for too."""
    named = [each.value for each in query.selection().fields if each.path == "spec.nodeName" and each.equal]
    return named[0] if named else ""


def not_served(path: str) -> Refusal:
    """404 in the words that kubectl knows."""
    return Refusal(404, f"the server could not find the requested resource: {path[:200]}")


def _no_method(request: HttpRequest, path: ObjectPath) -> Refusal:
    return Refusal(405, f"{request.method} is not possible on {path.plural} here; see /openapi/v3 for what is")

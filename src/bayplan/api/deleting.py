"""DELETE of one object and of a whole collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from bayplan.api.bodies import read_body
from bayplan.api.json_response import JsonResponse
from bayplan.api.status import Refusal, success
from bayplan.control.store import Deletion, Key, Page, Propagation
from bayplan.control.store_errors import NotFoundError

if TYPE_CHECKING:
    from starlette.responses import Response

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call

_LONGEST_REVISION = 18  # digits; as many always fit 64 bits
_LONGEST_S = 2**31 - 1  # of grace: 68 years, and the moment it ends can still be written
_PAGE = 500  # objects that are deleted between two looks at the store
_ANSWERED_WHOLE = frozenset({"Pod", "Service", "ServiceAccount"})
"""As the API server does: typed clients expect the deleted object itself for these kinds of v1, else a Status."""


async def delete(call: Call, backend: Backend) -> Response:
    """Delete one object; where finalizers or owned objects hold it back, and for a few kinds, it is the answer."""
    deletion, dry_run = deletion_of(call, _body(call))
    stored = await backend.store.delete(call.key, deletion, dry_run=dry_run)
    document = stored.document()
    metadata = document.get("metadata", {})
    if not call.resource.group and call.resource.kind in _ANSWERED_WHOLE:
        return JsonResponse(call.text(stored, backend.clock))
    if metadata.get("deletionTimestamp") and (metadata.get("finalizers") or metadata.get("deletionGracePeriodSeconds")):
        return JsonResponse(call.text(stored, backend.clock))
    details = {"name": call.path.name, "group": call.resource.group, "kind": call.resource.plural}
    return JsonResponse(orjson.dumps(success(**details, uid=metadata.get("uid", ""))))


async def delete_collection(call: Call, backend: Backend) -> Response:
    """Delete every object that the selectors choose; the answer lists them as they were."""
    deletion, dry_run = deletion_of(call, _body(call))
    collection, selection = call.resource.collection, call.selection()
    gone, revision, following = [], 0, ""
    while True:
        page = await backend.store.list(collection, call.path.namespace, selection, limit=_PAGE, next=following)
        for each in page.items:
            metadata = each.document()["metadata"]
            key = Key(collection, metadata.get("namespace", ""), metadata["name"])
            try:
                gone.append(await backend.store.delete(key, deletion, dry_run=dry_run))
            except NotFoundError:
                continue  # it went away by itself, or with its owner
        revision, following = page.revision, page.next
        if not following:
            break
    return JsonResponse(call.view(backend.clock).list_text(Page(tuple(gone), revision)))


def deletion_of(call: Call, options: dict[str, Any]) -> tuple[Deletion, bool]:
    """From a DeleteOptions, or from the query; the options count where both speak. Whether it is a dry run."""
    uid, revision = _preconditions(options.get("preconditions") or {})
    grace = options.get("gracePeriodSeconds", call.query.number("gracePeriodSeconds"))
    if grace is not None and (not isinstance(grace, int) or isinstance(grace, bool) or not 0 <= grace <= _LONGEST_S):
        message = f"gracePeriodSeconds: {str(grace)[:40]!r} is no whole number from 0 to {_LONGEST_S}"
        raise Refusal(422, message, "Invalid")
    dry_run = options.get("dryRun") == ["All"] or call.query.dry_run
    return Deletion(_propagation(call, options), grace, uid, revision), dry_run


def _body(call: Call) -> dict[str, Any]:
    return read_body(call.body, call.content_type) if call.body.strip() else {}


def _preconditions(conditions: Any) -> tuple[str | None, int | None]:
    """The uid and the resourceVersion that the object must have."""
    if not isinstance(conditions, dict):
        raise Refusal(422, "preconditions: must be an object", "Invalid")
    uid, revision = conditions.get("uid"), conditions.get("resourceVersion")
    if not isinstance(uid, str | None) or not isinstance(revision, str | None):
        raise Refusal(422, "preconditions: uid and resourceVersion must be text", "Invalid")
    if revision and not (revision.isascii() and revision.isdigit() and len(revision) <= _LONGEST_REVISION):
        raise Refusal(422, f"preconditions.resourceVersion: {revision[:40]!r} is no resourceVersion", "Invalid")
    return uid, int(revision) if revision else None


def _propagation(call: Call, body: dict[str, Any]) -> Propagation:
    orphan = body.get("orphanDependents", call.query.flag("orphanDependents") or None)
    value = body.get("propagationPolicy") or call.query.text("propagationPolicy")
    if not value:
        return Propagation.ORPHAN if orphan else Propagation.BACKGROUND
    try:
        return Propagation(value)
    except ValueError:
        known = ", ".join(Propagation)
        raise Refusal(
            422, f"propagationPolicy: {str(value)[:40]!r} is not known; use one of {known}", "Invalid"
        ) from None

"""Statuses of Models and Servers, and the events that tell people of their changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bayplan.cluster.identity import WorkloadKey
from bayplan.control.collections import SERVED_MODELS, SERVERS
from bayplan.control.controllers.status_controller import StatusController, StatusKind
from bayplan.control.serving.reasons import refusal_text
from bayplan.library.status.conditions import condition_of
from bayplan.library.status.documents import generation_of, part
from bayplan.library.status.model_server import model_server_status
from bayplan.library.status.served_model import MODEL_READY, served_model_status, unreadable_model_status
from bayplan.serving.statuses.model_status import model_status
from bayplan.serving.statuses.server_status import server_status

if TYPE_CHECKING:
    from bayplan.control.controllers.world import World
    from bayplan.control.serving.model_loop import ModelLoop
    from bayplan.control.store import Key, Object


def serving_statuses(world: World, loop: ModelLoop) -> list[StatusController]:
    """The loops that write them; the loop of models tells them what to look at."""
    models = StatusController(_models(world, loop), world)
    servers = StatusController(_servers(world, loop), world)

    def concerned(key: Key) -> None:
        (models if key.collection == SERVED_MODELS else servers).add(key)

    loop.listen(concerned)
    return [models, servers]


def _models(world: World, loop: ModelLoop) -> StatusKind:
    def status(document: Object, now: float) -> Object:
        metadata = document["metadata"]
        fleet = loop.fleet(metadata["namespace"])
        key = WorkloadKey(metadata["namespace"], metadata["name"])
        if fleet is None:
            return part(document, "status")
        if (problem := fleet.problems.get(key)) is not None:
            return unreadable_model_status(document, problem, now)
        known = fleet.generations.get(key)
        if known != generation_of(document) or key not in fleet.state.models:
            return part(document, "status")  # it is looked at soon, and then written
        plan = fleet.state.plan(key)
        return served_model_status(document, model_status(plan), refusal_text(plan), now)

    def wrote(old: Object, new: Object) -> None:
        _tell(world, old, new, MODEL_READY, "Model")

    return StatusKind(SERVED_MODELS, status, wrote=wrote)


def _servers(world: World, loop: ModelLoop) -> StatusKind:
    def status(document: Object, now: float) -> Object:
        fleet = loop.fleet(document["metadata"]["namespace"])
        book = None if fleet is None else fleet.state.ledger.servers.get(document["metadata"]["name"])
        return part(document, "status") if book is None else model_server_status(document, server_status(book), now)

    def wrote(old: Object, new: Object) -> None:
        _tell(world, old, new, "Ready", "Server")

    return StatusKind(SERVERS, status, wrote=wrote)


def _tell(world: World, old: Object, new: Object, condition: str, what: str) -> None:
    """ModelReady, ModelNotReady, ServerReady, ServerNotReady: once for every change of what is said."""
    before, after = condition_of(old, condition), condition_of(new, condition)
    if not after or all(before.get(each) == after.get(each) for each in ("status", "reason", "message")):
        return
    ready = after["status"] == "True"
    type_: Literal["Normal", "Warning"] = "Normal" if ready else "Warning"
    said = after["message"] if after["reason"] == after["message"] else f"{after['message']}: {after['reason']}"
    world.events.tell(new, type_, f"{what}{'Ready' if ready else 'NotReady'}", said)

"""Servers that say how few and how many replicas they may have get as many as their models need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.collections import SERVERS
from bayplan.control.controllers.references import is_leaving
from bayplan.control.reconciler import Reconciler
from bayplan.control.store import Key
from bayplan.control.store_errors import StaleError
from bayplan.library.status.documents import part
from bayplan.serving.autoscaling.server_advice import PlannedModels, server_advice
from bayplan.serving.books.ledger import Ledger
from bayplan.serving.planning.planner import Planner

if TYPE_CHECKING:
    from bayplan.control.controllers.world import World
    from bayplan.control.serving.fleet import Fleet
    from bayplan.control.serving.model_loop import ModelLoop
    from bayplan.control.store import Object
    from bayplan.serving.autoscaling.advice import Advice

PACE_S = 2.0
"""Between two looks at a namespace: every look plans all of its models."""
PACKING = "bayplan.io/packing"
"""Annotation of a Server: `true` lets it shrink by moving models together."""


class ServerScaling:
    """The loop that scales Servers; those without minReplicas and maxReplicas cost nothing."""

    def __init__(self, world: World, loop: ModelLoop) -> None:
        self._world, self._loop = world, loop
        self._planned: set[str] = set()
        self._keys: Reconciler[str] = Reconciler("scaling of servers", self._reconcile, observer=world.observer)
        loop.listen(self._heard)

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        await self._keys.stop()

    async def settled(self) -> None:
        await self._keys.settled()

    def _heard(self, key: Key) -> None:
        if key.collection != SERVERS or key.namespace in self._planned:
            return
        server = self._world.cache.get(key)
        if server is not None and _is_scaled(server):
            self._planned.add(key.namespace)
            self._keys.add_after(key.namespace, PACE_S)

    async def _reconcile(self, namespace: str) -> None:
        self._planned.discard(namespace)
        fleet = self._loop.fleet(namespace)
        servers = [each for each in self._world.cache.all(SERVERS, namespace) if _is_scaled(each)]
        if fleet is None or not servers:
            return
        advice = advices(fleet, {each["metadata"]["name"] for each in servers if _packs(each)})
        for each in servers:
            found = advice.get(each["metadata"]["name"])
            if found is not None and found.action != "hold":
                await self._scale(each, found)

    async def _scale(self, server: Object, advice: Advice) -> None:
        def change(live: Object) -> Object:
            if live["metadata"]["uid"] != server["metadata"]["uid"] or live.get("spec") != server.get("spec"):
                raise StaleError("the Server changed meanwhile", place=server["metadata"]["name"])
            return {**live, "spec": {**part(live, "spec"), "replicas": advice.desired}}

        key = Key(SERVERS, server["metadata"]["namespace"], server["metadata"]["name"])
        await self._world.store.patch(key, change)
        message = f"from {advice.current} to {advice.desired} replicas: {advice.reason}"
        self._world.events.tell(server, "Normal", "Scaled", message)


def advices(fleet: Fleet, packing: set[str]) -> dict[str, Advice]:
    """What every server should have, by name: planned on a copy of what is booked."""
    state = fleet.state
    ledger = Ledger(
        [each.noun for each in state.ledger.servers.values()], [each.booking for each in state.ledger.bookings]
    )
    planner = Planner(ledger, state.planner.decider)
    planned = PlannedModels(planner)
    for known in sorted(state.models.values(), key=lambda each: each.order):
        planned.add(planner.plan(known.model, known.version))
    planned.carry_out_removals()
    return {name: server_advice(book, planned, packing=name in packing) for name, book in ledger.servers.items()}


def _is_scaled(server: Object) -> bool:
    spec = part(server, "spec")
    return bool(spec.get("maxReplicas")) and spec.get("minReplicas") is not None and not is_leaving(server)


def _packs(server: Object) -> bool:
    return str(part(server, "metadata", "annotations").get(PACKING)).lower() == "true"

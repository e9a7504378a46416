"""All loops that put Models onto servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control import collections as kinds
from bayplan.control.controllers.owned_objects import OwnedObjects
from bayplan.control.serving.model_loop import ModelLoop
from bayplan.control.serving.server_controller import ServerController
from bayplan.control.serving.server_scaling import ServerScaling
from bayplan.control.serving.serving_statuses import serving_statuses

if TYPE_CHECKING:
    from bayplan.control.controllers.world import Loop, World
    from bayplan.control.store import Collection

COLLECTIONS: tuple[Collection, ...] = (
    kinds.SERVED_MODELS,
    kinds.SERVERS,
    kinds.SERVER_CONFIGS,
    kinds.SERVER_REPLICAS,
    kinds.STATEFUL_SETS,
    kinds.PODS,
)


def serving_loops(world: World) -> list[Loop]:
    """The loops, to be made before the cache is started."""
    rows, sets = OwnedObjects(world.cache, kinds.SERVER_REPLICAS), OwnedObjects(world.cache, kinds.STATEFUL_SETS)
    models = ModelLoop(world)
    servers = ServerController(world, rows, sets)
    return [servers, models, *serving_statuses(world, models), ServerScaling(world, models)]

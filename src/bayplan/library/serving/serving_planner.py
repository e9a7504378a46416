"""A planner of models from documents: the servers of a cluster, and the configuration of serving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.config.document import KIND
from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.registry import placement_plugins, read_config
from bayplan.serving.books.ledger import Ledger
from bayplan.serving.decision.decider import Decider
from bayplan.serving.defaults import default_config
from bayplan.serving.handlers.two_passes import TwoPasses
from bayplan.serving.planning.planner import Planner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.cluster import Cluster
    from bayplan.framework.config.scheduler_config import SchedulerConfig
    from bayplan.framework.plugins import Observer
    from bayplan.manifests.reader import Document

SERVING: Final = "serving"


def serving_planner(cluster: Cluster, *, config: Any = None, seed: int = 0, now: float | None = None) -> Planner:
    """A planner on the servers and serving bookings of a cluster."""
    ledger = Ledger(cluster.servers, cluster.serving_bookings)
    return Planner(ledger, serving_decider(config), seed=seed, now=now or 0.0)


def serving_decider(config: Any = None, observers: Sequence[Observer] = ()) -> Decider:
    """What decides: the configuration of a document, or the default one for None."""
    given = documents_of(default_config() if config is None else config, "config")
    if len(given) != 1:
        raise InputError(f"there are {len(given)} configurations", place="config", next="give one, or none at all")
    (document,) = given
    read = read_config(_of_serving(document), placement_plugins(), document.line)
    _refuse_unplanned(read, document)
    profiles = {profile.name: profile for profile in read.profiles}
    return Decider(profiles, observers=observers, skip_broken=read.on_plugin_error == "skip")


def _of_serving(document: Document) -> Any:
    """A configuration without `scheduler` is read as one for serving, because it was given to a plan of models."""
    data = document.data
    if not isinstance(data, Mapping):
        return data
    named = data.get("scheduler")
    if named not in (None, SERVING) or data.get("kind") not in (None, KIND):
        step = f"give a {KIND} with scheduler: {SERVING}"
        message = f"is about {named or data.get('kind')}, not about serving"
        raise InputError(message, place=document.place("scheduler"), next=step)
    return {**data, "scheduler": SERVING}


def _refuse_unplanned(config: SchedulerConfig, document: Document) -> None:
    """Refuse what the schema of configurations allows but serving would ignore."""
    if not isinstance(config.handler, TwoPasses):
        message = f"{config.handler.name!r} does not make the two passes, which every plan of a model needs"
        step = f"leave profileHandler out, or name {TwoPasses.name}"
        raise InputError(message, place=document.place("profileHandler"), next=step)
    for number, profile in enumerate(config.profiles):
        if profile.candidates is not None:
            place = document.place(("schedulingProfiles", number, "candidates"))
            raise InputError("models are placed on server replicas only", place=place, next="leave candidates out")

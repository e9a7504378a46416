"""A planner from documents: the cluster in any dialect, and the configuration of its strategies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.numba_compiler import NumbaCompiler
from bayplan.library.registry import all_plugins, read_config
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.placement.decision.fit_tiers import FitTiers
from bayplan.placement.defaults import DEFAULT_CONFIG
from bayplan.placement.planning.planner import Planner

if TYPE_CHECKING:
    from bayplan.framework.config.scheduler_config import SchedulerConfig
    from bayplan.manifests.inventory.inventory import Inventory
    from bayplan.manifests.reader import Document


def planner_of(
    cluster: Any, *, config: Any = None, seed: int = 0, now: float | None = None, long_lived: bool = False
) -> tuple[Planner, Inventory]:
    """A planner for a cluster in any dialect, and the inventory that was read: its PriorityClasses and warnings.

    `long_lived`: for programs that make thousands of plans with it. Where numba is installed, the loops over workers
    that changed are then compiled after a while; a short-lived process would pay for that and gain nothing.
    """
    inventory = read_inventory(documents_of(cluster, "cluster"))
    document = _only(documents_of(DEFAULT_CONFIG if config is None else config, "config"))
    read = read_config(_of_placement(document.data), all_plugins(), document.line)
    if read.scheduler not in ("", "placement"):
        message = f"is about {read.scheduler}, not about placement"
        raise InputError(
            message, place=document.place("scheduler"), next="give a configuration with scheduler: placement"
        )
    _refuse_unplanned(read, document)
    profiles = {profile.name: profile for profile in read.profiles}
    skip = read.on_plugin_error == "skip"
    compiler = NumbaCompiler() if long_lived else None
    planner = Planner(inventory.cluster, profiles, seed=seed, now=now or 0.0, skip_broken=skip, compiler=compiler)
    return planner, inventory


def _only(configs: list[Document]) -> Document:
    if len(configs) != 1:
        raise InputError(f"there are {len(configs)} configurations", place="config", next="give one, or none at all")
    return configs[0]


def _of_placement(config: Any) -> Any:
    """A configuration without `scheduler` is read as one for placement, because it was given to a plan."""
    unsaid = isinstance(config, Mapping) and config.get("scheduler") is None
    return {**config, "scheduler": "placement"} if unsaid else config


def _refuse_unplanned(config: SchedulerConfig, document: Document) -> None:
    """Refuse what the schema of configurations allows but plans would ignore."""
    if not isinstance(config.handler, FitTiers):
        message = f"{config.handler.name!r} does not run the fit tiers, which every plan needs"
        step = f"leave profileHandler out, or name {FitTiers.name}"
        raise InputError(message, place=document.place("profileHandler"), next=step)
    for number, profile in enumerate(config.profiles):
        if profile.candidates is not None:
            message = f"candidates {profile.candidates!r} are not planned yet"
            place = document.place(("schedulingProfiles", number, "candidates"))
            raise InputError(message, place=place, next="leave candidates out, or write workers")

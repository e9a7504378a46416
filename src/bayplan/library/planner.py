"""A planner from documents: the cluster in any dialect, and the configuration of its strategies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.framework.errors import InputError
from bayplan.library.concealment import read_concealed
from bayplan.library.documents import documents_of
from bayplan.library.numba_compiler import NumbaCompiler
from bayplan.library.registry import placement_plugins, read_config
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.placement.decision.fit_tiers import FitTiers
from bayplan.placement.defaults import DEFAULT_CONFIG
from bayplan.placement.planning.planner import Planner
from bayplan.routing.config.reader import is_routing

if TYPE_CHECKING:
    from collections.abc import Collection

    from bayplan.cluster.cluster import Cluster
    from bayplan.framework.config.scheduler_config import SchedulerConfig
    from bayplan.framework.profile import Profile
    from bayplan.manifests.inventory.inventory import Inventory
    from bayplan.manifests.reader import Document


def planner_of(
    cluster: Any,
    *,
    config: Any = None,
    seed: int = 0,
    now: float | None = None,
    long_lived: bool = False,
    shown: Collection[str] | None = None,
) -> tuple[Planner, Inventory]:
    """A planner for a cluster in any dialect, and the inventory that was read: its PriorityClasses and warnings.

    `long_lived`: for programs that make thousands of plans with it. Where numba is installed, the loops over workers
    that changed are then compiled after a while; a short-lived process would pay for that and gain nothing. `shown`
    are the namespaces whose workloads keep their names; all for None.
    """
    inventory = inventory_of(cluster, shown)
    planner = placement_planner(inventory.cluster, config=config, seed=seed, now=now, long_lived=long_lived)
    return planner, inventory


def inventory_of(cluster: Any, shown: Collection[str] | None = None) -> Inventory:
    """The inventory of a cluster in any dialect; `shown` as for `planner_of`."""
    documents = documents_of(cluster, "cluster")
    return read_inventory(documents) if shown is None else read_concealed(documents, shown)


def placement_planner(
    cluster: Cluster, *, config: Any = None, seed: int = 0, now: float | None = None, long_lived: bool = False
) -> Planner:
    """A planner of workloads on a cluster."""
    read = placement_config(config)
    compiler = NumbaCompiler() if long_lived else None
    return Planner(cluster, read.profiles, seed=seed, now=now or 0.0, skip_broken=read.skip_broken, compiler=compiler)


class PlacementConfig(NamedTuple):
    """A configuration of placement: its profiles by name, whether broken plugins are skipped, and what acts around."""

    profiles: Mapping[str, Profile]
    skip_broken: bool
    around: tuple[Any, ...] = ()


def placement_config(config: Any = None) -> PlacementConfig:
    """The configuration of a document; the default one for None."""
    document = _only(documents_of(DEFAULT_CONFIG if config is None else config, "config"))
    if is_routing(document.data):
        raise _not_placement("routing", document)
    read = read_config(_of_placement(document.data), placement_plugins(), document.line)
    if read.scheduler not in ("", "placement"):
        raise _not_placement(read.scheduler, document)
    _refuse_unplanned(read, document)
    profiles = {profile.name: profile for profile in read.profiles}
    return PlacementConfig(profiles, read.on_plugin_error == "skip", read.around)


def _not_placement(scheduler: str, document: Document) -> InputError:
    message = f"is about {scheduler}, not about placement"
    return InputError(message, place=document.place("scheduler"), next="give a configuration with scheduler: placement")


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

"""From documents to what placement plans: workloads with the sizes of their models, and the strategies to use."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.model import ModelSpec
from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.registry import all_plugins, read_config
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.model_files import read_model_files
from bayplan.manifests.workloads.dialects import read_workloads
from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
from bayplan.placement.decision.fit_tiers import FitTiers
from bayplan.placement.defaults import DEFAULT_CONFIG
from bayplan.placement.planning.planner import Planner
from bayplan.sizing.engine import read_engine
from bayplan.sizing.size import size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.workload import Shape, Workload
    from bayplan.framework.config.scheduler_config import SchedulerConfig
    from bayplan.manifests.inventory.inventory import Inventory
    from bayplan.manifests.reader import Document
    from bayplan.manifests.workloads.priority_class import PriorityClass


def read_requests(documents: Sequence[Document], classes: Sequence[PriorityClass] = ()) -> list[SizedWorkload]:
    """The workloads of these documents, sized; `classes` are the PriorityClasses of the cluster."""
    requests = []
    for read in read_workloads(documents, classes):
        with located(read.workload):
            roles = tuple(
                replace(sized_shape(shape), name=name, replicas=replicas)
                for name, replicas, shape in read.workload.shapes
            )
        told = [warning for role in roles if role.need for warning in role.need.warnings]
        requests.append(SizedWorkload(read.workload, roles, (*read.warnings, *dict.fromkeys(told))))
    if not requests:
        raise InputError("there is no workload", place="workloads", next="give at least one Workload document")
    return requests


@contextmanager
def located(workload: Workload) -> Iterator[None]:
    """What only sizing and planning find wrong with a workload is told with its name."""
    try:
        yield
    except InputError as error:
        whose = f"workload {workload.key}"
        if error.place.startswith(whose):
            raise
        place = f"{whose}: {error.place}" if error.place else whose
        raise InputError(error.message, place=place, next=error.next, code=error.code) from None


def sized_shape(shape: Shape) -> SizedRole:
    """A shape with what its model needs; its files are read here, and nowhere further in."""
    engine = read_engine(shape.backend)
    if shape.model is None or _is_label(shape.model, shape):
        return SizedRole(shape, None, engine)
    return SizedRole(shape, size(shape.model, read_model_files(shape.model), engine), engine)


def _is_label(model: ModelSpec, shape: Shape) -> bool:
    """Whether the model is only named, by a workload that counts its cards and names no engine, as AgentPools do.

    Such cards are given whole; there is nothing to size.
    """
    counted = shape.gpus is not None and shape.gpus.count is not None
    return counted and shape.backend is None and model == ModelSpec(name=model.name)


def planner_of(
    cluster: Any, *, config: Any = None, seed: int = 0, now: float | None = None
) -> tuple[Planner, Inventory]:
    """A planner on a cluster of any dialect, and all that its documents say."""
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
    return Planner(inventory.cluster, profiles, seed=seed, now=now or 0.0, skip_broken=skip), inventory


def _only(configs: list[Document]) -> Document:
    if len(configs) != 1:
        raise InputError(f"there are {len(configs)} configurations", place="config", next="give one, or none at all")
    return configs[0]


def _of_placement(config: Any) -> Any:
    """A configuration that does not say which scheduler it is for: whoever hands it to a plan means placement."""
    unsaid = isinstance(config, Mapping) and config.get("scheduler") is None
    return {**config, "scheduler": "placement"} if unsaid else config


def _refuse_unplanned(config: SchedulerConfig, document: Document) -> None:
    """What a configuration may say and plans do not follow is refused rather than ignored."""
    if not isinstance(config.handler, FitTiers):
        message = f"{config.handler.name!r} does not run the fit tiers, which every plan needs"
        step = f"leave profileHandler out, or name {FitTiers.name}"
        raise InputError(message, place=document.place("profileHandler"), next=step)
    for number, profile in enumerate(config.profiles):
        if profile.candidates is not None:
            message = f"candidates {profile.candidates!r} are not planned yet"
            place = document.place(("schedulingProfiles", number, "candidates"))
            raise InputError(message, place=place, next="leave candidates out, or write workers")

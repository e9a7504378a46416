"""The columns of our own kinds and of the dialects: what a user of GPUs looks for first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.resources.columns import AGE, NAME, NONE, Column, at, condition, field, listed, met, number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    Document = Mapping[str, Any]

_PHASE = field("Phase", "status.phase")
_READY = field("Ready", "status.readyReplicas", "integer", absent=0)


def _wanted(*paths: str) -> Column:
    """The number of replicas: the first of these fields that is given, else 1."""

    def cell(document: Document, now: datetime) -> Any:
        return next((found for path in paths if (found := at(document, path)) is not None), 1)

    return Column("Replicas", cell, "integer")


def _gpus(count: str, mig: str, models: str) -> tuple[Column, Column]:
    """How many cards one replica gets, and which."""

    def cards(document: Document, now: datetime) -> str:
        profile = at(document, mig)
        wanted = at(document, count)
        return f"{1 if wanted is None else wanted} x {profile}" if profile else str("" if wanted is None else wanted)

    def model(document: Document, now: datetime) -> str:
        found = at(document, models)
        return (",".join(map(str, found)) if isinstance(found, list) else str(found or "")) or NONE

    return Column("GPUs", cards), Column("GPU Model", model)


def _ready(document: Document, now: datetime) -> str:
    """The reason why an object is not ready; empty where it is, or where nothing is said."""
    found = condition(document, "Ready")
    return "" if found.get("status") == "True" else str(found.get("reason") or "")


def _zones(document: Document, now: datetime) -> str:
    return ",".join(str(each.get("name", "")) for each in listed(document, "zones")) or NONE


def _model_reason(document: Document, now: datetime) -> str:
    found = condition(document, "ModelReady")
    return "" if found.get("status") == "True" else str(found.get("message") or "")


def _booked_mib(document: Document, now: datetime) -> int:
    held = (each for each in listed(document, "spec.models") if each.get("state") not in ("load-failed", "unloaded"))
    return sum(number(each, "memory") for each in held)


_REASON = Column("Reason", _ready)
_MODEL_REASON = Column("Reason", _model_reason, wide=True)
_POOL = field("Inference Pool", "spec.poolRef.name")

DIALECT_COLUMNS: dict[str, tuple[Column, ...]] = {
    "workloads.bayplan.io": (
        NAME,
        _wanted("spec.replicas"),
        _READY,
        *_gpus("spec.gpus.count", "spec.gpus.mig", "spec.gpus.models"),
        _PHASE,
        AGE,
        field("Model", "spec.model.name", wide=True),
        field("Priority", "spec.priority", "integer", wide=True, absent=0),
        _REASON,
    ),
    "clusters.bayplan.io": (
        NAME,
        field("Workers", "status.workers", "integer"),
        field("Bookings", "status.bookings", "integer"),
        met("Applied", "Applied"),
        AGE,
    ),
    "schedulerconfigs.bayplan.io": (
        NAME,
        field("Scheduler", "scheduler", absent="placement"),
        field("Profiles", "schedulingProfiles"),
        field("Plugins", "plugins"),
        AGE,
    ),
    "serverreplicas.bayplan.io": (
        NAME,
        field("Server", "spec.server"),
        field("Connected", "status.connected", absent="false"),
        field("Draining", "spec.draining", absent="false"),
        field("Models", "spec.models", absent="0"),
        Column("Booked MiB", _booked_mib, "integer"),
        field("Memory MiB", "spec.memory", "integer", absent=NONE),
        AGE,
        field("Pod", "spec.pod", wide=True),
        field("Used MiB", "status.usedMib", wide=True, absent=NONE),
        field("REST", "status.rest", wide=True, absent=NONE),
    ),
    "agentpools.neuronetes.io": (
        NAME,
        field("Class", "spec.agentClassRef.name", absent=NONE),
        _wanted("spec.replicas", "spec.minReplicas"),
        _READY,
        *_gpus("spec.gpuRequirements.count", "spec.migProfile", "spec.gpuRequirements.type"),
        _PHASE,
        AGE,
        field("Min", "spec.minReplicas", wide=True),
        field("Max", "spec.maxReplicas", wide=True),
        field("Priority", "spec.scheduling.priority", "integer", wide=True, absent=0),
        field("USD/h", "status.currentCostPerHour", wide=True),
    ),
    "agentclasses.neuronetes.io": (
        NAME,
        field("Model", "spec.modelRef.name", absent=NONE),
        field("TTFT", "spec.slo.ttft"),
        field("Context", "spec.maxContextLength"),
        AGE,
    ),
    "models.neuronetes.io": (
        NAME,
        field("Size", "spec.size"),
        field("Quantization", "spec.quantization"),
        _PHASE,
        field("Cached On", "status.cachedNodes"),
        AGE,
        field("Weights", "spec.weightsURI", wide=True),
    ),
    "toolbindings.neuronetes.io": (
        NAME,
        field("Pool", "spec.agentPoolRef.name", absent=NONE),
        field("Type", "spec.type"),
        _PHASE,
        AGE,
    ),
    "podgroups.scheduling.x-k8s.io": (
        NAME,
        field("Phase", "status.phase"),
        field("MinMember", "spec.minMember", "integer"),
        field("Running", "status.running", "integer", absent=0),
        field("Succeeded", "status.succeeded", "integer", absent=0),
        field("Failed", "status.failed", "integer", absent=0),
        AGE,
    ),
    "noderesourcetopologies.topology.node.k8s.io": (NAME, Column("Zones", _zones), AGE),
    "elastichorovodjobs.ai.centauruscloud.io": (
        NAME,
        field("Min", "spec.workersSpec.minReplicas", "integer"),
        field("Max", "spec.workersSpec.maxReplicas", "integer"),
        field("Target", "spec.workersSpec.targetReplicas", "integer"),
        field("Available", "status.availableReplicas", "integer", absent=0),
        AGE,
    ),
    "horovodjobs.ai.centauruscloud.io": (
        NAME,
        field("Replicas", "spec.workersSpec.replicas", "integer"),
        field("Available", "status.availableReplicas", "integer", absent=0),
        AGE,
    ),
    "unifiedjobs.ai.centauruscloud.io": (
        NAME,
        field("Type", "jobType"),
        field("Status", "status.jobStatus"),
        field("Min", "spec.replicaSpec.minReplicas", "integer"),
        field("Max", "spec.replicaSpec.maxReplicas", "integer"),
        AGE,
    ),
    "models.mlops.seldon.io": (
        NAME,
        met("Ready", "ModelReady"),
        field("Desired Replicas", "spec.replicas", "integer", absent=1),
        field("Available Replicas", "status.availableReplicas", "integer", absent=0),
        field("ModelGw Ready", "status.modelgwReady"),
        AGE,
        field("Memory", "spec.memory", wide=True),
        field("Server", "status.server", wide=True, absent=NONE),
        _MODEL_REASON,
    ),
    "servers.mlops.seldon.io": (
        NAME,
        met("Ready", "Ready"),
        field("Replicas", "spec.replicas", "integer", absent=1),
        field("Loaded models", "status.loadedModels", "integer", absent=0),
        AGE,
        field("Config", "spec.serverConfig", wide=True),
    ),
    "inferencepools.inference.networking.k8s.io": (
        NAME,
        field("Picker", "spec.endpointPickerRef.name", absent=NONE),
        AGE,
    ),
    "inferencepools.inference.networking.x-k8s.io": (NAME, field("Picker", "spec.extensionRef.name", absent=NONE), AGE),
    "inferenceobjectives.inference.networking.x-k8s.io": (
        NAME,
        _POOL,
        field("Priority", "spec.priority", "integer", absent=0),
        AGE,
    ),
    "inferencemodelrewrites.inference.networking.x-k8s.io": (NAME, _POOL, field("Rules", "spec.rules"), AGE),
    "endpointpickerconfigs.inference.networking.x-k8s.io": (
        NAME,
        field("Profiles", "schedulingProfiles"),
        field("Plugins", "plugins"),
        AGE,
    ),
}
"""By the full name of the kind; kinds that are not here show their name and age."""

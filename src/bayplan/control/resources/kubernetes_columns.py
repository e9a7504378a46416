"""The columns of the kinds of Kubernetes, as kubectl shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.resources.ages import age, moment, short_duration
from bayplan.control.resources.columns import AGE, NAME, NONE, Column, at, condition, field, listed, number
from bayplan.control.resources.pod_state import pod_state
from bayplan.control.resources.scaling import selector_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    Document = Mapping[str, Any]

_ROLE = "node-role.kubernetes.io/"
_OLD_ROLE = "kubernetes.io/role"
_NEW_EVENT_FIELDS = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
}
"""Fields of a core Event, and what events.k8s.io calls them."""


def _ready_of(pod: Document, now: datetime) -> str:
    state = pod_state(pod, now)
    return f"{state.ready}/{state.containers}"


def _gates(pod: Document, now: datetime) -> str:
    gates = [each.get("conditionType", "") for each in listed(pod, "spec.readinessGates")]
    passed = sum(1 for each in gates if condition(pod, each).get("status") == "True")
    return f"{passed}/{len(gates)}" if gates else NONE


def _node_status(node: Document, now: datetime) -> str:
    ready = condition(node, "Ready")
    words = ["Unknown" if not ready else "Ready" if ready.get("status") == "True" else "NotReady"]
    return ",".join([*words, "SchedulingDisabled"] if at(node, "spec.unschedulable") else words)


def _roles(node: Document, now: datetime) -> str:
    labels = at(node, "metadata.labels") or {}
    found = {key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE) and key != _ROLE}
    found |= {labels[_OLD_ROLE]} if labels.get(_OLD_ROLE) else set()
    return ",".join(sorted(found)) or NONE


def _address(kind: str) -> Column:
    def cell(node: Document, now: datetime) -> str:
        found = (each.get("address", "") for each in listed(node, "status.addresses") if each.get("type") == kind)
        return next(found, NONE)

    return Column("Internal-IP" if kind == "InternalIP" else "External-IP", cell, wide=True)


def _template(part: str) -> Column:
    """Names or images of the containers of a template."""

    def cell(document: Document, now: datetime) -> str:
        return ",".join(str(each.get(part, "")) for each in listed(document, "spec.template.spec.containers"))

    return Column("Containers" if part == "name" else "Images", cell, wide=True)


def _wanted(document: Document, now: datetime) -> str:
    wanted = at(document, "spec.replicas")
    return f"{number(document, 'status.readyReplicas')}/{1 if wanted is None else wanted}"


def _job_status(job: Document, now: datetime) -> str:
    for name, word in (("Complete", "Complete"), ("Failed", "Failed"), ("Suspended", "Suspended")):
        if condition(job, name).get("status") == "True":
            return word
    return "Terminating" if at(job, "metadata.deletionTimestamp") else "Running"


def _completions(job: Document, now: datetime) -> str:
    done, wanted, parallel = number(job, "status.succeeded"), at(job, "spec.completions"), at(job, "spec.parallelism")
    if wanted is not None:
        return f"{done}/{wanted}"
    return f"{done}/1 of {parallel}" if isinstance(parallel, int) and parallel > 1 else f"{done}/1"


def _duration(job: Document, now: datetime) -> str:
    begun, done = moment(at(job, "status.startTime")), moment(at(job, "status.completionTime"))
    return "" if begun is None else short_duration((done or now) - begun)


def _told(event: Document, name: str) -> Any:
    """A field of an Event under its name in the core group or in events.k8s.io."""
    return event.get(name) or event.get(_NEW_EVENT_FIELDS[name])


def _last_seen(event: Document, now: datetime) -> str:
    latest = at(event, "series.lastObservedTime") or _told(event, "lastTimestamp") or event.get("eventTime")
    return age(latest or _told(event, "firstTimestamp"), now)


def _event_object(event: Document, now: datetime) -> str:
    about = _told(event, "involvedObject")
    return f"{str(at(about, 'kind') or '').lower()}/{at(about, 'name') or ''}"


def _event_source(event: Document, now: datetime) -> str:
    source = _told(event, "source")
    parts = (at(source, "component") or _told(event, "reportingComponent"), at(source, "host"))
    return ", ".join(str(each) for each in parts if each)


def _event_count(event: Document, now: datetime) -> int:
    return number(event, "series.count") or number(event, "count") or number(event, "deprecatedCount") or 1


def _ports(service: Document, now: datetime) -> str:
    found = []
    for each in listed(service, "spec.ports"):
        outside = f":{each['nodePort']}" if each.get("nodePort") else ""
        found.append(f"{each.get('port')}{outside}/{each.get('protocol', 'TCP')}")
    return ",".join(found) or NONE


def _external(service: Document, now: datetime) -> str:
    if at(service, "spec.type") == "ExternalName":
        return str(at(service, "spec.externalName") or "")
    given = [each.get("ip") or each.get("hostname") or "" for each in listed(service, "status.loadBalancer.ingress")]
    given += at(service, "spec.externalIPs") or []
    waiting = "<pending>" if at(service, "spec.type") == "LoadBalancer" else NONE
    return ",".join(map(str, given)) or waiting


def _labels(document: Document, now: datetime) -> str:
    return selector_text({"matchLabels": at(document, "spec.selector")}) or NONE


def _selector(document: Document, now: datetime) -> str:
    return selector_text(at(document, "spec.selector")) or NONE


def _data(document: Document, now: datetime) -> int:
    return sum(len(document.get(name) or ()) for name in ("data", "binaryData"))


_SELECTED = Column("Selector", _selector, wide=True)
_CONTAINERS, _IMAGES = _template("name"), _template("image")
_COUNT = Column("Data", _data, "integer")

KUBERNETES_COLUMNS: dict[str, tuple[Column, ...]] = {
    "pods": (
        NAME,
        Column("Ready", _ready_of),
        Column("Status", lambda pod, now: pod_state(pod, now).word),
        Column("Restarts", lambda pod, now: pod_state(pod, now).restarts),
        AGE,
        field("IP", "status.podIP", wide=True, absent=NONE),
        field("Node", "spec.nodeName", wide=True, absent=NONE),
        field("Nominated Node", "status.nominatedNodeName", wide=True, absent=NONE),
        Column("Readiness Gates", _gates, wide=True),
    ),
    "nodes": (
        NAME,
        Column("Status", _node_status),
        Column("Roles", _roles),
        AGE,
        field("Version", "status.nodeInfo.kubeletVersion"),
        _address("InternalIP"),
        _address("ExternalIP"),
        field("OS-Image", "status.nodeInfo.osImage", wide=True, absent="<unknown>"),
        field("Kernel-Version", "status.nodeInfo.kernelVersion", wide=True, absent="<unknown>"),
        field("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", wide=True, absent="<unknown>"),
    ),
    "namespaces": (NAME, field("Status", "status.phase"), AGE),
    "configmaps": (NAME, _COUNT, AGE),
    "secrets": (NAME, field("Type", "type"), _COUNT, AGE),
    "serviceaccounts": (NAME, Column("Secrets", lambda each, now: len(each.get("secrets") or ()), "integer"), AGE),
    "services": (
        NAME,
        field("Type", "spec.type"),
        field("Cluster-IP", "spec.clusterIP", absent=NONE),
        Column("External-IP", _external),
        Column("Port(s)", _ports),
        AGE,
        Column("Selector", _labels, wide=True),
    ),
    "events": (
        Column("Last Seen", _last_seen),
        field("Type", "type"),
        field("Reason", "reason"),
        Column("Object", _event_object),
        Column("Subobject", lambda event, now: at(_told(event, "involvedObject"), "fieldPath") or "", wide=True),
        Column("Source", _event_source, wide=True),
        Column("Message", lambda event, now: str(_told(event, "message") or "").strip()),
        Column("First Seen", lambda event, now: age(_told(event, "firstTimestamp"), now), wide=True),
        Column("Count", _event_count, "integer", wide=True),
        Column("Name", NAME.cell, wide=True),
    ),
    "deployments.apps": (
        NAME,
        Column("Ready", _wanted),
        field("Up-to-date", "status.updatedReplicas", "integer", absent=0),
        field("Available", "status.availableReplicas", "integer", absent=0),
        AGE,
        _CONTAINERS,
        _IMAGES,
        _SELECTED,
    ),
    "replicasets.apps": (
        NAME,
        field("Desired", "spec.replicas", "integer", absent=1),
        field("Current", "status.replicas", "integer", absent=0),
        field("Ready", "status.readyReplicas", "integer", absent=0),
        AGE,
        _CONTAINERS,
        _IMAGES,
        _SELECTED,
    ),
    "statefulsets.apps": (NAME, Column("Ready", _wanted), AGE, _CONTAINERS, _IMAGES),
    "jobs.batch": (
        NAME,
        Column("Status", _job_status),
        Column("Completions", _completions),
        Column("Duration", _duration),
        AGE,
        _CONTAINERS,
        _IMAGES,
        _SELECTED,
    ),
    "priorityclasses.scheduling.k8s.io": (
        NAME,
        field("Value", "value", "integer", absent=0),
        Column("Global-Default", lambda each, now: bool(each.get("globalDefault")), "boolean"),
        AGE,
        field("PreemptionPolicy", "preemptionPolicy"),
    ),
    "poddisruptionbudgets.policy": (
        NAME,
        field("Min Available", "spec.minAvailable", absent="N/A"),
        field("Max Unavailable", "spec.maxUnavailable", absent="N/A"),
        field("Allowed Disruptions", "status.disruptionsAllowed", "integer", absent=0),
        AGE,
    ),
    "leases.coordination.k8s.io": (NAME, field("Holder", "spec.holderIdentity"), AGE),
    "customresourcedefinitions.apiextensions.k8s.io": (NAME, field("Created At", "metadata.creationTimestamp")),
}
"""By the full name of the kind."""

"""Documents of any dialect as native documents, with every field that found no place in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.examination import INVENTORY, NOT_CHECKED
from bayplan.library.read_cluster import as_document
from bayplan.manifests.fields import Fields, Findings, raise_all
from bayplan.manifests.inventory.gpustack_instance import looks_like_instance
from bayplan.manifests.inventory.gpustack_worker import looks_like_worker
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.native.short_forms import shortened
from bayplan.manifests.native.workload_writer import write_workload
from bayplan.manifests.reader import Document
from bayplan.manifests.stored_kinds import COLLECT_STORED, UNSUPPORTED
from bayplan.manifests.workloads.dialects import collect_workloads
from bayplan.manifests.workloads.objects import Kind, objects_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.library.documents import Given
    from bayplan.manifests.finding import Ignored
    from bayplan.manifests.workloads.objects import Object

_STORED = "it is checked and kept as it is; it has no native form yet"
_NO_WORKERS = "it describes a cluster, and no workers are among the documents"
_WORKERS = (Kind.CLUSTER, Kind.NODE)
_ABOUT_WORKERS = (Kind.NODE_RESOURCE_TOPOLOGY, Kind.POD_DISRUPTION_BUDGET, Kind.MODEL, Kind.PRIORITY_CLASS)


@dataclass(frozen=True, slots=True)
class Passed:
    """A field of an object that the native documents do not hold."""

    object: str
    place: str
    found: Ignored

    def as_dict(self) -> dict[str, str]:
        """The entry of the document."""
        reason, neglect = self.found.reason, self.found.neglect.value
        return {"object": self.object, "place": self.place, "path": self.found.path, "reason": reason, "why": neglect}


@dataclass(slots=True)
class Conversion:
    """Native documents, what was ignored on the way to them, remarks, and objects that stay as they are."""

    items: list[dict[str, Any]] = field(default_factory=list)
    ignored: list[Passed] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    kept: list[dict[str, str]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The document that `-o json` prints."""
        return {
            "kind": "Conversion",
            "items": self.items,
            "ignored": [each.as_dict() for each in self.ignored],
            "kept": self.kept,
            "warnings": self.warnings,
        }


def convert(documents: Given | Iterable[Given]) -> Conversion:
    """What documents become: Workloads in order, and one Cluster of all that describes workers.

    InputError with the first problem of any document and the number of all others. Pods that are bound to a Node are
    bookings of the Cluster if there are workers beside them; otherwise they are workloads like all others.
    """
    objects = list(objects_of(documents_of(documents, "documents")))
    has_workers = any(map(_describes_workers, objects))
    is_of_cluster = [has_workers and (_describes_workers(each) or _is_beside_workers(each)) for each in objects]
    of_cluster = list(compress(objects, is_of_cluster))
    others = [each for each, is_one in zip(objects, is_of_cluster, strict=True) if not is_one]
    found = Conversion()
    _add_workloads(found, others)
    if of_cluster:
        _add_cluster(found, of_cluster)
    for each in objects:
        found.ignored += _ignored(each)
    return found


def convert_gpustack(documents: Given | Iterable[Given]) -> Conversion:
    """The same for models, workers and model instances of GPUStack; objects of other kinds are refused."""
    given = documents_of(documents, "documents")
    for each in objects_of(given):
        if each.kind is not Kind.GPUSTACK_MODEL and not _is_of_gpustack(each):
            message = f"a {each.written[:64] or 'document of this form'} is no model, worker or instance of GPUStack"
            place = each.findings.document.place(each.fields.steps)
            raise InputError(message, place=place, next="convert other kinds with bayplan convert")
    return convert(given)


def _add_workloads(found: Conversion, objects: Sequence[Object]) -> None:
    """Workloads become native ones; configurations are native already, and some kinds have no native form."""
    read = collect_workloads(each for each in objects if each.is_planned and each.kind is not Kind.SCHEDULER_CONFIG)
    for each in objects:
        if each.kind in COLLECT_STORED:
            COLLECT_STORED[each.kind](each.fields)
    raise_all([error for each in objects for error in each.findings.errors])
    for workload in read:
        found.items.append(write_workload(workload.workload))
        found.warnings += workload.warnings
    for each in objects:
        if each.kind is Kind.SCHEDULER_CONFIG:
            found.items.append(dict(each.fields.data))
        elif reason := _reason_to_keep(each):
            found.kept.append({"object": _named(each), "reason": reason})


def _reason_to_keep(each: Object) -> str:
    """Why an object has no part in a native document; empty where it has."""
    if each.is_stored:
        return _STORED
    if each.kind in INVENTORY:
        return _NO_WORKERS
    return UNSUPPORTED.get((each.group, each.written), NOT_CHECKED) if each.kind is Kind.OTHER else ""


def _add_cluster(found: Conversion, objects: Sequence[Object]) -> None:
    inventory = read_inventory(_alone(each) for each in objects)
    document = shortened(as_document(inventory))
    found.warnings += document.pop("warnings", [])
    found.items.append(document)


def _alone(each: Object) -> Document:
    """One object as a document of its own; its place names the file."""
    whole = each.findings.document
    return Document(each.fields.data, whole.place(each.fields.steps)) if each.fields.steps else whole


def _is_of_gpustack(each: Object) -> bool:
    """Whether it is a worker or an instance, which have no kind."""
    data = each.fields.data
    return isinstance(data, dict) and "kind" not in data and (looks_like_instance(data) or looks_like_worker(data))


def _describes_workers(each: Object) -> bool:
    return each.kind in _WORKERS or _is_of_gpustack(each)


def _is_beside_workers(each: Object) -> bool:
    """Whether an object belongs to the cluster where workers are among the documents."""
    if each.kind is Kind.POD:
        spec = each.fields.data.get("spec")
        return isinstance(spec, dict) and bool(spec.get("nodeName"))
    return each.kind in _ABOUT_WORKERS


def _ignored(each: Object) -> list[Passed]:
    """The fields of an object that have no effect. Readers of inventories do not record them, so they are looked up."""
    findings = each.findings
    if each.kind in INVENTORY:
        findings = Findings(findings.document)
        INVENTORY[each.kind][0](Fields(each.fields.data, findings, each.fields.steps))
    return [Passed(_named(each), findings.document.place(one.steps), one) for one in findings.ignored]


def _named(each: Object) -> str:
    """`AgentPool/NAME`."""
    data = each.fields.data
    metadata = data.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else data.get("name")
    return f"{each.written[:64]}/{str(name)[:64]}" if name else each.written[:64]

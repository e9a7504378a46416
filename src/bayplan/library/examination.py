"""One object as a client writes it: every problem, every field that has no effect, and what is assumed.

A server asks this before it keeps an object. Places are paths inside the object. Other objects may already be in the
store, so nothing is said about an object that is missing unless its neighbours are handed in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.library.validate import CONFIGURATIONS, check_config
from bayplan.manifests.finding import Finding, Neglect
from bayplan.manifests.inventory.disruption_budget import read_disruption_budget
from bayplan.manifests.inventory.entry import Entry
from bayplan.manifests.inventory.inventory_checks import (
    check_disruption_budget,
    check_node,
    check_resource_topology,
)
from bayplan.manifests.inventory.node import read_node
from bayplan.manifests.inventory.notes import Notes
from bayplan.manifests.inventory.resource_topology import read_zones
from bayplan.manifests.native.cluster import collect_cluster
from bayplan.manifests.paths import split
from bayplan.manifests.reader import Document
from bayplan.manifests.stored_kinds import COLLECT_STORED, UNSUPPORTED
from bayplan.manifests.workloads.assembly import Assembly
from bayplan.manifests.workloads.objects import Kind, objects_of
from bayplan.manifests.workloads.priority_class import PriorityClasses, collect_priority_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.manifests.fields import Fields
    from bayplan.manifests.finding import Ignored
    from bayplan.manifests.workloads.objects import Object

_SOURCE = "object"
NOT_CHECKED = "objects of this kind are kept as they are"


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found out about one object.

    `errors` make it unusable. `ignored` are fields without an effect: unknown ones, and known ones that nothing acts
    on. `for_runtime` are fields that placement does not need and that whatever runs the Pods acts on. `notes` are
    assumptions and other remarks. `unsupported` is the reason why nothing acts on the whole object; it is empty where
    something does.
    """

    errors: tuple[Finding, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    for_runtime: tuple[Ignored, ...] = ()
    notes: tuple[Finding, ...] = ()
    unsupported: str = ""

    @property
    def valid(self) -> bool:
        return not self.errors


def examine(document: Any, neighbours: Iterable[Mapping[str, Any]] | None = None) -> Examined:
    """Examine one object.

    `neighbours` are all other objects that it may refer to: PriorityClasses, PodGroups, AgentClasses. With them, a
    reference to an object that is not among them is noted.
    """
    objects = list(objects_of([Document(document, _SOURCE)]))
    if len(objects) != 1:
        problem = Finding((), "a list is not an object", "hand in its items one by one")
        return Examined(errors=(problem,))
    found = objects[0]
    if found.kind is Kind.OTHER:
        return Examined(unsupported=UNSUPPORTED.get((found.group, found.written), NOT_CHECKED))
    notes: Iterable[Finding] = ()
    if found.kind in INVENTORY:
        notes = _examine_inventory(found, found.kind)
    elif found.kind in _ALONE:
        _ALONE[found.kind](found.fields)
    elif found.kind is not None:
        notes = _examine_workload(found, found.kind, neighbours)
    findings = found.findings
    left = findings.ignored
    return Examined(
        errors=tuple(findings.problems),
        ignored=tuple(each for each in left if each.neglect is not Neglect.RUNTIME),
        for_runtime=tuple(each for each in left if each.neglect is Neglect.RUNTIME),
        notes=(*findings.remarks, *notes),
    )


def _examine_workload(found: Object, kind: Kind, neighbours: Iterable[Mapping[str, Any]] | None) -> list[Finding]:
    """Read a workload, or an object beside workloads; notes say which demand no worker can meet."""
    others = [] if neighbours is None else list(objects_of(Document(each, "neighbour") for each in neighbours))
    classes = [collect_priority_class(each.fields) for each in others if each.kind is Kind.PRIORITY_CLASS]
    knows_all = neighbours is not None
    assembly = Assembly(PriorityClasses.of(classes, knows_all=knows_all), knows_all=knows_all)
    assembly.take(kind, found.fields)
    for each in others:
        if each.kind in _REFERRED_TO and each.kind is not None:
            assembly.take(each.kind, each.fields)
    shapes = [shape for read in assembly.joined() for _, _, shape in read.workload.shapes]
    demands = (*(shape.unknown for shape in shapes), *(group.unknown for group in assembly.groups.values()))
    return [Finding((), f"no worker can take it: {demand}") for demand in dict.fromkeys(filter(None, demands))]


class _PathNotes(Notes):
    """Notes with paths inside the object instead of places in a file."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Finding] = []

    def add(self, entry: Entry, path: str, message: str, alike: str = "") -> None:
        self.found.append(Finding(split(path), message))


def _examine_inventory(found: Object, kind: Kind) -> list[Finding]:
    """Check every field, then read the object as an inventory does; objects about the same worker are not needed."""
    check, read = INVENTORY[kind]
    notes = _PathNotes()
    fields = found.fields
    check(fields)
    if fields.findings.problems:
        return notes.found
    try:
        read(Entry(dict(fields.data), found.written, fields.findings.document), notes)
    except InputError as error:
        fields.add(error.message, *split(error.place), next=error.next)
    return notes.found


_ALONE: dict[Kind, Callable[[Fields], object]] = {
    **COLLECT_STORED,
    Kind.CLUSTER: collect_cluster,
    **dict.fromkeys(CONFIGURATIONS, check_config),
    Kind.PRIORITY_CLASS: collect_priority_class,
}
"""Kinds whose objects are read by themselves, without a look at others."""

_REFERRED_TO = (Kind.AGENT_CLASS, Kind.POD_GROUP)
INVENTORY: dict[Kind, tuple[Callable[[Fields], None], Callable[[Entry, Notes], object]]] = {
    Kind.NODE: (check_node, read_node),
    Kind.NODE_RESOURCE_TOPOLOGY: (check_resource_topology, lambda entry, _: read_zones(entry)),
    Kind.POD_DISRUPTION_BUDGET: (check_disruption_budget, read_disruption_budget),
}
"""How each kind that describes the cluster is checked and read."""

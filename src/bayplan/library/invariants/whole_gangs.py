"""I3: a gang is bound as a whole, with at least its minimum of members, or not at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.cluster.invariants import gangs_whole as ledger_gangs_whole
from bayplan.framework.errors import BayplanError
from bayplan.library.invariants.stored_objects import name_of
from bayplan.library.invariants.verdict import judged, not_judged, told
from bayplan.manifests.marks import ROLE, WORKLOAD
from bayplan.manifests.owners import Owners, Who, api_group, controller_of
from bayplan.manifests.pod_groups import GROUP_ANNOTATIONS, GROUP_LABELS
from bayplan.manifests.reader import Document
from bayplan.manifests.workloads.dialects import read_workloads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bayplan.library.invariants.stored_objects import Object, StoredObjects
    from bayplan.library.invariants.verdict import Verdict

_POD_GROUP = "PodGroup"


def gangs_whole(objects: StoredObjects) -> Verdict:
    """Gangs by the object that declares them: a PodGroup, or a workload that is a gang by itself.

    A Pod that has ended was bound with the others, so it counts. A gang with a member that is being deleted is on its
    way out or is being mended, which takes a moment: it is judged when that is over. A gang is also incomplete where
    members went, or where it wants more than it did: then no member waits that was there when the others were bound.
    """
    members = _Members.of(objects)
    violations: list[str] = []
    incomplete: list[str] = []
    minimums = _minimums(objects)
    for gang, least in minimums.items():
        if 0 < members.bound[gang] < least and gang not in members.leaving:
            said = f"{gang}: {members.bound[gang]} members are bound, it needs {least}"
            (violations if members.passed_over(gang, least) else incomplete).append(said)
    if objects.ledger is not None:
        violations += told(ledger_gangs_whole(objects.ledger))
    if incomplete and not violations:
        return not_judged(f"{incomplete[0]}; members went or came after the others were bound")
    if not minimums and not violations:
        return not_judged("no object says how many members a gang needs")
    return judged(violations)


class _Gang(NamedTuple):
    """The object that declares a gang; a group and a workload of the same name are two gangs."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


def _minimums(objects: StoredObjects) -> dict[_Gang, int]:
    """The least number of members of each gang that says one; what cannot be read says none."""
    found: dict[_Gang, int] = {}
    for each in objects.gangs:
        metadata = each["metadata"]
        least = (each.get("spec") or {}).get("minMember") if each["kind"] == _POD_GROUP else _least(each)
        if isinstance(least, int) and least > 1:
            found[_Gang(each["kind"], _namespace(metadata), metadata["name"])] = least
    return found


def _least(document: Object) -> int:
    """The minimum of a workload that is a gang; 1 where its members are placed one by one."""
    try:
        (read, *_) = read_workloads([Document(document, name_of(document))])
    except BayplanError:
        return 1
    return read.workload.minimum


@dataclass(slots=True)
class _Members:
    """The Pods of each group or controller."""

    bound: Counter[_Gang] = field(default_factory=Counter)
    leaving: set[_Gang] = field(default_factory=set)
    """Those of which a bound Pod is being deleted."""
    bound_at: dict[_Gang, str] = field(default_factory=dict)
    """When the last of its members was bound; a text that sorts like the time, empty where one does not say it."""
    waiting: dict[_Gang, list[str]] = field(default_factory=lambda: defaultdict(list))
    """When each member without a node was made."""

    @classmethod
    def of(cls, objects: StoredObjects) -> _Members:
        owners = Owners()
        for each in objects.of("ReplicaSet"):
            owners.add(_who(each), controller_of(each["metadata"], _namespace(each["metadata"])))
        found = cls()
        for pod in objects.of("Pod"):
            for gang in _gangs_of(pod["metadata"], owners):
                found._take(gang, pod)
        return found

    def _take(self, gang: _Gang, pod: Object) -> None:
        metadata = pod["metadata"]
        if not (pod.get("spec") or {}).get("nodeName"):
            self.waiting[gang].append(metadata.get("creationTimestamp") or "")
            return
        at, before = _bound_at(pod), self.bound_at.get(gang)
        self.bound_at[gang] = "" if at == "" or before == "" else max(at, before or at)
        self.bound[gang] += 1
        if "deletionTimestamp" in metadata:
            self.leaving.add(gang)

    def passed_over(self, gang: _Gang, least: int) -> bool:
        """Whether members that were there before others were bound would make it whole; also where no times are told.

        Times are whole seconds: of a member that was made in the very second nothing can be said.
        """
        at = self.bound_at[gang]
        return not at or self.bound[gang] + sum(made < at for made in self.waiting[gang]) >= least


def _bound_at(pod: Object) -> str:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    told = (each.get("lastTransitionTime") for each in conditions if each.get("type") == "PodScheduled")
    return next((each for each in told if isinstance(each, str)), "")


def _gangs_of(metadata: Mapping[str, Any], owners: Owners) -> Iterator[_Gang]:
    """The group that a Pod names, and the workload that it is a replica of."""
    namespace = _namespace(metadata)
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    named = [labels.get(key) for key in GROUP_LABELS] + [annotations.get(key) for key in GROUP_ANNOTATIONS]
    if group := next((each for each in named if each), ""):
        yield _Gang(_POD_GROUP, namespace, group)
    if ROLE in labels and WORKLOAD not in labels:
        return  # of the same owner, but no member: a launcher
    if owner := owners.owner_of(labels, controller_of(metadata, namespace), namespace):
        yield _Gang(owner.who.kind, namespace, owner.who.name)


def _who(document: Object) -> Who:
    metadata = document["metadata"]
    return Who(api_group(document.get("apiVersion")), document["kind"], _namespace(metadata), metadata["name"])


def _namespace(metadata: Mapping[str, Any]) -> str:
    return metadata.get("namespace") or DEFAULT_NAMESPACE

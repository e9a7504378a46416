"""Rules among the Pods of a workload: on different workers, or evenly over domains.

Bookings have no labels, so a rule is followed only where its selector matches the Pods of the workload itself. Every
other hard rule becomes a demand that is not understood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayplan.cluster.frozen_map import EMPTY, FrozenMap
from bayplan.cluster.topology import Level
from bayplan.manifests.inventory.labels import BLOCK, RACK, ZONE
from bayplan.manifests.native.labels import read_selector
from bayplan.manifests.values import count, flag, positive, text, word_of
from bayplan.manifests.workloads.node_affinity import REQUIRED, warn_of_preference

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.selector import Selector
    from bayplan.cluster.workload import Shape
    from bayplan.manifests.fields import Fields

HOSTNAME = "kubernetes.io/hostname"

_LEVELS = {
    **dict.fromkeys(ZONE, Level.ZONE),
    **dict.fromkeys(BLOCK, Level.BLOCK),
    **dict.fromkeys(RACK, Level.RACK),
}
_SPREAD = "topologySpreadConstraints"
_ANTI_AFFINITY = "podAntiAffinity"
_HARD, _SOFT = "DoNotSchedule", "ScheduleAnyway"
_OTHER_NAMESPACES = ("namespaces", "namespaceSelector")
_OF_A_SPREAD = ("matchLabelKeys", "nodeAffinityPolicy", "nodeTaintsPolicy")

_when = word_of((_HARD, _SOFT))


@dataclass(frozen=True, slots=True)
class Rule:
    """Pods that the selector matches are kept apart, or their numbers in two domains differ by at most `skew`."""

    field: str
    key: str
    selector: Selector
    skew: int | None = None
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The rules of one template about other Pods, and the labels by which other rules match it."""

    labels: FrozenMap[str, str] = EMPTY
    rules: tuple[Rule, ...] = ()
    ports: frozenset[str] = frozenset()
    unknown: str = ""


NO_NEIGHBOURS = Neighbours()


@dataclass(frozen=True, slots=True)
class Sort:
    """Equal Pods of a workload: their number and the rules of their template."""

    neighbours: Neighbours
    replicas: int


@dataclass(frozen=True, slots=True)
class Together:
    """The rules of all templates of a workload, as fields of a Workload."""

    apart: bool = False
    spread_over: Level | None = None
    unknown: str = ""

    def also(self, unknown: str) -> Together:
        """The same rules with one more demand that is not understood."""
        return replace(self, unknown="; ".join(filter(None, (unknown, self.unknown))))

    def applied(self, shape: Shape, names: tuple[str, ...]) -> Shape:
        """The shape with its anti-affinity names and its demands that are not understood."""
        unknown = "; ".join(dict.fromkeys(each for each in (shape.unknown, self.unknown) if each))
        return replace(shape, anti_affinity=names if self.apart else shape.anti_affinity, unknown=unknown)


def read_neighbours(metadata: Fields, spec: Fields, containers: Iterable[Fields]) -> Neighbours:
    """The rules of a Pod; `settle` decides what they mean once all Pods of the workload are known."""
    affinity = spec.child("affinity")
    rules = [*_apart(affinity.child(_ANTI_AFFINITY)), *_spread(spec)]
    unknown = _beside(affinity.child("podAffinity"))
    affinity.ignore("nodeAffinity")
    affinity.finish()
    labels = metadata.labels("labels")
    for field in dict.fromkeys(rule.field for rule in rules if rule.selector and rule.selector.matches(labels)):
        spec.warn(f"{field} is followed among the Pods of this workload; labels of other Pods are not known")
    return Neighbours(
        labels=FrozenMap(labels),
        rules=tuple(rules),
        ports=_host_ports(spec, containers),
        unknown=unknown,
    )


def settle(sorts: Sequence[Sort], *, groups: int = 1) -> Together:
    """The rules of all templates, combined for the workload.

    `groups` is how many workloads of the same sorts there are: the groups of one LeaderWorkerSet.
    """
    sorts = [each for each in sorts if each.replicas]
    pods = groups * sum(each.replicas for each in sorts)
    reasons = [each.neighbours.unknown for each in sorts]
    apart, levels = False, set()
    for rule in dict.fromkeys(rule for each in sorts for rule in each.neighbours.rules):
        if reason := _not_own(rule, sorts):
            reasons.append(reason)
        elif pods == 1:
            continue  # one Pod is alone with itself, wherever it stands
        elif rule.skew is None and rule.key == HOSTNAME:
            apart = True
        elif rule.skew == 1 and rule.key in _LEVELS and groups == 1:
            levels.add(_LEVELS[rule.key])
        else:
            reasons.append(_not_followed(rule))
    if len(levels) > 1:
        reasons.append(f"{_SPREAD} over {' and '.join(sorted(levels))} at once is not followed; name one of them")
    ports = _shared_ports(sorts)
    if ports is None:
        reasons.append("Pods with one hostPort are in some roles and not in others, which is not followed")
    return Together(
        apart or (bool(ports) and pods > 1),
        next(iter(levels), None) if len(levels) == 1 else None,
        "; ".join(dict.fromkeys(filter(None, reasons))),
    )


def of_a_lone_pod(neighbours: Neighbours) -> Together:
    """The rules of a Pod without a controller: the Pods they match are not known, because bookings have no labels."""
    reasons = [
        f"{rule.field} of a Pod without a controller is not followed, because labels of other Pods are not known;"
        " write a Deployment, or a Workload with antiAffinity"
        for rule in neighbours.rules
    ]
    return Together(unknown="; ".join(dict.fromkeys(filter(None, (neighbours.unknown, *reasons)))))


def _not_own(rule: Rule, sorts: Sequence[Sort]) -> str:
    """Why a rule is not about all Pods of the workload and no others, as far as that can be told."""
    if rule.unknown:
        return rule.unknown
    if rule.selector and all(rule.selector.matches(each.neighbours.labels) for each in sorts):
        return ""
    return (
        f"{rule.field} selects other Pods than those of the workload, and their labels are not known;"
        " write a Workload with antiAffinity or spreadOver"
    )


def _not_followed(rule: Rule) -> str:
    if rule.skew is None:
        return f"{rule.field} over {rule.key} is not followed; use {HOSTNAME}, or a Workload with spreadOver"
    return (
        f"{rule.field} over {rule.key} with maxSkew {rule.skew} is not followed;"
        " use topology.kubernetes.io/zone with maxSkew 1, or ScheduleAnyway"
    )


def _shared_ports(sorts: Sequence[Sort]) -> frozenset[str] | None:
    """The host ports that all Pods have; None where only some Pods share a port."""
    if not sorts:
        return frozenset()
    every = [each.neighbours.ports for each in sorts]
    shared = frozenset.intersection(*every)
    taken: set[str] = set()
    for each, ports in zip(sorts, every, strict=True):
        if (ports & taken or (ports and each.replicas > 1)) and not shared:
            return None
        taken |= ports
    return shared


def _apart(fields: Fields) -> list[Rule]:
    warn_of_preference(fields)
    rules = [_term(each) for each in fields.children(REQUIRED)]
    fields.finish()
    return rules


def _term(fields: Fields) -> Rule:
    """Keys that are to differ in value (`mismatchLabelKeys`) mean other Pods than the own ones."""
    others = [key for key in (*_OTHER_NAMESPACES, "mismatchLabelKeys") if key in fields]
    fields.ignore(*_OTHER_NAMESPACES, "mismatchLabelKeys")
    fields.leave("matchLabelKeys")
    rule = Rule(
        field=_ANTI_AFFINITY,
        key=fields.need("topologyKey", text, ""),
        selector=read_selector(fields, "labelSelector"),
        unknown=f"{_ANTI_AFFINITY} with {others[0]} is not followed; leave it out" if others else "",
    )
    fields.finish()
    return rule


def _beside(fields: Fields) -> str:
    warn_of_preference(fields)
    required = fields.children(REQUIRED)
    fields.finish()
    if not required:
        return ""
    return "required podAffinity is not followed; leave it out, or write a Workload with gang.within"


def _spread(spec: Fields) -> list[Rule]:
    rules = []
    for fields in spec.children(_SPREAD):
        rule = Rule(
            field=_SPREAD,
            key=fields.need("topologyKey", text, ""),
            selector=read_selector(fields, "labelSelector"),
            skew=fields.need("maxSkew", positive, 1),
            unknown=f"{_SPREAD} with minDomains is not followed; leave it out" if "minDomains" in fields else "",
        )
        hard = fields.read("whenUnsatisfiable", _when, _HARD) == _HARD
        fields.ignore("minDomains")
        fields.leave(*_OF_A_SPREAD)
        fields.finish()
        if hard:
            rules.append(rule)
        else:
            fields.warn(f"{_SOFT} is a preference, and does not count")
    return rules


def _host_ports(spec: Fields, containers: Iterable[Fields]) -> frozenset[str]:
    """The ports of the host that the Pod takes; with `hostNetwork` all its ports."""
    on_host = spec.read("hostNetwork", flag, False)
    found = set()
    for container in containers:
        for port in container.children("ports"):
            number = port.read("hostPort", count, 0)
            if not number and on_host:
                number = port.read("containerPort", count, 0)
            if number:
                found.add(f"{port.read('hostIP', text, '')}:{port.read('protocol', text, 'TCP')}:{number}")
    if found:
        numbers = ", ".join(sorted({each.rpartition(":")[2] for each in found}))
        spec.warn(f"host port {numbers}: Pods of other workloads that use it are not known", "containers")
    return frozenset(found)

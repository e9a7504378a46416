"""A Workload document of our own into nouns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.gang import Gang, MinResources
from bayplan.cluster.topology import Level
from bayplan.cluster.workload import Preemption, Role, Shape, Workload
from bayplan.manifests.fields import Fields, present
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.native.shape import read_shape
from bayplan.manifests.values import claim_cpu_milli, claim_mib, count, flag, name, one_of, priority, word_of

if TYPE_CHECKING:
    from bayplan.manifests.fields import Findings
    from bayplan.manifests.reader import Document


_preemption = one_of(Preemption)
_within = word_of(("zone", "block", "rack", "nvlink-domain"))
_spread_over = word_of(("zone", "block", "rack"))


@dataclass(frozen=True, slots=True)
class ReadWorkload:
    """A workload, the document that mentioned it first, and the warnings about it.

    `findings` are those of the object that mentioned it first: they tell where it stands among all objects.
    """

    workload: Workload
    document: Document
    warnings: tuple[str, ...] = ()
    findings: Findings | None = field(default=None, compare=False, repr=False)

    def warned(self, *warnings: str) -> ReadWorkload:
        """The same with further warnings."""
        return replace(self, warnings=(*self.warnings, *warnings))


def collect_workload(fields: Fields) -> Workload:
    """The workload as far as it can be read; the findings say what is wrong with it."""
    fields.ignore("apiVersion", "kind", "status")
    spec = fields.child("spec")
    identity = read_id(fields, spec.read("priority", priority, 0))
    alike = read_shape(spec)
    roles = present(_role(each, alike) for each in spec.children("roles"))
    if roles and "replicas" in spec:
        spec.warn("has no effect beside roles", "replicas", next="give each role its own replicas")
    workload = spec.build(
        Workload,
        id=identity,
        shape=spec.build(Shape, **alike) or Shape(),
        replicas=spec.read("replicas", count, 1),
        roles=roles,
        gang=_gang(spec),
        spread_over=_level(spec.read("spreadOver", _spread_over)),
        preemption=spec.read("preemption", _preemption, Preemption.NEVER),
    )
    spec.leave("scaling", reason="it is kept; workloads are not scaled yet")
    spec.finish()
    fields.finish()
    return workload or Workload(identity)


def _role(fields: Fields, alike: dict[str, Any]) -> Role | None:
    """A role: members of one shape; fields that it leaves out are those of the workload."""
    role = fields.build(
        Role,
        name=fields.need("name", name, "?"),
        replicas=fields.read("replicas", count, 1),
        shape=fields.build(Shape, **{**alike, **read_shape(fields)}),
        priority=fields.read("priority", priority),
        preemption=fields.read("preemption", _preemption),
        is_pod=fields.read("pod", flag, False),
    )
    fields.finish()
    return role


def _gang(spec: Fields) -> Gang | None:
    if "gang" not in spec:
        spec.ignore("gang")
        return None
    fields = spec.child("gang")
    gang = fields.build(
        Gang,
        minimum=fields.read("minimum", count),
        within=_level(fields.read("within", _within)),
        min_resources=_min_resources(fields),
        declared=fields.read("declared", flag, True),
    )
    fields.finish()
    return gang


def _min_resources(gang: Fields) -> MinResources | None:
    """What must be free as a sum before any member is placed."""
    if "minResources" not in gang:
        gang.ignore("minResources")
        return None
    fields = gang.child("minResources")
    least = fields.build(
        MinResources,
        cpu_milli=fields.read("cpu", claim_cpu_milli, 0),
        ram_mib=fields.read("ram", claim_mib, 0),
        cards=fields.read("cards", count, 0),
    )
    fields.finish()
    return least


def _level(word: str | None) -> Level | None:
    return None if word is None else Level(word)

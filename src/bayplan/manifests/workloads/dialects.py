"""Workloads from documents of any dialect, in the order in which they are first mentioned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import nearest
from bayplan.manifests.fields import raise_all
from bayplan.manifests.workloads.assembly import Assembly
from bayplan.manifests.workloads.objects import KNOWN_NAMES, Kind, objects_of
from bayplan.manifests.workloads.ownership import Ownership
from bayplan.manifests.workloads.priority_class import PriorityClasses, collect_priority_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.manifests.native.workload import ReadWorkload
    from bayplan.manifests.reader import Document
    from bayplan.manifests.workloads.objects import Object
    from bayplan.manifests.workloads.priority_class import PriorityClass

_SLIP = 2  # letters too few or too many: a Service is no misspelt RayService
_MOST_NAMED = 20  # kinds in one warning: a hostile call could hold thousands


def read_workloads(documents: Iterable[Document], classes: Sequence[PriorityClass] = ()) -> list[ReadWorkload]:
    """The workloads; InputError with the first problem of any document and the number of all others.

    `classes` are the PriorityClasses of the cluster.
    """
    objects = list(objects_of(documents))
    found = collect_workloads(objects, classes)
    raise_all([error for each in objects for error in each.findings.errors])
    if not found:
        raise no_workload(objects)
    return found


def collect_workloads(objects: Iterable[Object], classes: Sequence[PriorityClass] = ()) -> list[ReadWorkload]:
    """The workloads as far as they can be read; the findings of each object hold its problems."""
    objects = list(objects)
    own = [collect_priority_class(each.fields) for each in objects if each.kind is Kind.PRIORITY_CLASS]
    assembly = Assembly(PriorityClasses.of((*classes, *own)))
    ownership = Ownership(objects)
    for each in objects:
        if each.kind is not None:
            assembly.take(each.kind, each.fields, owned=ownership.is_owned(each))
    found = assembly.joined()
    if found and (warning := ignored_warning(objects)):
        found[0] = found[0].warned(warning)
    return found


def ignored_warning(objects: Iterable[Object]) -> str:
    """The warning that names the kinds that no plan looks at; empty where there are none."""
    ignored = ignored_kinds(objects)
    return f"these documents are not workloads and are ignored: {ignored}" if ignored else ""


def ignored_kinds(objects: Iterable[Object]) -> str:
    """The kinds that no plan looks at, each once, in order; empty where there are none."""
    written = dict.fromkeys(each.written[:64] for each in objects if not each.is_planned)
    more = f" and {len(written) - _MOST_NAMED} more kinds" if len(written) > _MOST_NAMED else ""
    return ", ".join(list(written)[:_MOST_NAMED]) + more


def no_workload(objects: Sequence[Object]) -> InputError:
    """The error where no document is a workload; a kind that is similar to a known one is probably misspelt."""
    following = "give at least one"
    for each in objects:
        near = nearest(each.written, KNOWN_NAMES) if each.kind is Kind.OTHER else None
        if near is not None and abs(len(near) - len(each.written)) <= _SLIP:
            following = f"did you mean {near!r} instead of {each.written[:64]!r}?"
    ignored = ignored_kinds(objects)
    beside = f", only {ignored}" if ignored else ""
    return InputError(f"there is no workload in these documents{beside}", place="workloads", next=following)

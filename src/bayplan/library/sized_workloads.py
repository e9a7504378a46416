"""Workloads from documents of any dialect, with the sizes of their models: what a planner plans."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.library.model_sizer import ModelSizer
from bayplan.manifests.workloads.dialects import read_workloads
from bayplan.placement.asks.sized_workload import SizedWorkload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.workload import Workload
    from bayplan.manifests.native.workload import ReadWorkload
    from bayplan.manifests.reader import Document
    from bayplan.manifests.workloads.priority_class import PriorityClass


def read_sized_workloads(documents: Sequence[Document], classes: Sequence[PriorityClass] = ()) -> list[SizedWorkload]:
    """The workloads of these documents, sized; `classes` are the PriorityClasses of the cluster."""
    sizer = ModelSizer()
    found = [sized(read, sizer) for read in read_workloads(documents, classes)]
    if not found:
        raise InputError("there is no workload", place="workloads", next="give at least one Workload document")
    return found


def sized(read: ReadWorkload, sizer: ModelSizer) -> SizedWorkload:
    """One workload with the sizes of its models."""
    with located(read.workload):
        roles = tuple(
            replace(sizer(shape), name=name, replicas=replicas) for name, replicas, shape in read.workload.shapes
        )
    told = [warning for role in roles if role.need for warning in role.need.warnings]
    return SizedWorkload(read.workload, roles, (*read.warnings, *dict.fromkeys(told)))


@contextmanager
def located(workload: Workload) -> Iterator[None]:
    """Errors of sizing and planning name the workload: by then the document and its lines are gone."""
    try:
        yield
    except InputError as error:
        whose = f"workload {workload.key}"
        if error.place.startswith(whose):
            raise
        place = f"{whose}: {error.place}" if error.place else whose
        raise InputError(error.message, place=place, next=error.next, code=error.code) from None

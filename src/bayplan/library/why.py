"""`bayplan.why`: every worker and every check, and what would make a workload fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.library.documents import documents_of
from bayplan.library.model_sizer import ModelSizer
from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import located, read_sized_workloads
from bayplan.placement.answers.changes.document import change_documents, search_fields
from bayplan.placement.answers.changes.find import FoundChanges, find_changes
from bayplan.placement.answers.why import explain
from bayplan.placement.answers.why_document import why_document

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from bayplan.library.documents import Given
    from bayplan.placement.asks.sized_workload import SizedWorkload


def why(
    workloads: Given | Iterable[Given],
    cluster: Any,
    *,
    worker: str | None = None,
    workload: str | None = None,
    config: Any = None,
    seed: int = 0,
    now: float | None = None,
    changes: bool = True,
    shown: Collection[str] | None = None,
) -> dict[str, Any]:
    """A Why document about one workload, after the workloads before it are planned; `worker` limits it to one worker.

    `workload` is its name, or NAMESPACE/NAME; without it the last workload is explained. Without `changes` there is no
    search for changes that would make it fit; the search takes longer than everything else. With `shown`, workloads of
    other namespaces have no names in the answer.
    """
    given = documents_of(workloads, "workloads")
    planner, inventory = planner_of(cluster, config=config, seed=seed, now=now, shown=shown)
    *former, last = _up_to(workload, read_sized_workloads(given, inventory.priority_classes))
    for request in former:
        with located(request.workload):
            planner.commit(planner.plan(request))
    if worker is not None and worker not in planner.state.snapshot.rows:
        message = f"there is no worker {worker!r}"
        raise InputError(message, place="worker", next=did_you_mean(worker, planner.state.snapshot.rows))
    with located(last.workload):
        answer = explain(planner, last)
        found = find_changes(planner, last, answer.verdict, ModelSizer()) if changes else FoundChanges()
    document = why_document(answer, change_documents(found, planner.state.cluster.workers)) | search_fields(found)
    if worker is not None:
        document["workers"] = [each for each in document["workers"] if each["worker"] == worker]
    document["warnings"] = [*document["warnings"], *inventory.warnings]
    return document


def _up_to(workload: str | None, requests: Sequence[SizedWorkload]) -> Sequence[SizedWorkload]:
    """The workloads up to the named one, which is the last."""
    if workload is None:
        return requests
    keys = [each.workload.key for each in requests]
    full = [number for number, key in enumerate(keys) if f"{key.namespace}/{key.name}" == workload]
    found = full or [number for number, key in enumerate(keys) if key.name == workload]
    if not found:
        message = f"there is no workload {workload!r}"
        raise InputError(message, place="workload", next=did_you_mean(workload, list(map(str, keys))))
    if len({keys[number] for number in found}) > 1:
        named = " or ".join(f"{keys[number].namespace}/{workload}" for number in found[:2])
        message = f"{len(found)} workloads are called {workload!r}"
        raise InputError(message, place="workload", next=f"write the namespace too: {named}")
    return requests[: found[-1] + 1]

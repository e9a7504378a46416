"""`bayplan.why`: every worker and every check, and what would make a workload fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.library.documents import documents_of
from bayplan.library.requests import located, planner_of, read_requests
from bayplan.library.resizing import Resizing
from bayplan.placement.changes.document import change_documents, search_fields
from bayplan.placement.changes.find import Found, find_changes
from bayplan.placement.why import explain
from bayplan.placement.why_document import why_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.library.documents import Given


def why(
    workloads: Given | Iterable[Given],
    cluster: Any,
    *,
    worker: str | None = None,
    config: Any = None,
    seed: int = 0,
    now: float | None = None,
    changes: bool = True,
) -> dict[str, Any]:
    """A Why document about the last workload, on what the former ones left; of one worker only, if it is named.

    Without `changes` nobody looks for what would make it fit, which takes longer than everything else.
    """
    given = documents_of(workloads, "workloads")
    planner, inventory = planner_of(cluster, config=config, seed=seed, now=now)
    *former, last = read_requests(given, inventory.priority_classes)
    for request in former:
        with located(request.workload):
            planner.commit(planner.plan(request))
    if worker is not None and worker not in planner.snapshot.rows:
        message = f"there is no worker {worker!r}"
        raise InputError(message, place="worker", next=did_you_mean(worker, planner.snapshot.rows))
    with located(last.workload):
        answer = explain(planner, last)
        found = find_changes(planner, last, answer.verdict, Resizing()) if changes else Found()
    document = why_document(answer, change_documents(found, planner.cluster.workers)) | search_fields(found)
    if worker is not None:
        document["workers"] = [each for each in document["workers"] if each["worker"] == worker]
    document["warnings"] = [*document["warnings"], *inventory.warnings]
    return document

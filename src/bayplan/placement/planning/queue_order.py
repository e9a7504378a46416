"""The order in which waiting workloads are planned: which comes first where not all fit."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.cluster.workload import Workload

Place = tuple[int, float, str, str]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A workload in the queue: when it was first tried, and when it last failed; None: never."""

    workload: Workload
    first_attempt_s: float | None = None
    failed_s: float | None = None


def place_of(waiting: Waiting) -> Place:
    """The smallest is planned first: higher priority, then age, then namespace and name.

    The age of a gang counts from its creation or, once it has failed, from its last failure: a gang that does not fit
    must not stay ahead of all others of its priority. The age of other workloads counts from their first attempt, or
    from their creation before that. A workload of unknown age comes last.
    """
    workload = waiting.workload
    tried_s = waiting.failed_s if workload.gang is not None else waiting.first_attempt_s
    since_s = workload.id.created_s if tried_s is None else tried_s
    return -workload.id.priority, inf if since_s is None else since_s, workload.id.namespace, workload.name

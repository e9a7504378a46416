"""The status of a HorovodJob."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.library.status.conditions import conditions_of, with_conditions
from bayplan.library.status.documents import Object, part, with_fields
from bayplan.library.status.moments import moment_text
from bayplan.library.status.training_job import OWNED

if TYPE_CHECKING:
    from bayplan.library.status.training_job import TrainingJob


def horovod_job_status(job: TrainingJob, selector: str, launcher: str, now: float) -> Object:
    """The new status; `launcher` is the name of the launcher's Pod, empty while there is none.

    The dialect names the objects that run launcher and workers: here a Pod, and the labels of Pods.
    """
    return with_fields(
        part(job.document, "status"),
        availableReplicas=job.own_pods.ready,
        launcher=f"pod/{launcher}" if launcher else None,
        workers=f"pods {selector}",
        conditions=with_conditions(conditions_of(job.document), job.conditions, OWNED, moment_text(now)),
    )

"""The status of a UnifiedJob."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.library.status.conditions import conditions_of, with_conditions
from bayplan.library.status.documents import Object, part, with_fields
from bayplan.library.status.moments import moment_text
from bayplan.library.status.training_job import OWNED

if TYPE_CHECKING:
    from bayplan.library.status.training_job import TrainingJob


def unified_job_status(job: TrainingJob, now: float) -> Object:
    """The new status; iterations are what the job itself reports."""
    return with_fields(
        part(job.document, "status"),
        jobStatus=job.stage.value,
        conditions=with_conditions(conditions_of(job.document), job.conditions, OWNED, moment_text(now)),
    )

"""The status of a Job, and whether it is over: its controller asks the same function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, condition_of, conditions_of, holds, with_conditions
from bayplan.library.status.documents import Object, number, part, with_fields
from bayplan.library.status.moments import moment_text, seconds_of
from bayplan.library.status.pod_facts import PodState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.library.status.pod_facts import Tally

USUAL_BACKOFF_LIMIT = 6
_OWNED = ("Complete", "Failed", "Suspended", "SuccessCriteriaMet", "FailureTarget")
_END = {"Complete": "SuccessCriteriaMet", "Failed": "FailureTarget"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a Job ended: `Complete` or `Failed`, and why; `end` is empty while it goes on."""

    end: str = ""
    reason: str = ""
    message: str = ""


def job_verdict(job: Mapping[str, Any], pods: Tally, now: float) -> Verdict:
    """Whether a Job is over; an end that was told once stays."""
    for end in _END:
        if holds(job, end):
            told = condition_of(job, end)
            return Verdict(end, str(told.get("reason", "")), str(told.get("message", "")))
    spec = part(job, "spec")
    succeeded, failed = pods.state(PodState.SUCCEEDED), pods.state(PodState.FAILED)
    completions = spec.get("completions")
    done = succeeded > 0 and not pods.live if completions is None else succeeded >= number(completions)
    if done:
        return Verdict("Complete", "CompletionsReached", "Reached expected number of succeeded pods")
    if failed > number(spec.get("backoffLimit"), USUAL_BACKOFF_LIMIT):
        return Verdict("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
    if (left := deadline_s(job, now)) is not None and left <= 0:
        return Verdict("Failed", "DeadlineExceeded", "Job was active longer than specified deadline")
    return Verdict()


def deadline_s(job: Mapping[str, Any], now: float) -> float | None:
    """How long until its deadline; None where it has none or is suspended."""
    spec, began = part(job, "spec"), seconds_of(part(job, "status").get("startTime"))
    limit = spec.get("activeDeadlineSeconds")
    if limit is None or began is None or spec.get("suspend"):
        return None
    return began + number(limit) - now


def expiry_s(job: Mapping[str, Any], now: float) -> float | None:
    """How long until a finished Job is deleted; None where it stays."""
    ttl = part(job, "spec").get("ttlSecondsAfterFinished")
    ended = next((condition_of(job, end) for end in _END if holds(job, end)), {})
    since = seconds_of(ended.get("lastTransitionTime"))
    return None if ttl is None or since is None else since + number(ttl) - now


def job_status(job: Mapping[str, Any], pods: Tally, now: float) -> Object:
    """The new status."""
    old, spec, verdict = part(job, "status"), part(job, "spec"), job_verdict(job, pods, now)
    suspended = bool(spec.get("suspend")) and not verdict.end
    began = None if suspended else old.get("startTime") or moment_text(now)
    ended = old.get("completionTime") or moment_text(now) if verdict.end == "Complete" else None
    succeeded, failed = pods.state(PodState.SUCCEEDED), pods.state(PodState.FAILED)
    if verdict.end:  # what was counted stays, although Pods of a finished Job may be deleted
        succeeded, failed = (
            max(succeeded, number(old.get("succeeded"))),
            max(failed, number(old.get("failed"))),
        )
    return with_fields(
        old,
        startTime=began or (old.get("startTime") if verdict.end else None),
        completionTime=ended,
        active=pods.live or None,
        ready=pods.ready,
        terminating=pods.state(PodState.LEAVING) or None,
        succeeded=succeeded or None,
        failed=failed or None,
        conditions=with_conditions(conditions_of(job), _conditions(job, verdict, suspended), _OWNED, moment_text(now))
        or None,
    )


def _conditions(job: Mapping[str, Any], verdict: Verdict, suspended: bool) -> list[Condition]:
    if verdict.end:
        kinds = (_END[verdict.end], verdict.end)
        return [Condition(each, True, verdict.reason, verdict.message) for each in kinds]
    if suspended:
        return [Condition("Suspended", True, "JobSuspended", "Job suspended")]
    if condition_of(job, "Suspended"):
        return [Condition("Suspended", False, "JobResumed", "Job resumed")]
    return []

"""Job, CronJob and JobSet: Pods that run to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.gang import Gang
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count, name
from bayplan.manifests.workloads.controlled_pods import (
    ABOUT_THE_OBJECT,
    ControlledPods,
    Members,
    few_enough,
    is_suspended,
    read_pod_template,
    unmet_annotations,
)
from bayplan.manifests.workloads.parallel_flags import warn_of_flags

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

_FOLLOWED = "activeDeadlineSeconds backoffLimit completionMode ttlSecondsAfterFinished"
_OF_A_JOB = (
    "backoffLimitPerIndex managedBy manualSelector maxFailedIndexes podFailurePolicy podReplacementPolicy successPolicy"
)
"""What the controller of Jobs follows while they run, and what it does not."""
_OF_A_CRON_JOB = (
    "concurrencyPolicy failedJobsHistoryLimit schedule startingDeadlineSeconds successfulJobsHistoryLimit timeZone"
)
_OF_A_JOB_SET = (
    "coordinator failurePolicy managedBy network startupPolicy successPolicy ttlSecondsAfterFinished"
    " volumeClaimPolicies"
)


_EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
_WITHOUT = "leave it out, or write a Workload with gang.within for each Job"


def collect_job(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """The Pods that run at the same time, each placed by itself."""
    fields.ignore(*ABOUT_THE_OBJECT)
    done = fields.child("status").read("succeeded", count, 0)
    members = _job(fields.child("spec"), classes, "", done)
    found = ControlledPods(read_id(fields), (members,))
    fields.finish()
    return [found]


def collect_cron_job(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """The Pods of one run."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    suspended = is_suspended(spec)
    if "jobTemplate" not in spec:
        spec.add("is missing", "jobTemplate", next="give the template of its Jobs")
    template = spec.child("jobTemplate")
    template.ignore("apiVersion", "kind", "metadata")
    members = () if "jobTemplate" not in spec else (_job(template.child("spec"), classes, ""),)
    template.finish()
    spec.leave(*_OF_A_CRON_JOB.split())
    spec.finish()
    found = ControlledPods(read_id(fields), () if suspended else members)
    fields.finish()
    return [found]


def collect_job_set(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """A gang of all Pods of all its Jobs; each replicated Job is a role."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    suspended = is_suspended(spec)
    replicated = spec.children("replicatedJobs")
    unknown = _exclusive(fields.child("metadata"), *(each.child("template").child("metadata") for each in replicated))
    members = tuple(_replicated(each, classes) for each in replicated)
    if not members:
        spec.add("is missing", "replicatedJobs", next="give at least one")
    spec.leave(*_OF_A_JOB_SET.split())
    spec.finish()
    found = ControlledPods(read_id(fields), () if suspended else members, Gang(), unknown=unknown)
    fields.finish()
    return [found]


def _exclusive(*metadata: Fields) -> str:
    """A JobSet may ask for a domain to each of its Jobs, and so may one of its replicated Jobs."""
    return next(filter(None, (unmet_annotations(each, _EXCLUSIVE, step=_WITHOUT) for each in metadata)), "")


def _replicated(fields: Fields, classes: PriorityClasses) -> Members:
    role = fields.need("name", name, "?")
    jobs = fields.read("replicas", count, 1)
    template = fields.child("template")
    template.ignore("apiVersion", "kind", "metadata")
    if "template" not in fields:
        fields.add("is missing", "template", next="give the template of its Jobs")
    job = _job(template.child("spec"), classes, role)
    template.finish()
    fields.leave("dependsOn", "groupName")
    fields.finish()
    return Members(role, few_enough(fields, jobs * job.replicas, "replicas"), job.template)


def _job(spec: Fields, classes: PriorityClasses, role: str, done: int = 0) -> Members:
    """The Pods of a Job that run at the same time: at most the completions that are left after `done` successes."""
    suspended = is_suspended(spec)
    parallelism = spec.read("parallelism", count, 1)
    completions = spec.read("completions", count)
    running = parallelism if completions is None else max(0, min(parallelism, completions - done))
    template = read_pod_template(spec, classes)
    warn_of_flags(template.flagged, template.cards, "each Pod requests")
    spec.ignore("selector")
    spec.leave_to_runtime(_FOLLOWED.split())
    spec.leave(*_OF_A_JOB.split())
    spec.finish()
    return Members(role, 0 if suspended else few_enough(spec, running, "parallelism"), template)

"""ElasticHorovodJob, HorovodJob and UnifiedJob of Alnair: training jobs whose workers hold one card each.

The workers are a gang: as many as the job may have, but at least its minimum. A job that already has a target is placed
with exactly that number. Growing and shrinking a job that runs is not done here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import GpuRequest, Locality, Shape, Workload
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count, flag, name, text, word_of
from bayplan.manifests.workloads.checks import anything, check, expected, several
from bayplan.manifests.workloads.controlled_pods import ABOUT_THE_OBJECT, few_enough

if TYPE_CHECKING:
    from bayplan.cluster.workload import WorkloadId
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Table

SINGLE_WORKER = "BaseJob"
_JOB_TYPES = (SINGLE_WORKER, "EHJob", "EPJob", "HJob")
_CARD = GpuRequest(count=1, runtime="cuda")
_NOT_RESCHEDULED = "running jobs are not moved or resized yet"

_LAUNCHER: Table = {"image": expected(name), "pythonCommand": several(text)}
_PODS: Table = {"containers": anything, "volumes": anything}
_JOB: Table = {"image": expected(name), "unifiedArgs": several(text)}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many workers a job may have: at least `least`, at most `most`, and `target` once that is decided."""

    least: int
    most: int
    target: int = 0

    @property
    def wanted(self) -> int:
        return self.target or self.most

    @property
    def minimum(self) -> int:
        return self.target or self.least


def collect_elastic_horovod_job(fields: Fields) -> Workload:
    """Between `minReplicas` and `maxReplicas` workers, or `targetReplicas` once they are set."""
    identity, spec = _opened(fields)
    workers = _workers(spec)
    bounds = _bounds(workers, workers.read("targetReplicas", count, 0))
    workers.finish()
    spec.finish()
    return _of_workers(identity, spec, bounds)


def collect_horovod_job(fields: Fields) -> Workload:
    """Always `replicas` workers."""
    identity, spec = _opened(fields)
    workers = _workers(spec)
    replicas = few_enough(workers, workers.read("replicas", count, 1), "replicas")
    workers.finish()
    spec.finish()
    return _of_workers(identity, spec, Bounds(replicas, replicas))


def collect_unified_job(fields: Fields) -> Workload:
    """The same of any type of job; the GPUs of a BaseJob are on one worker."""
    check(fields, {"jobType": expected(word_of(_JOB_TYPES))})
    identity, spec = _opened(fields)
    _job_spec(spec)
    replicas = spec.child("replicaSpec")
    bounds = _bounds(replicas, _target_by_worker(replicas))
    replicas.finish()
    spec.read("reschedulable", flag)
    spec.leave("reschedulable", reason=_NOT_RESCHEDULED)
    spec.finish()
    if fields.raw("jobType") == SINGLE_WORKER:
        return _on_one_worker(identity, spec, bounds, replicas)
    return _of_workers(identity, spec, bounds)


def _opened(fields: Fields) -> tuple[WorkloadId, Fields]:
    fields.ignore(*ABOUT_THE_OBJECT)
    if "spec" not in fields:
        fields.add("is missing", "spec", next="state how many workers the job has")
    identity, spec = read_id(fields), fields.child("spec")
    fields.finish()
    return identity, spec


def _workers(spec: Fields) -> Fields:
    """The part about the workers; the launcher asks for no card and may run anywhere."""
    launcher = spec.child("launcherSpec")
    check(launcher, _LAUNCHER if "launcherSpec" in spec else {})
    launcher.leave_to_runtime(_LAUNCHER)
    launcher.finish()
    check(spec, _PODS)
    spec.leave_to_runtime(_PODS)
    if "workersSpec" not in spec and not spec.broken():
        spec.add("is missing", "workersSpec", next="state how many workers the job has")
    workers = spec.child("workersSpec")
    workers.read("image", name)
    workers.leave_to_runtime(("image",))
    return workers


def _job_spec(spec: Fields) -> None:
    """What runs; one guide writes `reschedulable` here."""
    job = spec.child("jobSpec")
    check(job, _JOB if "jobSpec" in spec else {})
    job.leave_to_runtime(_JOB)
    job.read("reschedulable", flag)
    job.leave("reschedulable", reason=_NOT_RESCHEDULED)
    job.finish()


def _target_by_worker(replicas: Fields) -> int:
    """The target of a UnifiedJob, GPUs by worker; a bare number is accepted as the sum."""
    if isinstance(replicas.raw("targetReplicas"), Mapping):
        target = sum(replicas.mapping("targetReplicas", count).values())
        if target:
            replicas.warn("the sum counts; the workers that it names are not followed", "targetReplicas")
        return target
    return replicas.read("targetReplicas", count, 0)


def _bounds(fields: Fields, target: int) -> Bounds:
    """The number of workers. Absent bounds are 1, or as large as the other one; a job needs at least one worker."""
    least, most = fields.read("minReplicas", count), fields.read("maxReplicas", count)
    if least is not None and most and least > most:
        fields.add(
            f"{least} is more than maxReplicas, which is {most}", "minReplicas", next="raise one or lower the other"
        )
    need = max(1, least or 0)
    limit = few_enough(fields, most or max(need, target), "maxReplicas")
    if target and not need <= target <= max(need, limit):
        fields.warn(f"{target} is not within {need} and {limit}; it counts all the same", "targetReplicas")
    return Bounds(need, max(need, limit), few_enough(fields, target, "targetReplicas"))


def _of_workers(identity: WorkloadId, spec: Fields, bounds: Bounds) -> Workload:
    found = spec.build(
        Workload, id=identity, shape=Shape(gpus=_CARD), replicas=bounds.wanted, gang=Gang(bounds.minimum)
    )
    return found or Workload(identity)


def _on_one_worker(identity: WorkloadId, spec: Fields, bounds: Bounds, replicas: Fields) -> Workload:
    """All GPUs on one worker: one replica, with as many cards as the job needs at least."""
    cards = bounds.minimum
    if not bounds.target and bounds.most > cards:
        message = f"a {SINGLE_WORKER} is placed with its minimum of {cards} GPUs; it does not grow yet"
        replicas.warn(message, "maxReplicas", next="raise minReplicas to get more")
    gpus = GpuRequest(count=cards, runtime="cuda", locality=Locality.SAME_NODE)
    return spec.build(Workload, id=identity, shape=Shape(gpus=gpus)) or Workload(identity)

"""Training jobs of Alnair ask for workers, and for a launcher once the workers are ready."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import ELASTIC_HOROVOD_JOBS, HOROVOD_JOBS, UNIFIED_JOBS
from bayplan.control.controllers.known_wishes import KnownWishes
from bayplan.control.controllers.pod_templates import new_pod, workload_label
from bayplan.control.controllers.wish import Wanted, Wish
from bayplan.library.status.documents import part
from bayplan.library.status.pod_facts import PodState
from bayplan.library.status.training_job import LAUNCHER, TrainingJob
from bayplan.manifests.marks import BACKEND, ROLE, WORKLOAD
from bayplan.manifests.reader import Document
from bayplan.manifests.workloads.dialects import read_workloads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.cache import Cache
    from bayplan.control.controllers.owned_pods import OwnedPods
    from bayplan.control.store import Collection, Key, Object

COLLECTIONS = (ELASTIC_HOROVOD_JOBS, HOROVOD_JOBS, UNIFIED_JOBS)
_WORKER = "worker"


class TrainingJobs:
    """How one kind of training job asks for Pods.

    The launcher has no label of the workload: the planner counts replicas by it, and a launcher is none.
    """

    neighbours: tuple[Collection, ...] = ()
    keeps_ended = True

    def __init__(self, collection: Collection, cache: Cache, pods: OwnedPods) -> None:
        self.collection = collection
        self._cache, self._pods, self._known = cache, pods, KnownWishes(cache)

    def refers_to(self, owner: Object, neighbour: Key) -> bool:
        return False

    def wish(self, owner: Object) -> Wish:
        """What is missing now: nothing once the job is over, and no launcher before all workers are ready."""
        whole = self._known.of(owner, self._read)
        job = self.job(owner)
        if whole.problem or job.finished:
            return replace(whole, sets=())
        workers, *launchers = whole.sets
        done = 0 if launchers else job.pods.state(PodState.SUCCEEDED)
        sets = [replace(workers, count=max(0, workers.count - done))]
        if launchers and (job.own_pods.ready >= workers.count or job.pods.count(_is_launcher)):
            sets += launchers
        return replace(whole, sets=tuple(sets))

    def job(self, owner: Object) -> TrainingJob:
        """The job with its Pods."""
        whole = self._known.of(owner, self._read)
        workers = whole.sets[0].count if whole.sets else 0
        pods = self._pods.of(owner["metadata"]["uid"]).tally
        return TrainingJob(owner, workers, len(whole.sets) > 1, pods, whole.problem)

    def launcher(self, owner: Object) -> str:
        """The name of the launcher's latest Pod; empty while there is none."""
        found = [pod["metadata"]["name"] for pod, _ in self._pods.of(owner["metadata"]["uid"]).chosen(_is_launcher)]
        return found[-1] if found else ""

    def _read(self, owner: Object) -> Wish:
        read = read_workloads([Document(owner, f"{owner['kind']} {owner['metadata']['name']}")])[0].workload
        spec = part(owner, "spec")
        told, launcher = part(spec, "workersSpec") or part(spec, "jobSpec"), part(spec, "launcherSpec")
        restarts = "Always" if launcher else "Never"
        sets = [self._set(owner, "", read.replicas, told.get("image"), {"args": told.get("unifiedArgs")}, restarts)]
        if launcher:
            command = {"command": launcher.get("pythonCommand")}
            sets.append(self._set(owner, LAUNCHER, 1, launcher.get("image"), command, "Never"))
        return Wish(tuple(sets), together=True)

    def _set(self, owner: Object, role: str, count: int, image: Any, told: Mapping[str, Any], restarts: str) -> Wanted:
        name = owner["metadata"]["name"]
        run = {key: [str(each) for each in value] for key, value in told.items() if isinstance(value, list) and value}
        container = {"name": role or _WORKER, "image": str(image or "custom"), **run}
        spec = {"containers": [container], "restartPolicy": restarts, "priority": 0}
        labels = {ROLE: role, "job": name[:63]} if role else {WORKLOAD: workload_label(owner)}
        prefix = f"{name}-{role or _WORKER}-"
        annotations = {BACKEND: "custom"}
        pod = new_pod(owner, {"spec": spec}, self._cache, labels=labels, annotations=annotations, prefix=prefix)
        return Wanted(role, count, pod)

    def adopts(self, owner: Object, labels: Mapping[str, str]) -> bool:
        return labels.get(WORKLOAD) == workload_label(owner)

    def workload(self, owner: Object) -> str:
        return str(owner["metadata"]["name"])


def _is_launcher(facts: Any) -> bool:
    return bool(facts.role == LAUNCHER)

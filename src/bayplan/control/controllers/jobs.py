"""Jobs: Pods that run to their end, some at a time, until enough have succeeded or too many failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.cluster.identity import WorkloadKey
from bayplan.control.collections import JOBS
from bayplan.control.controllers.failures import Failures
from bayplan.control.controllers.pod_templates import new_pod
from bayplan.control.controllers.references import is_leaving
from bayplan.control.controllers.surplus import surplus
from bayplan.control.controllers.wish import label_value
from bayplan.control.reconciler import Reconciler
from bayplan.control.store import Deletion
from bayplan.control.store_errors import NotFoundError, StaleError
from bayplan.library.status.documents import number, part
from bayplan.library.status.job import deadline_s, expiry_s, job_verdict
from bayplan.library.status.pod_facts import PodState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.control.cache import Seen
    from bayplan.control.controllers.owned_pods import Group
    from bayplan.control.controllers.world import World
    from bayplan.control.store import Key, Object
    from bayplan.library.status.pod_facts import PodFacts

CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
INDEX = "batch.kubernetes.io/job-completion-index"
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 10.0, 360.0  # as in Kubernetes


@dataclass(frozen=True, slots=True)
class _Numbers:
    """How many Pods may run at the same time now, and how many do."""

    wanted: int
    live: int


class JobController:
    """The loop for Jobs."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._failures = Failures(_FIRST_PAUSE_S, _LONGEST_PAUSE_S, first_at_once=False)
        self._keys: Reconciler[Key] = Reconciler(str(JOBS), self._reconcile, observer=world.observer)
        world.cache.listen(JOBS, self._seen)
        world.pods.listen(JOBS, self._keys.add)

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        await self._keys.stop()

    async def settled(self) -> None:
        await self._keys.settled()

    def _seen(self, seen: Seen) -> None:
        self._keys.add(seen.key)
        if seen.new is None and seen.old is not None:
            self._failures.forget(seen.old["metadata"]["uid"])

    async def _reconcile(self, key: Key) -> float | None:
        job, now = self._world.cache.get(key), self._world.clock()
        if job is None or is_leaving(job):
            return None
        if (left := expiry_s(job, now)) is not None:
            if left > 0:
                return left
            await self._expire(key, job)
            return None
        if not part(job, "spec").get("selector"):
            await self._world.store.patch(key, lambda live: _with_selector(live, job["metadata"]["uid"]))
        group = self._world.pods.of(job["metadata"]["uid"])
        doubt_s = await self._world.writer.doubt(group)
        over = bool(job_verdict(job, group.tally, now).end)
        if over or part(job, "spec").get("suspend"):
            await self._world.writer.delete(job, [pod for pod, _ in group.chosen(_is_live)])
            return None
        waits = (await self._fill(job, group, now), doubt_s, deadline_s(job, now))
        return min((each for each in waits if each), default=None)

    async def _expire(self, key: Key, job: Object) -> None:
        try:
            await self._world.store.delete(key, Deletion(uid=job["metadata"]["uid"]))
        except (NotFoundError, StaleError):
            return

    async def _fill(self, job: Object, group: Group, now: float) -> float | None:
        """Make the number of running Pods right; how long to wait before failed ones are replaced."""
        numbers, uid = _numbers(job, group), job["metadata"]["uid"]
        if numbers.live > numbers.wanted:
            whose = WorkloadKey(job["metadata"]["namespace"], job["metadata"]["name"])
            live, count = list(group.chosen(_is_live)), numbers.live - numbers.wanted
            going, reasons = surplus(live, count, whose, self._world.removals, whole=True)
            await self._world.writer.delete(job, going, reasons)
        if numbers.live >= numbers.wanted:
            return None
        failed = {pod["metadata"]["uid"] for pod, facts in group.chosen(_has_failed)}
        self._failures.note(uid, failed, now)
        if pause_s := self._failures.pause_s(uid, now):
            return pause_s
        await self._world.writer.create(job, self._pods(job, group, numbers.wanted - numbers.live))
        return None

    def _pods(self, job: Object, group: Group, count: int) -> Iterator[Object]:
        spec, name = part(job, "spec"), job["metadata"]["name"]
        whose = {"job-name": label_value(name), "controller-uid": job["metadata"]["uid"]}
        labels = {**whose, **{f"batch.kubernetes.io/{key}": value for key, value in whose.items()}}
        if spec.get("completionMode") != "Indexed":
            pod = new_pod(job, part(spec, "template"), self._world.cache, labels=labels)
            for _ in range(count):
                yield pod
            return
        free = (each for each in range(number(spec.get("completions"))) if each not in _taken(group))
        for index, _ in zip(free, range(count), strict=False):
            told = {INDEX: str(index)}
            pod = new_pod(
                job,
                part(spec, "template"),
                self._world.cache,
                labels={**labels, **told},
                annotations=told,
                prefix=f"{name}-{index}-",
            )
            yield _with_index(pod, index)


def _with_selector(live: Object, uid: str) -> Object:
    """The Job with the selector that Kubernetes gives it: `kubectl logs job/NAME` finds its Pods by that."""
    if live["metadata"]["uid"] == uid and not part(live, "spec").get("selector"):
        live["spec"] = {**live["spec"], "selector": {"matchLabels": {CONTROLLER_UID: uid}}}
    return live


def _numbers(job: Object, group: Group) -> _Numbers:
    """At most the completions that are left; a Job that works off a queue starts none once one has succeeded."""
    spec, live = part(job, "spec"), group.tally.live
    parallel, done = number(spec.get("parallelism"), 1), group.tally.state(PodState.SUCCEEDED)
    completions = spec.get("completions")
    if completions is None:
        return _Numbers(min(parallel, live) if done else parallel, live)
    return _Numbers(max(0, min(parallel, number(completions) - done)), live)


def _taken(group: Group) -> set[int]:
    """The indexes that are done or being worked on."""
    kept = group.chosen(lambda facts: facts.live or facts.state is PodState.SUCCEEDED)
    told = (part(pod, "metadata", "annotations").get(INDEX, "") for pod, _ in kept)
    return {int(each) for each in told if each.isdigit()}


def _with_index(pod: Object, index: int) -> Object:
    """Tell every container which part of the work is its own."""
    variable: dict[str, Any] = {"name": "JOB_COMPLETION_INDEX", "value": str(index)}
    for container in pod["spec"].get("containers", ()):
        container["env"] = [*(container.get("env") or ()), variable]
    return pod


def _is_live(facts: PodFacts) -> bool:
    return facts.live


def _has_failed(facts: PodFacts) -> bool:
    return facts.state is PodState.FAILED

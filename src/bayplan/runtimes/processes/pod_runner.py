"""One Pod that is bound to this worker: its containers from start to end, and what is told about them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import moment_text
from bayplan.runtimes.processes.container_runner import ContainerRunner
from bayplan.runtimes.processes.pod_status import FAILED, conditions_of, phase_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.control.store import Object
    from bayplan.runtimes.processes.host import Host

REMOVED_GRACE_S = 2.0
"""For Pods that were removed by force: the user does not want to wait."""

_log = logging.getLogger("bayplan.worker")


class PodRunner:
    """Runs the containers of one Pod; `gone` is set when nothing of a Pod that is being deleted runs any more."""

    def __init__(self, pod: Object, host: Host) -> None:
        self.pod, self._host = pod, host
        self.uid: str = pod["metadata"]["uid"]
        spec, old = pod["spec"], pod.get("status") or {}
        policy = str(spec.get("restartPolicy") or "Always")
        first = spec.get("initContainers") or ()
        self._first = [self._runner(each, "initContainerStatuses", _first_policy(each, policy)) for each in first]
        self._sidecars = [runner for runner, each in zip(self._first, first, strict=True) if _is_sidecar(each)]
        self._main = [self._runner(each, "containerStatuses", policy) for each in spec.get("containers") or ()]
        self._began_s = host.clock()
        self._start_time = old.get("startTime") or moment_text(self._began_s)
        self._conditions: list[Any] = list(old.get("conditions") or ())
        self._verdict = ("", "")  # the reason and the message with which the whole Pod failed
        self._task: asyncio.Task[None] | None = None
        self._stopped = self._over = False
        self.gone = False

    def start(self, after: Iterable[asyncio.Task[None]] = ()) -> None:
        """Start its containers, once these tasks are done."""
        self._task = asyncio.create_task(self._run(tuple(after)), name=f"pod {self.uid}")
        self._task.add_done_callback(_report)

    def update(self, pod: Object) -> None:
        """A newer document of the same Pod: all that counts is whether it is being deleted, and how fast."""
        self.pod = pod
        metadata = pod["metadata"]
        if "deletionTimestamp" in metadata:
            self.stop(float(metadata.get("deletionGracePeriodSeconds") or 0))

    def stop(self, grace_s: float, *, interrupted: bool = False) -> None:
        """End all containers; a shorter grace than before counts."""
        for each in self.containers:
            each.stop(grace_s, interrupted=interrupted)
        if not self._stopped:
            self._stopped = True
            self._host.tell(self.pod, "Normal", "Killing", "Stopping its containers")

    @property
    def containers(self) -> tuple[ContainerRunner, ...]:
        return (*self._first, *self._main)

    @property
    def deleting(self) -> bool:
        return "deletionTimestamp" in self.pod["metadata"]

    async def ended(self) -> None:
        """Until nothing of it runs any more."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def container(self, name: str) -> ContainerRunner | None:
        return next((each for each in self.containers if each.name == name), None)

    @property
    def endpoint(self) -> str:
        """The URL of its first port; empty where it has none."""
        ports = [each.launch.port for each in self._main if each.launch is not None and each.launch.port]
        host = self._host.machine.address
        return f"http://{f'[{host}]' if ':' in host else host}:{ports[0]}" if ports else ""

    def status(self) -> dict[str, Any]:
        """What is told to the server; it replaces the parts of the status that it names."""
        reason, message = self._verdict if self._over else ("", "")
        first = [each for each in self._first if each not in self._sidecars]
        phase = FAILED if reason else phase_of(first, self._main)
        main = [*self._sidecars, *self._main]
        self._conditions = conditions_of(first, main, phase, self._conditions, self._host.clock())
        address = self._host.machine.address
        status: dict[str, Any] = {
            "phase": phase,
            "conditions": self._conditions,
            "hostIP": address,
            "podIP": address,
            "podIPs": [{"ip": address}],
            "startTime": self._start_time,
            "containerStatuses": [each.status.document() for each in self._main],
        }
        if self._first:
            status["initContainerStatuses"] = [each.status.document() for each in self._first]
        if reason:
            status |= {"reason": reason, "message": message}
        return status

    async def _run(self, after: tuple[asyncio.Task[None], ...]) -> None:
        deadline = self._deadline()
        if after:
            await asyncio.wait(after)
        sidecars: list[asyncio.Task[None]] = []
        try:
            if await self._prepared(sidecars):
                await asyncio.gather(*(each.run() for each in self._main))
        finally:
            for each in self._sidecars:
                each.stop(self._grace_s)
            await asyncio.gather(*sidecars)
            if deadline is not None:
                deadline.cancel()
            self._over = True
            self.gone = self.deleting
            self._host.changed(self.uid)

    async def _prepared(self, sidecars: list[asyncio.Task[None]]) -> bool:
        """Run the init containers one after the other; those that are sidecars go on beside the others."""
        for each in self._first:
            if each in self._sidecars:
                sidecars.append(asyncio.create_task(each.run()))
                await each.begun.wait()
                continue
            await each.run()
            if not each.succeeded:
                return False
        return not self._stopped

    @property
    def _grace_s(self) -> float:
        return float(self.pod["spec"].get("terminationGracePeriodSeconds") or 30)

    def _deadline(self) -> asyncio.TimerHandle | None:
        """`activeDeadlineSeconds`: a Pod that runs longer has failed."""
        seconds = self.pod["spec"].get("activeDeadlineSeconds")
        if seconds is None:
            return None

        def expire() -> None:
            self._verdict = ("DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
            self.stop(self._grace_s)

        return asyncio.get_running_loop().call_later(float(seconds), expire)

    def _runner(self, container: Object, statuses: str, policy: str) -> ContainerRunner:
        listed = (self.pod.get("status") or {}).get(statuses) or ()
        before = next((each for each in listed if each.get("name") == container.get("name")), None)
        return ContainerRunner(self.pod, container, self._host, before, policy)


def _is_sidecar(container: Object) -> bool:
    return container.get("restartPolicy") == "Always"


def _first_policy(container: Object, policy: str) -> str:
    """An init container ends before the next begins, so that Always means until it succeeds."""
    if _is_sidecar(container):
        return "Always"
    return "OnFailure" if policy == "Always" else policy


def _report(task: asyncio.Task[None]) -> None:
    """Log an error that should not have happened: no caller waits for this task."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("%s: %s", task.get_name(), type(error).__name__, exc_info=error)

"""One container of a Pod: started, watched, and started again as its Pod says."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import seconds_of
from bayplan.runtimes.processes.backoff import Backoff
from bayplan.runtimes.processes.container_state import ContainerStatus, Running, Terminated, Waiting, terminated
from bayplan.runtimes.processes.health import Health
from bayplan.runtimes.processes.launch import LaunchError, launch_of
from bayplan.runtimes.processes.replica_process import ReplicaProcess, StartError

if TYPE_CHECKING:
    from typing import Literal

    from bayplan.control.store import Object
    from bayplan.runtimes.processes.host import Host
    from bayplan.runtimes.processes.launch import Launch

INTERRUPTED = "WorkerStopped"
_KEPT_RUNS = 2  # logs of this run and the one before, as kubectl logs --previous shows


class ContainerRunner:
    """Runs one container until it has ended for good or is stopped."""

    def __init__(self, pod: Object, container: Object, host: Host, before: Object | None, policy: str) -> None:
        self._pod, self._container, self._host, self._policy = pod, container, host, policy
        self._uid: str = pod["metadata"]["uid"]
        self._grace_s = float(pod["spec"].get("terminationGracePeriodSeconds") or 30)
        self._backoff = Backoff(first_s=host.first_pause_s, free=1)
        self._process: ReplicaProcess | None = None
        self._stopping = asyncio.Event()
        self.begun = asyncio.Event()
        """Set when it has started, or never will."""
        self._death = ""
        self._was_ready = False
        self._interrupted = False
        self.launch: Launch | None = None
        self.status = _status_before(container, before)
        self._ran = self.status.last is not None

    @property
    def name(self) -> str:
        return self.status.name

    @property
    def run_number(self) -> int:
        """The number of the latest run: the log of that name is its log."""
        return self.status.restarts

    @property
    def over(self) -> bool:
        """Whether it has ended and is not to be started again."""
        return isinstance(self.status.state, Terminated) and not self._restarts(self.status.state.code)

    @property
    def succeeded(self) -> bool:
        """Whether it has ended well."""
        return isinstance(self.status.state, Terminated) and self.status.state.code == 0

    async def run(self) -> None:
        """Until it is over or stopped; a command that cannot be started is tried again later."""
        while not self._stopping.is_set():
            process = await self._started()
            if process is not None:
                await self._watched(process)
                if self._stopping.is_set() or self.over:
                    return
            await self._pause()

    def stop(self, grace_s: float, *, interrupted: bool = False) -> None:
        """Ask it to end; `run` returns when it has. What is only interrupted will be started again."""
        self._interrupted = interrupted and not self._stopping.is_set()
        self._stopping.set()
        self.begun.set()
        self._grace_s = grace_s
        if self._process is not None:
            self._process.stop(grace_s)

    async def _started(self) -> ReplicaProcess | None:
        try:
            self.launch = await self._prepared()
            number = self.status.restarts + self._ran
            log = self._host.log(self._uid, self.name, number)
            process = await ReplicaProcess.start(self.launch, log, self._host.lock, self._host.logs)
        except LaunchError as error:
            self._wait(error.reason, error.message)
            self._say("Warning", "Failed", f"Error: {error.message}")
            return None
        except (StartError, OSError) as error:
            message = f"{error}; install it, or change the command{self._of_backend()}"
            self._wait("CreateContainerError", message)
            self._say("Warning", "Failed", f"Error: {message}")
            return None
        self._process, self._death = process, ""
        self.status.restarts, self._ran = number, True
        if self._stopping.is_set():
            process.stop(self._grace_s)
        self.status.state = Running(process.began_s, process.pid)
        self._changed()
        self._say("Normal", "Started", f"Started container {self.name}")
        return process

    async def _prepared(self) -> Launch:
        """The ports of an earlier run that was ready are kept, so that clients find it again."""
        given = await self._host.given(self._pod, self.name)
        machine = self._host.machine
        if self._was_ready and self.launch is not None:
            kept = [each for each in (self.launch.port, self.launch.grpc_port) if each is not None]
            free_port = machine.free_port
            machine = replace(machine, free_port=lambda: kept.pop(0) if kept else free_port())
        scratch = self._host.pod_folder(self._uid) / self.name / "work"
        return launch_of(self._pod, self._container, machine, scratch, given)

    def _of_backend(self) -> str:
        return "" if self._container.get("command") else " of the backend in the file of --backends"

    async def _watched(self, process: ReplicaProcess) -> None:
        assert self.launch is not None  # noqa: S101 (it was started with it)
        health = Health(self._container, self.launch, self._host.machine.address, self._host.prober)
        watch = asyncio.create_task(health.watch(self))
        try:
            ended = await process.ended()
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
        self._process = None
        self.status.state = terminated(ended, self._death)
        if self._interrupted:
            self.status.last = self.status.state
            self.status.state = Waiting(INTERRUPTED, "the worker was stopped; when it runs again, so does this")
        self.status.ready = self.status.started = False
        self._changed()
        self._forget_old_runs()

    async def _pause(self) -> None:
        """Wait before the next start; the first one after an end comes at once, as with the kubelet."""
        last = self.status.state if isinstance(self.status.state, Terminated) else None
        if last is None:  # it was not started at all: what is missing will not come in a moment
            pause_s = max(self._host.first_pause_s, self._backoff.pause_s())
        else:
            self.status.last = last
            pause_s = self._backoff.pause_s(last.at_s - last.began_s)
            if pause_s:
                self._wait("CrashLoopBackOff", f"back-off {pause_s:g}s restarting failed container={self.name}")
                self._say("Warning", "BackOff", f"Back-off restarting failed container {self.name}")
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), pause_s)

    def _restarts(self, code: int) -> bool:
        return self._policy == "Always" or (self._policy == "OnFailure" and code != 0)

    def _wait(self, reason: str, message: str) -> None:
        self.status.state = Waiting(reason, message)
        self._changed()

    def is_started(self) -> None:
        """Told by the probes."""
        self.status.started = True
        self.begun.set()
        self._changed()

    def is_ready(self, problem: str) -> None:
        """Told by the probes; `problem` is empty where it is ready."""
        self.status.ready = not problem
        self._was_ready = self._was_ready or not problem
        if problem:
            self._say("Warning", "Unhealthy", f"Readiness probe failed: {problem}")
        self._changed()

    def is_dead(self, problem: str) -> None:
        """Told by the probes: end it, so that it is started again."""
        self._death = f"liveness probe failed: {problem}"
        self._say("Warning", "Unhealthy", f"Liveness probe failed: {problem}")
        self._say("Normal", "Killing", f"Container {self.name} failed liveness probe, will be restarted")
        if self._process is not None:
            self._process.stop(self._grace_s)

    def _changed(self) -> None:
        self._host.changed(self._uid)

    def _say(self, kind: Literal["Normal", "Warning"], reason: str, message: str) -> None:
        self._host.tell(self._pod, kind, reason, message)

    def _forget_old_runs(self) -> None:
        for path in self._host.log(self._uid, self.name, 0).parent.glob("*.log*"):
            number = path.name.partition(".")[0]
            if number.isdigit() and int(number) <= self.run_number - _KEPT_RUNS:
                path.unlink(missing_ok=True)


def _status_before(container: Object, before: Object | None) -> ContainerStatus:
    """The status of a container that an earlier worker may have started: its restarts go on from there."""
    status = ContainerStatus(str(container.get("name", "")), str(container.get("image", "")), Waiting())
    if not before:
        return status
    status.restarts = int(before.get("restartCount") or 0)
    state: dict[str, Any] = before.get("state") or {}
    status.last = before.get("lastState") or None
    if "running" in state:
        began_s = seconds_of(state["running"].get("startedAt")) or 0.0
        status.last = Terminated(255, 0, "WorkerLost", began_s, began_s, "the worker ended while it ran")
    elif "terminated" in state:
        status.last = {"terminated": state["terminated"]}
    return status

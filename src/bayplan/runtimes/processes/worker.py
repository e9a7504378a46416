"""The worker: registers its Node, beats, watches its Pods, runs them, and reports."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import SYSTEM_CLOCK
from bayplan.framework.errors import BayplanError
from bayplan.runtimes.processes.backends import Backends
from bayplan.runtimes.processes.backoff import FIRST_S, Backoff, jittered
from bayplan.runtimes.processes.container_state import Running
from bayplan.runtimes.processes.devices import cards_of
from bayplan.runtimes.processes.environment import names_objects
from bayplan.runtimes.processes.host import Host, Ports
from bayplan.runtimes.processes.launch import LaunchError, Machine
from bayplan.runtimes.processes.log_server import LogServer
from bayplan.runtimes.processes.measuring import Measuring
from bayplan.runtimes.processes.pod_runner import REMOVED_GRACE_S, PodRunner
from bayplan.runtimes.processes.pod_watch import PodWatch
from bayplan.runtimes.processes.probes import Prober
from bayplan.runtimes.processes.replica_process import LogLimits
from bayplan.runtimes.processes.reporter import Reporter
from bayplan.runtimes.processes.server_link import AwayError, RefusedError, ServerLink
from bayplan.runtimes.servers.agent import ServerAgent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bayplan.control.store import Object
    from bayplan.runtimes.processes.certificate import Certificate
    from bayplan.runtimes.processes.folder import WorkerFolder
    from bayplan.runtimes.processes.server_link import Address

LOOPBACK = "127.0.0.1"
HEARTBEAT_S = 10.0
_ENDED = ("Succeeded", "Failed")
_STOP_S = 5.0  # that replicas have to end when the worker is stopped, unless their Pod says less
_LAST_WORD_S = 3.0
_GONE, _CONFLICT, _UNKNOWN = 410, 409, 404

_log = logging.getLogger("bayplan.worker")


class RemovedError(BayplanError):
    """The Node of this worker was deleted, or another worker has its name: it must end."""

    code = "removed"


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker is started; `node` is the Node that describes it."""

    name: str
    node: Object
    address: str = LOOPBACK
    real_cards: bool = False
    """Whether its cards are those of this machine, and can be measured."""
    backends: Backends = field(default_factory=Backends)
    heartbeat_s: float = HEARTBEAT_S
    first_pause_s: float = FIRST_S
    logs: LogLimits = field(default_factory=LogLimits)

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches its replicas and logs."""
        return ipaddress.ip_address(self.address).is_loopback


class Worker:
    """One worker of a machine, from its registration until it is stopped."""

    def __init__(self, options: WorkerOptions, folder: WorkerFolder, locate: Callable[[], Address]) -> None:
        self._options, self._folder = options, folder
        self._identity = folder.identity
        self._secret = secrets.token_urlsafe(32)
        self._link = ServerLink(options.name, locate)
        self._runners: dict[str, PodRunner] = {}
        self._reporter = Reporter(self._link, self._runners, self._forget)
        self._servers = ServerAgent(self._link, self._runners, options.address, self._reporter.tell)
        self._prober = Prober(options.address)
        self._measuring = Measuring(cards=options.real_cards)
        self._certificate = None if options.is_local else _certificate(options)
        self._logs = LogServer(
            folder.path / "pods", self._secret, self._is_running, SYSTEM_CLOCK, options.address, self._certificate
        )
        self._leaving: dict[asyncio.Task[None], PodRunner] = {}
        self._ready: Callable[[], None] | None = None
        self._mig = self._measuring.mig
        machine = Machine(options.name, options.address, options.backends, Ports(options.address).free, self._mig)
        self._host = Host(
            machine, folder.path, self._prober, self._given, self._reporter.tell, self._changed,
            logs=options.logs, first_pause_s=options.first_pause_s,
        )  # fmt: skip

    async def run(self, stop: asyncio.Event, ready: Callable[[], None]) -> None:
        """Until `stop`; RemovedError where the server no longer wants this worker."""
        await self._folder.replicas_ended()
        self._ready = ready
        logs = asyncio.create_task(self._logs.run())
        try:
            await self._register(stop)
            await self._work(stop)
        finally:
            await self._stop()
            self._logs.stop()
            await logs

    async def _work(self, stop: asyncio.Event) -> None:
        watch = PodWatch(self._link, self._whole, self._seen, self._removed)
        works = (
            stop.wait(),
            self._beat(),
            watch.run(),
            self._reporter.run(),
            self._measuring.run(),
            self._servers.run(),
        )
        tasks = [asyncio.create_task(each) for each in works]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for each in tasks:
            each.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result

    async def _register(self, stop: asyncio.Event) -> None:
        """Make or take over the Node; a server that is away is waited for."""
        backoff = Backoff(0.5, 10.0)
        while not stop.is_set():
            try:
                await self._link.register({"id": self._identity, "node": self._options.node})
            except AwayError as error:
                _log.warning("%s; the worker waits for it", error)
                await asyncio.sleep(jittered(backoff.pause_s()))
            else:
                return

    async def _beat(self) -> None:
        while True:
            try:
                answer = await self._link.heartbeat(self._beat_body() | {"measurements": await self._measuring.read()})
                if answer.get("resync"):
                    self._reporter.resync()
            except AwayError as error:
                _log.debug("the heartbeat was not heard: %s", error)
            except RefusedError as error:
                if error.status in (_GONE, _CONFLICT):
                    raise RemovedError(error.message, place=f"worker {self._options.name}") from None
                if error.status == _UNKNOWN:
                    await self._register(asyncio.Event())
                else:
                    _log.warning("the heartbeat was refused: %s", error)
            await asyncio.sleep(jittered(self._options.heartbeat_s))

    def _beat_body(self, *, leaving: bool = False) -> dict[str, Any]:
        body = {"id": self._identity, "address": self._logs.url, "secret": self._secret, "leaving": leaving}
        if self._certificate is not None:
            body["certificate"] = self._certificate.certificate
        return body

    def _changed(self, uid: str) -> None:
        self._reporter.changed(uid)
        self._servers.changed(uid)

    def _is_running(self, uid: str, container: str) -> bool:
        runner = self._runners.get(uid)
        found = None if runner is None else runner.container(container)
        return found is not None and isinstance(found.status.state, Running)

    async def _given(self, pod: Object, container: str) -> Mapping[str, str]:
        """Asked only where a Pod names ConfigMaps or Secrets, because the server may be away."""
        if not names_objects(pod):
            return {}
        try:
            found = await self._link.environment(pod)
        except BayplanError as error:
            raise LaunchError("CreateContainerConfigError", f"its variables cannot be read: {error}") from None
        if missing := found["missing"].get(container):
            raise LaunchError("CreateContainerConfigError", f"{'; '.join(missing)}; create it, or mark it as optional")
        values: Mapping[str, str] = found["containers"].get(container, {})
        return values

    def _whole(self, pods: list[Object]) -> None:
        """A list: what is not in it is gone."""
        found = {each["metadata"]["uid"] for each in pods}
        for uid in [each for each in self._runners if each not in found]:
            self._removed(self._runners[uid].pod)
        self._folder.sweep(found)
        for each in pods:
            self._seen(each)
        if self._ready is not None:
            self._ready()
            self._ready = None

    def _seen(self, pod: Object) -> None:
        uid = pod["metadata"]["uid"]
        if (runner := self._runners.get(uid)) is not None:
            runner.update(pod)
            self._servers.changed(uid)
            return
        if (pod.get("status") or {}).get("phase") in _ENDED and "deletionTimestamp" not in pod["metadata"]:
            return
        runner = self._runners[uid] = PodRunner(pod, self._host)
        self._servers.seen(pod)
        if runner.deleting:
            runner.gone = True  # of an earlier worker: nothing of it is left
            self._reporter.changed(uid)
        else:
            runner.start(self._in_the_way(pod))

    def _in_the_way(self, pod: Object) -> list[asyncio.Task[None]]:
        """Pods that were removed by force and are still ending, on cards that this one gets."""
        cards = cards_of(pod)
        return [task for task, each in self._leaving.items() if cards & cards_of(each.pod)]

    def _removed(self, pod: Object) -> None:
        uid = pod["metadata"]["uid"]
        if (runner := self._runners.get(uid)) is not None:
            runner.stop(REMOVED_GRACE_S)
            self._forget(uid)

    def _forget(self, uid: str) -> None:
        """The server no longer has a Pod; its files go when its replica is gone."""
        runner = self._runners.pop(uid, None)
        self._reporter.forget(uid)
        self._servers.forget(uid)
        if runner is not None:
            task = asyncio.create_task(self._clear(runner))
            self._leaving[task] = runner
            task.add_done_callback(self._leaving.pop)

    async def _clear(self, runner: PodRunner) -> None:
        await runner.ended()
        self._folder.forget(runner.uid)
        if self._mig is not None:
            self._mig.give_back(runner.uid)

    async def _stop(self) -> None:
        """End all replicas, and say so where the server listens; the objects stay."""
        for each in self._runners.values():
            grace_s = float(each.pod["spec"].get("terminationGracePeriodSeconds") or 30)
            each.stop(min(grace_s, _STOP_S), interrupted=True)
        await _last_word(self._servers.close())
        await _last_word(self._link.heartbeat(self._beat_body(leaving=True)))
        await asyncio.gather(*(each.ended() for each in self._runners.values()))
        await asyncio.gather(*self._leaving)
        await _last_word(self._reporter.flush())
        await self._prober.close()
        await self._link.close()


async def _last_word(told: Awaitable[object]) -> None:
    """Tell the server something before the end; it is not waited for long."""
    try:
        async with asyncio.timeout(_LAST_WORD_S):
            await told
    except (BayplanError, TimeoutError) as error:
        _log.debug("the server does not hear that this worker stops: %s", error)


def _certificate(options: WorkerOptions) -> Certificate:
    from bayplan.runtimes.processes.certificate import new_certificate  # noqa: PLC0415 (it is large and seldom needed)

    return new_certificate(options.name, options.address)

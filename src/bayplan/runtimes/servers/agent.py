"""The agent of a worker: the servers of many models that run here do what their ServerReplicas say."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from bayplan.manifests.marks import SERVER
from bayplan.runtimes.processes.backoff import Backoff, jittered
from bayplan.runtimes.processes.server_link import AwayError, RefusedError
from bayplan.runtimes.servers.model_wakeups import ModelWakeups
from bayplan.runtimes.servers.replica_agent import ReplicaAgent
from bayplan.runtimes.servers.server_process import server_process
from bayplan.runtimes.servers.status_reports import StatusReports

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Object
    from bayplan.runtimes.processes.host import Tell
    from bayplan.runtimes.processes.pod_runner import PodRunner
    from bayplan.runtimes.processes.server_link import ServerLink
    from bayplan.runtimes.servers.patience import Patience

    Place = tuple[str, str]
    """A namespace and a name."""

MEASURED_EVERY_S = 15.0

_log = logging.getLogger("bayplan.worker")


class ServerAgent:
    """Idle until the worker gets a Pod with the label of a Server; `runners` are those of all its Pods by uid."""

    def __init__(
        self,
        link: ServerLink,
        runners: Mapping[str, PodRunner],
        host: str,
        tell: Tell,
        patience: Patience | None = None,
    ) -> None:
        self._link, self._runners, self._host, self._tell, self._patience = link, runners, host, tell, patience
        self._pods: dict[str, Place] = {}
        self._agents: dict[Place, ReplicaAgent] = {}
        self._reports = StatusReports(link)
        self._wakeups: ModelWakeups | None = None
        self._pods_changed = asyncio.Event()
        self._backoff = Backoff(0.5, 10.0)

    # what the worker tells

    def seen(self, pod: Object) -> None:
        """The worker has a Pod; those of Servers are noted."""
        metadata = pod["metadata"]
        if SERVER in (metadata.get("labels") or {}) and metadata["uid"] not in self._pods:
            self._pods[metadata["uid"]] = (metadata["namespace"], metadata["name"])
            self._pods_changed.set()

    def changed(self, uid: str) -> None:
        """Something about a Pod has changed, such as that it is ready."""
        if (place := self._pods.get(uid)) is not None:
            for agent in self._agents.values():
                if _pod_of(agent.document) == place:
                    self._connect(agent)

    def forget(self, uid: str) -> None:
        """The worker has a Pod no longer."""
        if self._pods.get(uid) is not None:
            self.changed(uid)
            del self._pods[uid]
            self._pods_changed.set()

    # its life

    async def run(self) -> None:
        """Until it is cancelled."""
        await self._pods_changed.wait()
        self._wakeups = ModelWakeups(self._host, lambda *place: self._agents.get(place))
        works = (self._wakeups.run(), self._reports.run(), self._follow(), self._measure())
        try:
            async with asyncio.TaskGroup() as group:
                for each in works:
                    group.create_task(each)
        finally:
            self._wakeups.stop()

    async def close(self) -> None:
        """Tell that the servers answer no longer, because the worker stops."""
        agents = list(self._agents.values())
        for each in agents:
            each.runs_in(None)
        await asyncio.gather(*(each.close() for each in agents))
        await self._reports.flush()

    async def _follow(self) -> None:
        """Follow the ServerReplicas while there are Pods of Servers; begin anew when another Pod comes or goes."""
        while True:
            self._pods_changed.clear()
            if not self._pods:
                self._whole([])
                await self._pods_changed.wait()
                continue
            reading = asyncio.create_task(self._read())
            waiting = asyncio.create_task(self._pods_changed.wait())
            try:
                await asyncio.wait((reading, waiting), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in (reading, waiting):
                    each.cancel()
                await asyncio.gather(reading, waiting, return_exceptions=True)
            if not reading.cancelled() and (error := reading.exception()) is not None:
                if not isinstance(error, AwayError | RefusedError):
                    raise error
                _log.debug("the servers of this worker cannot be followed: %s", error)
                await asyncio.sleep(jittered(self._backoff.pause_s()))

    async def _read(self) -> None:
        async for event in self._link.server_replicas():
            self._backoff.reset()
            if event["type"] == "LIST":
                self._whole(event["items"])
            elif event["type"] == "CHANGED":
                self._take(event["object"])
            elif event["type"] == "DELETED":
                self._drop(_place(event["object"]))

    def _whole(self, replicas: list[Object]) -> None:
        """A list: what is not in it is gone."""
        found = {_place(each) for each in replicas}
        for place in [each for each in self._agents if each not in found]:
            self._drop(place)
        for each in replicas:
            self._take(each)

    def _take(self, replica: Object) -> None:
        place = _place(replica)
        agent = self._agents.get(place)
        if agent is not None and agent.document["metadata"]["uid"] != replica["metadata"]["uid"]:
            self._drop(place)
            agent = None
        if agent is None:
            assert self._wakeups is not None  # noqa: S101 (it is made before anything is read)
            url = self._wakeups.url(*place)
            agent = ReplicaAgent(replica, url, self._reports.changed, self._failed, self._patience)
            self._agents[place] = agent
            self._reports.changed(agent)
        else:
            agent.update(replica)
        self._connect(agent)

    def _drop(self, place: Place) -> None:
        if (agent := self._agents.pop(place, None)) is not None:
            self._reports.forget(agent)
            self._reports.keep(asyncio.create_task(agent.close()))

    def _runner(self, agent: ReplicaAgent) -> PodRunner | None:
        wanted = _pod_of(agent.document)
        uid = next((uid for uid, place in self._pods.items() if place == wanted and uid in self._runners), None)
        return None if uid is None else self._runners[uid]

    def _failed(self, agent: ReplicaAgent, message: str) -> None:
        if (runner := self._runner(agent)) is not None:
            self._tell(runner.pod, "Warning", "ModelFailed", message)

    def _connect(self, agent: ReplicaAgent) -> None:
        """Tell an agent the server that runs in its Pod, if one does."""
        runner = self._runner(agent)
        agent.runs_in(None if runner is None or runner.deleting else server_process(runner, self._host))

    async def _measure(self) -> None:
        """Report how much memory the servers use, where that has changed."""
        while True:
            await asyncio.sleep(MEASURED_EVERY_S)
            for each in self._agents.values():
                self._reports.changed(each)


def _place(document: Object) -> Place:
    return document["metadata"]["namespace"], document["metadata"]["name"]


def _pod_of(replica: Object) -> Any:
    return replica["metadata"]["namespace"], replica["spec"].get("pod")

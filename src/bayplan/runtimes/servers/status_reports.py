"""What is told to the server about ServerReplicas: what changed since it last heard of them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from bayplan.runtimes.processes.backoff import Backoff, jittered
from bayplan.runtimes.processes.server_link import AwayError, RefusedError

if TYPE_CHECKING:
    from bayplan.runtimes.processes.server_link import ServerLink
    from bayplan.runtimes.servers.replica_agent import ReplicaAgent

_TOGETHER_S = 0.02  # changes within this time share a request
_LEAST_MIB, _LEAST_SHARE = 16, 0.05
"""A process always uses a little more or less; a change of less than this, and of this part of it, is not told."""

_log = logging.getLogger("bayplan.worker")


class StatusReports:
    """Sends statuses until they are heard; nothing is sent twice."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link
        self._dirty: dict[ReplicaAgent, None] = {}
        self._heard: dict[ReplicaAgent, dict[str, Any]] = {}
        self._wakes = asyncio.Event()
        self._backoff = Backoff(0.5, 10.0)
        self._kept: set[asyncio.Task[None]] = set()

    def changed(self, agent: ReplicaAgent) -> None:
        """A server replica is worth a look."""
        self._dirty[agent] = None
        self._wakes.set()

    def forget(self, agent: ReplicaAgent) -> None:
        self._dirty.pop(agent, None)
        self._heard.pop(agent, None)

    def keep(self, task: asyncio.Task[None]) -> None:
        """Hold a task that nothing else holds until it is done."""
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._wakes.wait()
            await asyncio.sleep(_TOGETHER_S)
            self._wakes.clear()
            try:
                await self.flush()
                self._backoff.reset()
            except (AwayError, RefusedError) as error:
                _log.debug("the report about servers waits: %s", error)
                await asyncio.sleep(jittered(self._backoff.pause_s()))
                self._wakes.set()

    async def flush(self) -> None:
        """Send everything that the server has not heard yet."""
        sent = [(agent, status) for agent in self._dirty if (status := self._news(agent)) is not None]
        self._dirty.clear()
        if not sent:
            return
        try:
            answer = await self._link.report_servers({"replicas": [_entry(*each) for each in sent]})
        except BaseException:
            self._dirty = {agent: None for agent, _ in sent} | self._dirty
            raise
        for (agent, status), result in zip(sent, answer["replicas"], strict=True):
            if "error" in result:
                name = agent.document["metadata"]["name"]
                _log.warning("the status of server replica %s was refused: %s", name, result["error"])
            else:
                self._heard[agent] = status

    def _news(self, agent: ReplicaAgent) -> dict[str, Any] | None:
        """The status, if it says something new."""
        status, heard = agent.status(), self._heard.get(agent)
        if heard is None:
            return status
        now, before = status["usedMib"], heard["usedMib"]
        if now is not None and before is not None and abs(now - before) < max(_LEAST_MIB, _LEAST_SHARE * before):
            status["usedMib"] = before
        return None if status == heard else status


def _entry(agent: ReplicaAgent, status: dict[str, Any]) -> dict[str, Any]:
    metadata = agent.document["metadata"]
    where = {"namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}
    return {**where, "status": status}

"""What a gateway says to the agents of server replicas: load a model back, and which models were used."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

import httpx
import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from bayplan.signals.discovery.model_place import ModelPlace

_log = logging.getLogger("bayplan.gateway")
_TELL_S: Final = 0.5
"""Between two reports of uses: agents evict what was not used for longest, where half a second is nothing."""
_TIMEOUT: Final = httpx.Timeout(5.0, connect=2.0)


class Agents:
    """Calls to agents. Requests for one model on one replica are asked for once, however many wait."""

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s
        self._client = httpx.AsyncClient(trust_env=False, timeout=_TIMEOUT)
        self._waiting: dict[tuple[str, str], list[Callable[[str | None], None]]] = {}
        self._used: dict[str, dict[str, None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._telling: asyncio.TimerHandle | None = None

    def ensure(self, place: ModelPlace, then: Callable[[str | None], None]) -> None:
        """Have a model loaded that may have been evicted; `then` is told None, or why it is not there."""
        key = (place.replica, place.name)
        waiting = self._waiting.get(key)
        if waiting is not None:
            waiting.append(then)
            return
        self._waiting[key] = [then]
        self._run(self._ensure(place, key))

    async def _ensure(self, place: ModelPlace, key: tuple[str, str]) -> None:
        problem: str | None = "the gateway is stopping"
        try:
            problem = await self._asked(place)
        finally:
            for then in self._waiting.pop(key):
                then(problem)

    async def _asked(self, place: ModelPlace) -> str | None:
        if place.agent is None:
            return f"{place.replica} has evicted it, and its agent has no address"
        url = f"{place.agent.rstrip('/')}/models/{place.name}/ensure"
        try:
            answer = await self._client.post(url, timeout=httpx.Timeout(self._longest_s, connect=2.0))
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            return f"the agent of {place.replica} does not answer: {str(problem) or type(problem).__name__}"
        return None if answer.is_success else f"{place.replica} cannot load it: {_said(answer)}"

    def used(self, place: ModelPlace) -> None:
        """A request goes there; agents hear of it soon, the model that was used last at the end."""
        if place.agent is None or not place.may_evict:
            return
        names = self._used.setdefault(place.agent, {})
        names.pop(place.name, None)
        names[place.name] = None
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(_TELL_S, self._tell)

    def _tell(self) -> None:
        self._telling = None
        used, self._used = self._used, {}
        for agent, names in used.items():
            self._run(self._tell_one(agent, list(names)))

    async def _tell_one(self, agent: str, names: list[str]) -> None:
        try:
            await self._client.post(f"{agent.rstrip('/')}/used", content=orjson.dumps({"names": names}))
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            _log.debug("the agent at %s does not hear of uses: %s", agent, problem)

    def _run(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Say nothing more."""
        if self._telling is not None:
            self._telling.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()


def _said(answer: httpx.Response) -> str:
    """The reason in an agent's answer; its status where there is none."""
    try:
        document = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        return answer.text.strip()[:300] or f"status {answer.status_code}"
    reason = document.get("error") or document.get("message") if isinstance(document, dict) else None
    return str(reason)[:300] if reason else f"status {answer.status_code}"

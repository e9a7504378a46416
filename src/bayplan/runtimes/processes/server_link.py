"""The server, as a worker talks to it: registration, heartbeats, the Pods that are bound to it, and reports."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
import orjson

import bayplan
from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from bayplan.control.store import Object

_TIMEOUT = httpx.Timeout(20.0, connect=5.0)
_WATCH_TIMEOUT = httpx.Timeout(20.0, connect=5.0, read=150.0)
"""Bookmarks come once a minute: a watch without any for longer hangs on a server that is gone."""
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is, the certificate authority that it must show, and the worker's token."""

    url: str
    authority: str = ""
    token: str = ""


class AwayError(BayplanError):
    """No server answers, or it cannot at the moment: try again later."""

    code = "no-server"


class RefusedError(BayplanError):
    """The server refuses; `status` is the HTTP status."""

    code = "refused"

    def __init__(self, status: int, message: str, place: str) -> None:
        super().__init__(message, place=place)
        self.status = status


class ServerLink:
    """Requests of one worker. `locate` is asked anew after a failure: a server may come back on another port."""

    def __init__(self, name: str, locate: Callable[[], Address]) -> None:
        self._path = f"/v1/workers/{quote(name, safe='')}"
        self._selector = {"fieldSelector": f"spec.nodeName={name}"}
        self._locate = locate
        self._address: Address | None = None
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
        self._client = self._address = None

    async def register(self, body: Mapping[str, Any]) -> Any:
        return await self._send("POST", self._path, body)

    async def heartbeat(self, body: Mapping[str, Any]) -> Any:
        return await self._send("POST", f"{self._path}/heartbeat", body)

    async def report(self, body: Mapping[str, Any]) -> Any:
        return await self._send("POST", f"{self._path}/pods", body)

    async def environment(self, pod: Object) -> Any:
        """The values of ConfigMaps and Secrets that a Pod names: variables by container, and what is missing."""
        metadata = pod["metadata"]
        query = {"namespace": metadata["namespace"], "pod": metadata["name"]}
        return await self._send("GET", f"{self._path}/environment", query=query)

    async def pods(self) -> tuple[list[Object], str]:
        """The Pods that are bound to this worker, and the revision from which to watch them."""
        items: list[Object] = []
        following = ""
        while True:
            query = self._selector | {"limit": str(_PAGE)} | ({"continue": following} if following else {})
            page = await self._send("GET", "/api/v1/pods", query=query)
            items += page["items"]
            following = page["metadata"].get("continue", "")
            if not following:
                return items, page["metadata"]["resourceVersion"]

    async def changes(self, revision: str) -> AsyncIterator[tuple[str, Object]]:
        """Changes of these Pods after a revision, until the server ends the watch; RefusedError 410 where it cannot."""
        query = self._selector | {"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": revision}
        async for event in self._lines("/api/v1/pods", query):
            if event["type"] == "ERROR":
                status = event["object"]
                raise RefusedError(int(status.get("code") or 500), str(status.get("message")), self._place)
            yield event["type"], event["object"]

    def server_replicas(self) -> AsyncIterator[dict[str, Any]]:
        """The ServerReplicas whose Pods run here: all of them first, then each that changes or is gone."""
        return self._lines(f"{self._path}/serverreplicas", {})

    async def report_servers(self, body: Mapping[str, Any]) -> Any:
        return await self._send("POST", f"{self._path}/serverreplicas", body)

    async def _lines(self, path: str, query: Mapping[str, str]) -> AsyncIterator[dict[str, Any]]:
        """The JSON documents of an endless answer."""
        try:
            async with self._opened().stream("GET", path, params=query, timeout=_WATCH_TIMEOUT) as answer:
                if answer.status_code >= 400:
                    raise await self._refusal(answer)
                async for line in answer.aiter_lines():
                    yield orjson.loads(line)
        except (httpx.HTTPError, OSError, orjson.JSONDecodeError) as error:
            raise await self._lost(error) from None

    async def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, query: Mapping[str, str] | None = None
    ) -> Any:
        content = None if body is None else orjson.dumps(body)
        try:
            answer = await self._opened().request(method, path, content=content, params=query)
            if answer.status_code >= 400:
                raise await self._refusal(answer)
            return orjson.loads(answer.content)
        except (httpx.HTTPError, OSError, orjson.JSONDecodeError) as error:
            raise await self._lost(error) from None

    async def _refusal(self, answer: httpx.Response) -> BayplanError:
        text = await answer.aread()
        try:
            message = str(orjson.loads(text).get("message") or "")
        except (orjson.JSONDecodeError, AttributeError):
            message = ""
        message = message or f"HTTP {answer.status_code}"
        if answer.status_code == 429 or answer.status_code >= 500:
            return AwayError(message, place=self._place)
        return RefusedError(answer.status_code, message, self._place)

    async def _lost(self, error: Exception) -> AwayError:
        lost = AwayError(f"no server answers: {str(error) or type(error).__name__}", place=self._place)
        if self._client is not None and self._found() != self._address:
            await self.close()  # what else runs over it goes to the same dead address
        return lost

    def _found(self) -> Address:
        """Where the server is now; a kubeconfig that cannot be read at the moment may be there again later."""
        try:
            return self._locate()
        except (BayplanError, OSError) as error:
            raise AwayError(str(error), place=self._place) from None

    @property
    def _place(self) -> str:
        return "" if self._address is None else self._address.url

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            address = self._address = self._found()
            headers = {"User-Agent": f"bayplan-worker/{bayplan.__version__}", "Content-Type": "application/json"}
            if address.token:
                headers["Authorization"] = f"Bearer {address.token}"
            trust = ssl.create_default_context(cadata=address.authority or None)
            self._client = httpx.AsyncClient(
                base_url=address.url, headers=headers, verify=trust, trust_env=False, timeout=_TIMEOUT
            )
        return self._client

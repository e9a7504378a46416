"""Objects of a running server, read through its API: for caches of processes beside it, such as gateways."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

import httpx
import orjson

import bayplan
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.store import Change, ChangeType, Page, Stored
from bayplan.control.store_errors import ExpiredError, ForbiddenError, StoreFailedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from bayplan.control.store import Collection
    from bayplan.control.store_errors import StoreError

_TIMEOUT = httpx.Timeout(20.0, connect=5.0)
_WATCH_TIMEOUT = httpx.Timeout(20.0, connect=5.0, read=150.0)
"""Bookmarks come once a minute: a watch without any for longer hangs on a server that is gone."""
_PAGE = 500
_GONE = 410


class ServerObjects:
    """Lists and watches; whatever the server refuses or does not answer is a StoreError, and may be tried again.

    `locate` gives URL, certificate authority (PEM, "" for the authorities that the system trusts) and token. It is
    asked anew after a failure, because a server may come back on another port.
    """

    def __init__(self, locate: Callable[[], tuple[str, str, str]]) -> None:
        self._locate = locate
        self._client: httpx.AsyncClient | None = None
        self._place = ""

    async def close(self) -> None:
        """Give the connections back."""
        if self._client is not None:
            await self._client.aclose()
        self._client = None

    async def list(self, collection: Collection, namespace: str = "") -> Page:
        """All objects of a collection, of a namespace or of all, read in pages of one revision."""
        items: list[Stored] = []
        following = ""
        while True:
            query = {"limit": str(_PAGE)} | ({"continue": following} if following else {})
            page = await self._read(path_of(collection, namespace), query)
            metadata = page["metadata"]
            items += [stored_of(each) for each in page["items"]]
            following = metadata.get("continue", "")
            if not following:
                return Page(tuple(items), int(metadata["resourceVersion"]))

    async def watch_many(self, collection: Collection, *, since: int) -> AsyncIterator[Sequence[Change]]:
        """Every change after a revision; watches that the server ends in order are begun again."""
        while True:
            async for change in self._watch(collection, since):
                since = change.stored.revision
                yield (change,)

    async def _watch(self, collection: Collection, since: int) -> AsyncIterator[Change]:
        query = {"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": str(since)}
        try:
            client = self._opened()
            async with client.stream("GET", path_of(collection), params=query, timeout=_WATCH_TIMEOUT) as answer:
                if answer.is_error:
                    raise refusal_of(answer.status_code, await answer.aread(), self._place)
                async for line in answer.aiter_lines():
                    event = orjson.loads(line)
                    if event["type"] == "ERROR":
                        raise refusal_of(int(event["object"].get("code") or 500), event["object"], self._place)
                    yield Change(ChangeType(event["type"]), stored_of(event["object"]))
        except (httpx.HTTPError, OSError, orjson.JSONDecodeError) as error:
            raise await self._lost(error) from None

    async def _read(self, path: str, query: dict[str, str]) -> Any:
        try:
            answer = await self._opened().get(path, params=query)
            if answer.is_error:
                raise refusal_of(answer.status_code, answer.content, self._place)
            return orjson.loads(answer.content)
        except (httpx.HTTPError, OSError, orjson.JSONDecodeError) as error:
            raise await self._lost(error) from None

    async def _lost(self, error: Exception) -> StoreFailedError:
        lost = StoreFailedError(f"no server answers: {str(error) or type(error).__name__}", place=self._place)
        await self.close()
        return lost

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            url, authority, token = self._locate()
            self._place = url
            headers = {"User-Agent": f"bayplan/{bayplan.__version__}"}
            if token:
                headers["Authorization"] = f"Bearer {token}"
            trust = ssl.create_default_context(cadata=authority or None)
            self._client = httpx.AsyncClient(
                base_url=url, headers=headers, verify=trust, trust_env=False, timeout=_TIMEOUT
            )
        return self._client


def path_of(collection: Collection, namespace: str = "", name: str = "") -> str:
    """The path of a collection, or of one object in it."""
    kind = next(each for each in REGISTRY.kinds if each.collection == collection)
    api = kind.apis[0]
    base = f"/apis/{api.group}/{api.version}" if api.group else f"/api/{api.version}"
    where = f"{base}/namespaces/{namespace}/{kind.plural}" if namespace else f"{base}/{kind.plural}"
    return f"{where}/{name}" if name else where


def stored_of(document: dict[str, Any]) -> Stored:
    """An object as it was answered."""
    return Stored(orjson.dumps(document), int(document["metadata"]["resourceVersion"]))


def refusal_of(status: int, said: bytes | dict[str, Any], place: str) -> StoreError:
    """What the server said, or the number of its answer."""
    try:
        document = orjson.loads(said) if isinstance(said, bytes) else said
        message = str(document["message"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        message = f"HTTP {status}"
    if status == _GONE:
        return ExpiredError(message, place=place)
    if status in (401, 403):
        following = "give a token that may read Pods and InferencePools: bayplan token create NAME --role viewer"
        return ForbiddenError(message, place=place, next=following)
    return StoreFailedError(message, place=place)

"""Objects of a running server, read and changed through its API: for schedulers in processes beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import orjson

from bayplan.control.store_errors import NotFoundError, StaleError
from bayplan.stores.server_objects import ServerObjects, path_of, refusal_of, stored_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.store import Key, Object, Stored

_NOT_FOUND, _CONFLICT = 404, 409
_MOST_TRIES = 100  # a write that loses so often meets a server that never takes it


class ServerWrites(ServerObjects):
    """Get, list and patch as the store port has them; a patch is a read, and a write over what was read."""

    async def get(self, key: Key) -> Stored:
        """One object; NotFoundError where there is none."""
        return await self._ask("GET", key)

    async def patch(
        self, key: Key, change: Callable[[Object], Object], *, subresource: str = "", intact: bool = False
    ) -> Stored:
        """Replace an object by what `change` makes of it; called again on the newer object after a lost race."""
        for _ in range(_MOST_TRIES):
            live = (await self.get(key)).document()
            revision = live["metadata"]["resourceVersion"]
            changed = change(live)
            changed = {**changed, "metadata": {**changed["metadata"], "resourceVersion": revision}}
            try:
                return await self._ask("PUT", key, changed, subresource)
            except StaleError:
                continue
        raise StaleError(f"it changed {_MOST_TRIES} times meanwhile", place=str(key), next="try again later")

    async def _ask(self, method: str, key: Key, body: Object | None = None, subresource: str = "") -> Stored:
        path = path_of(key.collection, key.namespace, key.name) + (f"/{subresource}" if subresource else "")
        content = None if body is None else orjson.dumps(body)
        try:
            answer = await self._opened().request(
                method, path, content=content, headers={"Content-Type": "application/json"}
            )
        except (httpx.HTTPError, OSError, RuntimeError) as error:  # the last: another call has closed the connections
            raise await self._lost(error) from None
        if answer.status_code == _NOT_FOUND:
            raise NotFoundError("there is no such object", place=str(key))
        if answer.status_code == _CONFLICT:
            raise StaleError("it changed meanwhile", place=str(key), next="read it again")
        if answer.is_error:
            raise refusal_of(answer.status_code, answer.content, self._place)
        return stored_of(orjson.loads(answer.content))

"""The model repository extension of the V2 protocol, as MLServer and Triton speak it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

import httpx
import orjson

from bayplan.runtimes.servers.load_errors import LoadError, ServerGoneError

if TYPE_CHECKING:
    from types import TracebackType

_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_LOAD_TIMEOUT = httpx.Timeout(30.0, connect=5.0, read=3600.0)
"""A server answers a load when it is done; large models take their time."""
_MOST_CHARACTERS = 500  # of a reason; MLServer may answer with a whole traceback


class ModelRepository:
    """The repository of one running server."""

    def __init__(self, url: str) -> None:
        self._client = httpx.AsyncClient(base_url=url, trust_env=False, timeout=_TIMEOUT)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._client.aclose()

    async def loaded(self) -> set[str]:
        """The names of the models that are ready to serve."""
        answer = await self._post("/v2/repository/index", {})
        try:
            listed: list[dict[str, Any]] = orjson.loads(answer.content)
            return {str(each["name"]) for each in listed if each.get("state") == "READY"}
        except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError):
            raise LoadError("the server's list of models cannot be read") from None

    async def load(self, name: str) -> None:
        """Until the model serves."""
        await self._post(f"/v2/repository/models/{quote(name, safe='')}/load", {}, _LOAD_TIMEOUT)

    async def unload(self, name: str) -> None:
        """Unload a model; one that the server does not know is none any more."""
        await self._post(f"/v2/repository/models/{quote(name, safe='')}/unload", {}, _LOAD_TIMEOUT, fine=404)

    async def _post(
        self, path: str, body: dict[str, Any], timeout: httpx.Timeout = _TIMEOUT, fine: int = 200
    ) -> httpx.Response:
        try:
            answer = await self._client.post(path, json=body, timeout=timeout)
        except (httpx.HTTPError, OSError) as error:
            raise ServerGoneError(f"the server does not answer: {str(error) or type(error).__name__}") from None
        if answer.status_code >= 400 and answer.status_code != fine:
            raise LoadError(_reason(answer))
        return answer


def _reason(answer: httpx.Response) -> str:
    """What the server says; of a traceback its last line."""
    try:
        said = str(orjson.loads(answer.content)["error"])
    except (orjson.JSONDecodeError, TypeError, KeyError):
        lines = [line for line in answer.text.splitlines() if line.strip()]
        said = lines[-1].strip() if lines else ""
    said = said[:_MOST_CHARACTERS]
    return f"the server refuses: {said}" if said else f"the server refuses with HTTP status {answer.status_code}"

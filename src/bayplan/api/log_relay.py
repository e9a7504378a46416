"""Logs of Pods, fetched from the worker that runs them while the client reads."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import httpx
from starlette.responses import StreamingResponse

from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from bayplan.control.nodes.heartbeats import Beat

_TIMEOUT = httpx.Timeout(10.0, connect=5.0, read=None)  # a log that is followed may pause as long as it likes


async def relay_log(beat: Beat, path: str, query: Mapping[str, str], waiting: str) -> StreamingResponse:
    """The log at a path of a worker; where it has none, a Refusal with the text `waiting`."""
    client = httpx.AsyncClient(
        base_url=beat.address, verify=_trust(beat), trust_env=False, follow_redirects=False, timeout=_TIMEOUT
    )
    request = client.build_request("GET", path, params=dict(query), headers={"Authorization": f"Bearer {beat.secret}"})
    try:
        answer = await client.send(request, stream=True)
    except httpx.HTTPError as error:
        await client.aclose()
        message = f"the worker does not answer at {beat.address}: {str(error) or type(error).__name__}"
        raise Refusal(502, message, "BadGateway") from None
    if answer.status_code != 200:
        code = answer.status_code
        await answer.aclose()
        await client.aclose()
        if code == 404:
            raise Refusal(400, waiting)
        message = f"the worker at {beat.address} refuses with {code}; it was started anew, try again in some seconds"
        raise Refusal(502, message, "BadGateway")
    return StreamingResponse(_pieces(client, answer), media_type="text/plain")


def _trust(beat: Beat) -> ssl.SSLContext | bool:
    """The certificate that the worker told, and no other; the worker's name is not checked, its certificate is."""
    if not beat.certificate:
        return False
    context = ssl.create_default_context(cadata=beat.certificate)
    context.check_hostname = False
    return context


async def _pieces(client: httpx.AsyncClient, answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in answer.aiter_raw():
            yield piece
    except httpx.HTTPError:
        return  # the worker stopped; the client has what there was
    finally:
        await answer.aclose()
        await client.aclose()

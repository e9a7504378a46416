"""Logs that the API fetches from workers."""

import asyncio
import time
from contextlib import asynccontextmanager

import httpx
import pytest

from bayplan.api.log_relay import relay_log
from bayplan.api.status import Refusal
from bayplan.control.nodes.heartbeats import Beat
from bayplan.runtimes.processes.certificate import new_certificate
from bayplan.runtimes.processes.log_server import LogServer

HOST, SECRET = "127.0.0.1", "s3"
PATH = "/pods/uid-1/c/log"


@asynccontextmanager
async def serving(tmp_path, certificate=None):
    """A worker's log server with two runs of one container."""
    folder = tmp_path / "uid-1" / "c"
    folder.mkdir(parents=True, exist_ok=True)
    for run in (9, 10):  # their order is that of numbers, not of texts
        (folder / f"{run}.log").write_bytes(b"2026-01-01T00:00:00.1Z F run %d\n" % run)
    (tmp_path / "secret").write_text("not a log")
    server = LogServer(tmp_path, SECRET, lambda *_: False, time.time, HOST, certificate)
    task = asyncio.create_task(server.run())
    try:
        yield Beat(address=server.url, secret=SECRET, certificate=certificate.certificate if certificate else "")
    finally:
        server.stop()
        await task


async def relayed(beat, path=PATH, **query):
    answer = await relay_log(beat, path, query, "it waits")
    return b"".join([piece async for piece in answer.body_iterator]).decode()


def test_a_log_is_relayed(tmp_path):
    async def talk():
        async with serving(tmp_path) as beat:
            assert await relayed(beat) == "run 10\n"
            assert await relayed(beat, previous="true") == "run 9\n"

    asyncio.run(talk())


def test_with_tls_the_certificate_of_the_heartbeat_is_trusted_and_no_other(tmp_path):
    async def talk():
        async with serving(tmp_path, new_certificate("w", HOST)) as beat:
            assert beat.address.startswith("https://")
            assert await relayed(beat) == "run 10\n"
            other = Beat(address=beat.address, secret=SECRET, certificate=new_certificate("w", HOST).certificate)
            with pytest.raises(Refusal) as caught:
                await relayed(other)
            assert caught.value.code == 502

    asyncio.run(talk())


def test_a_log_that_is_not_there_is_waited_for(tmp_path):
    async def talk():
        async with serving(tmp_path) as beat:
            with pytest.raises(Refusal) as caught:
                await relayed(beat, "/pods/uid-2/c/log")
            assert (caught.value.code, caught.value.message) == (400, "it waits")

    asyncio.run(talk())


def test_a_worker_that_is_gone_is_told(tmp_path):
    async def talk():
        async with serving(tmp_path) as beat:
            pass
        with pytest.raises(Refusal) as caught:
            await relayed(beat)
        assert caught.value.code == 502
        assert "does not answer" in caught.value.message

    asyncio.run(talk())


ASKED = {
    "without the secret": (PATH, "Bearer other", "GET", 401),
    "with nothing": (PATH, "", "GET", 401),
    "another path": ("/", f"Bearer {SECRET}", "GET", 404),
    "a way out of the folder": ("/pods/../secret/log", f"Bearer {SECRET}", "GET", 404),
    "an encoded way out": ("/pods/%2e%2e/secret/log", f"Bearer {SECRET}", "GET", 404),
    "another method": (PATH, f"Bearer {SECRET}", "DELETE", 404),
}


@pytest.mark.parametrize(("path", "secret", "method", "code"), ASKED.values(), ids=ASKED)
def test_what_the_log_server_refuses(tmp_path, path, secret, method, code):
    async def talk():
        async with serving(tmp_path) as beat, httpx.AsyncClient(trust_env=False) as client:
            url = httpx.URL(beat.address).copy_with(raw_path=path.encode())
            answer = await client.request(method, url, headers={"Authorization": secret})
            assert (answer.status_code, answer.content) == (code, b"")

    asyncio.run(talk())

"""Objects of a real server, followed by a cache in another process."""

import asyncio

import pytest

from bayplan.control.cache import Cache
from bayplan.control.collections import PODS
from bayplan.control.store_errors import ExpiredError, ForbiddenError, StoreFailedError
from bayplan.stores.server_objects import ServerObjects
from bayplan_up import RunningServer

LONGEST_S = 20
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "spec": {"schedulerName": "another", "containers": [{"name": "main", "image": "engine"}]},
}
PATH = "/api/v1/namespaces/default/pods"


def objects(server, token=None):
    authority = (server.data / "tls" / "ca.crt").read_text()
    return ServerObjects(lambda: (server.url, authority, server.admin_token() if token is None else token))


def create(server, name):
    assert server.ask("POST", PATH, POD | {"metadata": {"name": name}}).code == 201


def delete(server, name):
    assert server.ask("DELETE", f"{PATH}/{name}?gracePeriodSeconds=0").code == 200


async def until(names, cache):
    """Wait until the cache holds these Pods."""
    async with asyncio.timeout(LONGEST_S):
        while {each["metadata"]["name"] for each in cache.all(PODS, "default")} != set(names):
            await asyncio.sleep(0.05)


def test_a_cache_follows_what_comes_and_goes(secure):
    async def scenario():
        read = objects(secure)
        cache = Cache(read, [PODS])
        create(secure, "first")
        await cache.start()
        await until(["first"], cache)
        create(secure, "second")
        await until(["first", "second"], cache)
        delete(secure, "first")
        await until(["second"], cache)
        delete(secure, "second")
        await until([], cache)
        await cache.stop()
        await read.close()

    asyncio.run(scenario())


def test_a_server_that_comes_back_on_another_port_is_found_again(tmp_path):
    async def scenario():
        server = RunningServer(tmp_path / "data")
        with server:
            create(server, "first")
            read = objects(server)
            cache = Cache(read, [PODS])
            await cache.start()
            await until(["first"], cache)
        with server:
            create(server, "second")
            await until(["first", "second"], cache)
            await cache.stop()
            await read.close()

    asyncio.run(scenario())


async def _listed(read):
    try:
        await read.list(PODS)
    finally:
        await read.close()


def test_a_wrong_token_is_told_with_the_next_step(secure):
    with pytest.raises(ForbiddenError, match="bayplan token create"):
        asyncio.run(_listed(objects(secure, "wrong")))


def test_a_server_that_does_not_answer_is_a_failure_of_the_store():
    with pytest.raises(StoreFailedError, match="no server answers"):
        asyncio.run(_listed(ServerObjects(lambda: ("http://127.0.0.1:1", "", ""))))


def test_a_revision_that_the_server_never_had_is_expired(secure):
    async def scenario():
        read = objects(secure)
        try:
            async for _ in read.watch_many(PODS, since=10**12):
                raise AssertionError("something came")
        finally:
            await read.close()

    with pytest.raises(ExpiredError):
        asyncio.run(scenario())

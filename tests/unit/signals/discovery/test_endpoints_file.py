import asyncio

import pytest

from bayplan.framework.errors import InputError
from bayplan.signals.address_guard import AddressGuard
from bayplan.signals.directory import Directory
from bayplan.signals.discovery.endpoints_file import FileDiscovery
from unit.signals.worlds import HeardRouter

ONE = """
endpoints:
- {name: a, address: 10.0.0.1, port: 8000, role: decode, metrics: {waiting: 3}}
objectives:
- {name: fast, priority: 5}
rewrites:
- {name: r, rules: [{targets: [{modelRewrite: chat-v2}]}]}
"""
TWO = """
endpoints:
- {name: a, address: 10.0.0.1, port: 8000, role: decode}
- {name: b, address: 10.0.0.2, ports: [8000, 8001]}
"""


def followed(path, check, guard=None, **options):
    async def run():
        router, allowed = HeardRouter(), guard or AddressGuard()
        discovery = FileDiscovery(path, Directory(router, allowed), allowed, interval_s=0.01, **options)
        await discovery.start()
        try:
            await check(router, discovery)
        finally:
            await discovery.stop()

    asyncio.run(run())


async def _nothing(router, discovery):
    """The start is all that counts."""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "endpoints.yaml").write_text(ONE)
    return tmp_path / "endpoints.yaml"


def replace(file, text):
    part = file.with_suffix(".part")
    part.write_text(text)
    part.rename(file)


def test_what_the_file_says(file):
    async def check(router, discovery):
        (found,) = router.endpoints.values()
        assert (found.name, found.address, found.role) == ("a", "10.0.0.1:8000", "decode")
        assert found.known is None  # the load comes from the engine itself
        assert router.objectives == {"fast": 5}
        assert [each.name for each in router.rewrites] == ["r"]

    followed(file, check)


def test_a_new_file_is_read(file):
    async def check(router, discovery):
        replace(file, TWO)
        await router.until(lambda router: set(router.endpoints) == {"a", "b-rank-0", "b-rank-1"})
        assert router.objectives == {}
        assert router.told.count(("up", "a", True)) == 1

    followed(file, check)


BROKEN = {
    "no YAML": "endpoints: [",
    "a wrong field": "endpoints: [{name: a, address: 10.0.0.1, metrics: {waiting: -1}}]",
    "nothing": "",
    "a host without an address": "endpoints: [{name: a, address: no.such.host.invalid}]",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_leaves_what_is_known(file, text):
    async def check(router, discovery):
        replace(file, text)
        async with asyncio.timeout(20):
            while not discovery.problem:
                await asyncio.sleep(0.01)
        assert list(router.endpoints) == ["a"]
        replace(file, TWO)
        await router.until(lambda router: len(router.endpoints) == 3)
        assert discovery.problem == ""

    followed(file, check)


def test_a_file_that_is_removed_leaves_what_is_known(file):
    async def check(router, discovery):
        file.unlink()
        async with asyncio.timeout(20):
            while "there is no such file" not in discovery.problem:
                await asyncio.sleep(0.01)
        assert list(router.endpoints) == ["a"]

    followed(file, check)


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_at_the_start_is_an_error(file, text):
    file.write_text(text)

    with pytest.raises(InputError):
        followed(file, _nothing)


def test_no_file_at_the_start_is_an_error(tmp_path):
    with pytest.raises(InputError):
        followed(tmp_path / "nowhere.yaml", _nothing)


def test_a_file_that_is_not_watched(file):
    async def check(router, discovery):
        replace(file, TWO)
        await asyncio.sleep(0.1)
        assert list(router.endpoints) == ["a"]

    followed(file, check, watch=False)


def test_names_are_looked_up(file):
    file.write_text("endpoints: [{name: a, address: localhost}]")

    async def check(router, discovery):
        assert router.endpoints["a"].ip in ("127.0.0.1", "::1")

    followed(file, check)


def test_a_name_of_a_refused_address_is_an_error(file):
    file.write_text("endpoints: [{name: a, address: localhost}]")

    with pytest.raises(InputError, match="loopback"):
        followed(file, _nothing, AddressGuard(loopback=False))

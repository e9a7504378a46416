import asyncio

from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.signals.http_source import FetchLimits
from bayplan.signals.scraping.side_source import SideSource
from unit.signals.worlds import http, saying, serving


def asked(answer, check, **options):
    async def run():
        found = []
        async with serving(answer) as port:
            source = SideSource(
                lambda endpoint, body: found.append((endpoint.name, body)),
                path="/v1/models",
                interval_s=0.005,
                limits=FetchLimits(timeout_s=1.0),
                **({"port": port} if options.get("elsewhere") else {}),
            )
            source.up(Endpoint("a", "127.0.0.1", 1 if options.get("elsewhere") else port))
            await check(source, found, port)
            source.close()

    asyncio.run(run())


async def _until(found, count):
    async with asyncio.timeout(20):
        while len(found) < count:
            await asyncio.sleep(0.005)


def test_bodies_are_read_again_and_again():
    async def check(source, found, port):
        await _until(found, 3)
        assert found[:3] == [("a", b"one"), ("a", b"two"), ("a", b"two")]

    asked(saying(http(b"one"), http(b"two")), check)


def test_another_port_than_the_endpoints_own():
    async def check(source, found, port):
        await _until(found, 1)

    asked(saying(http(b"one")), check, elsewhere=True)


def test_failures_are_no_bodies():
    async def check(source, found, port):
        await _until(found, 1)
        assert found[0] == ("a", b"good")

    asked(saying(http(b"bad", "500 No"), http(b"good")), check)


def test_an_endpoint_that_left_is_asked_no_more():
    async def check(source, found, port):
        await _until(found, 1)
        source.up(Endpoint("a", "127.0.0.1", port, labels={"x": "y"}))
        source.down("a")
        count = len(found)
        await asyncio.sleep(0.05)
        assert len(found) == count

    asked(saying(http(b"one")), check)

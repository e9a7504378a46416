import asyncio

import pytest

from bayplan.signals.http_answer import FetchProblem
from bayplan.signals.http_source import FetchLimits, HttpSource
from unit.signals.worlds import hanging_up_after, http, saying, serving

SHORT = FetchLimits(timeout_s=0.2, most_bytes=1000)


async def fetch(source):
    done = asyncio.get_running_loop().create_future()
    source.fetch(done.set_result)
    async with asyncio.timeout(10):
        return await done


def fetching(answer, times=1, limits=SHORT):
    """What some fetches of one source bring."""

    async def run():
        connections = []

        async def counted(reader, writer, number):
            connections.append(number)
            await answer(reader, writer, number)

        async with serving(counted) as port:
            source = HttpSource("127.0.0.1", port, "/metrics", limits=limits)
            found = [await fetch(source) for _ in range(times)]
            source.close()
        return found, len(connections)

    return asyncio.run(run())


def test_one_connection_serves_many_fetches():
    found, connections = fetching(saying(http(b"one"), http(b"two")), 5)

    assert [each.body for each in found] == [b"one", b"two", b"two", b"two", b"two"]
    assert connections == 1


def test_what_is_sent():
    async def answer(reader, writer, number):
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(http(head))

    (found,), _ = fetching(answer)

    lines = found.body.decode().split("\r\n")
    assert lines[0] == "GET /metrics HTTP/1.1"
    assert lines[1].startswith("Host: 127.0.0.1:")


def test_a_connection_that_was_closed_meanwhile_is_replaced():
    found, connections = fetching(hanging_up_after(http(b"ok")), 4)

    assert [each.problem for each in found] == [None] * 4
    assert connections == 4


def test_a_server_that_closes_each_time():
    found, connections = fetching(saying(http(b"ok", headers=b"Connection: close\r\n")), 3)

    assert [each.body for each in found] == [b"ok"] * 3
    assert connections == 3


def test_an_answer_that_ends_with_the_connection():
    async def answer(reader, writer, number):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nbody")

    (found,), _ = fetching(answer)

    assert found.body == b"body"


async def _silent(reader, writer, number):
    await asyncio.sleep(60)


async def _slow(reader, writer, number):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")
    while True:
        writer.write(b"x")
        await asyncio.sleep(0.01)


async def _endless(reader, writer, number):
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"x" * 100_000)
        await writer.drain()


async def _hanging_up(reader, writer, number):
    await reader.readuntil(b"\r\n\r\n")


BAD = {
    "nothing is answered": (_silent, FetchProblem.TIMEOUT, "no answer within 0.2 s"),
    "a byte now and then": (_slow, FetchProblem.TIMEOUT, "no whole answer within 0.2 s"),
    "an endless body": (_endless, FetchProblem.TOO_LARGE, "more than 1000 bytes"),
    "a length that is too large": (
        saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"),
        FetchProblem.TOO_LARGE,
        "more than 1000 bytes",
    ),
    "less than was announced": (
        saying(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
        FetchProblem.TIMEOUT,
        "no whole answer",
    ),
    "an error": (saying(http(b"sorry", "500 No")), FetchProblem.STATUS, "HTTP 500"),
    "no HTTP": (saying(b"hello\r\n\r\n"), FetchProblem.BROKEN, "no HTTP"),
    "hanging up": (_hanging_up, FetchProblem.UNREACHABLE, "before an answer"),
}


@pytest.mark.parametrize(("answer", "problem", "detail"), BAD.values(), ids=BAD)
def test_what_goes_wrong_is_told_and_the_next_fetch_is_tried(answer, problem, detail):
    found, _ = fetching(answer, 2)

    assert [each.problem for each in found] == [problem, problem]
    assert detail in found[0].detail
    assert found[0].body == b""


def test_nobody_listens():
    async def run():
        async with serving(_silent) as port:
            pass
        source = HttpSource("127.0.0.1", port, "/metrics")
        found = await fetch(source)
        source.close()
        return found

    found = asyncio.run(run())

    assert found.problem is FetchProblem.UNREACHABLE
    assert found.detail


def test_more_bytes_than_asked_for_end_the_connection():
    found, connections = fetching(saying(http(b"ok") + b"more"), 2)

    assert [each.body for each in found] == [b"ok", b"ok"]
    assert connections == 2


def test_a_closed_source_tells_nothing():
    async def run():
        told = []
        async with serving(saying(http(b"ok"))) as port:
            source = HttpSource("127.0.0.1", port, "/metrics")
            source.fetch(told.append)
            assert source.is_busy
            source.close()
            await asyncio.sleep(0.05)
            await fetch(again := HttpSource("127.0.0.1", port, "/metrics"))
            again.close()
        return told

    assert asyncio.run(run()) == []

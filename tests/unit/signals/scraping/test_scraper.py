import asyncio
import logging

import pytest

from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.signals.http_source import FetchLimits
from bayplan.signals.scraping.pace import ScrapeSettings
from bayplan.signals.scraping.scraper import Scraper
from unit.signals.worlds import HeardRouter, http, saying, serving

FAST = ScrapeSettings(busy_s=0.005, usual_s=0.005, idle_s=0.01, longest_s=0.02)
LIMITS = FetchLimits(timeout_s=0.1, most_bytes=10_000)


class HeardProbes:
    def __init__(self):
        self.told = []

    def probe_failed(self, name):
        self.told.append("failed")

    def probe_answered(self, name):
        self.told.append("answered")


def metrics(waiting, **more):
    text = f"vllm:num_requests_waiting {waiting}\nvllm:num_requests_running 1\n"
    return http("".join([text, *(f"{name} {value}\n" for name, value in more.items())]).encode())


def scraped(answer, until, *, probes=None, then=None):
    """What a router hears of one endpoint; `then` is done with the scraper after that."""

    async def run():
        router = HeardRouter()
        scraper = Scraper(router, settings=FAST, limits=LIMITS, probes=probes)
        async with serving(answer) as port:
            scraper.up(Endpoint("a", "127.0.0.1", port))
            await router.until(until)
            if then is not None:
                await then(scraper, router, port)
            state = scraper.states.get("a")
            scraper.close()
        return router, state

    return asyncio.run(run())


def test_readings_are_told_again_and_again():
    router, state = scraped(saying(metrics(3), metrics(4)), lambda router: len(router.reports) >= 3)

    assert [found.waiting for _, found, _ in router.reports][:3] == [3, 4, 4]
    assert [name for name, _, _ in router.reports][:1] == ["a"]
    assert state.metrics.waiting == 4
    assert state.failures == 0


def test_readings_have_the_time_of_their_question():
    router, _ = scraped(saying(metrics(3)), lambda router: len(router.reports) >= 3)

    times = [measured for _, _, measured in router.reports]
    assert times == sorted(times)


def test_failures_end_when_the_endpoint_answers_again(caplog):
    caplog.set_level(logging.INFO, "bayplan.signals")
    broken = http(b"no", "503 Busy")

    _, state = scraped(
        saying(metrics(3), broken, broken, broken, broken, metrics(5)),
        lambda router: router.reports and router.reports[-1][1].waiting == 5,
    )

    assert state.failures == 0
    said = [record.message for record in caplog.records]
    assert len(said) == 2
    assert "tells no metrics: status: HTTP 503" in said[0]
    assert said[1] == "endpoint a tells its metrics again"


async def _until_failures(scraper, router, port):
    async with asyncio.timeout(20):
        while scraper.states["a"].failures < 4:
            await asyncio.sleep(0.005)


async def _dripping(reader, writer, number):
    if number == 0:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(metrics(3))
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n")
    while True:
        writer.write(b"x 1\n")
        await asyncio.sleep(0.01)


SILENT = {
    "a body that drips": _dripping,
    "a length that is wrong": saying(metrics(3), b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nx 1\n"),
    "an error": saying(metrics(3), http(b"no", "500 No")),
    "a text without anything of the engine": saying(metrics(3), http(b"<html>502</html>")),
    "an endless text": saying(metrics(3), http(b"x 1\n" * 100_000)),
    "a broken answer": saying(metrics(3), b"nonsense\r\n\r\n"),
}


@pytest.mark.parametrize("answer", SILENT.values(), ids=SILENT)
def test_failures_leave_what_is_known(answer):
    router, state = scraped(answer, lambda router: router.reports, then=_until_failures)

    assert [found.waiting for _, found, _ in router.reports] == [3]
    assert state.metrics.waiting == 3
    assert state.problem


def test_an_endpoint_that_lives_is_told_to_probes():
    probes = HeardProbes()
    answer = saying(metrics(3), http(b"no", "500 No"), b"nonsense\r\n\r\n")

    scraped(answer, lambda router: router.reports, probes=probes, then=_until_failures)

    assert set(probes.told) == {"answered"}


def test_an_endpoint_that_cannot_be_reached_is_told_to_probes():
    probes = HeardProbes()

    scraped(saying(metrics(3)), lambda router: router.reports, probes=probes, then=_gone)

    assert probes.told[0] == "answered"
    assert "failed" in probes.told


async def _gone(scraper, router, port):
    scraper.up(Endpoint("a", "127.0.0.1", 1))  # nothing listens there
    await _until_failures(scraper, router, port)


def test_impossible_values_are_said_once(caplog):
    text = metrics("NaN")

    router, state = scraped(saying(text), lambda router: len(router.reports) >= 4)

    assert router.reports[-1][1].waiting is None
    assert len(caplog.records) == 1
    assert "vllm:num_requests_waiting" in state.warnings[0]


def test_an_endpoint_that_left_is_asked_no_more():
    async def then(scraper, router, port):
        scraper.down("a")
        scraper.down("a")
        told = len(router.reports)
        await asyncio.sleep(0.05)
        assert len(router.reports) == told

    scraped(saying(metrics(3)), lambda router: router.reports, then=then)


def test_another_engine_at_the_same_address():
    async def then(scraper, router, port):
        scraper.up(Endpoint("a", "127.0.0.1", port, labels={"llm-d.ai/engine-type": "sglang"}))
        await router.until(lambda router: router.reports[-1][1].waiting == 7)

    both = http(b"vllm:num_requests_waiting 3\nsglang:num_queue_reqs 7\n")
    router, _ = scraped(saying(both), lambda router: router.reports, then=then)

    assert router.reports[0][1].waiting == 3


def test_the_same_endpoint_again_changes_nothing():
    async def then(scraper, router, port):
        state = scraper.states["a"]
        scraper.up(Endpoint("a", "127.0.0.1", port, labels={"x": "y"}, ready=False))
        assert scraper.states["a"] is state

    scraped(saying(metrics(3)), lambda router: router.reports, then=then)


def test_what_other_sources_say_belongs_to_the_next_reading():
    async def then(scraper, router, port):
        scraper.add_attributes("a", {"gpu": 0.5})
        scraper.add_adapters("a", frozenset({"sql"}))
        scraper.add_attributes("stranger", {"gpu": 0.5})
        scraper.add_adapters("stranger", frozenset({"sql"}))
        await router.until(lambda router: router.reports[-1][1].attributes)

    router, _ = scraped(saying(metrics(3)), lambda router: router.reports, then=then)

    assert router.reports[-1][1].attributes == {"gpu": 0.5}
    assert router.reports[-1][1].lora_active == {"sql"}

"""Signals against real engines: `bayplan engine` in processes of their own."""

import asyncio
import os
import signal

import pytest

from bayplan.framework.errors import InputError
from bayplan.library.registry import read_routing
from bayplan.routing.endpoints.ejection import EjectionSettings
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.signals.http_source import FetchLimits
from bayplan.signals.scraping.pace import ScrapeSettings
from bayplan.signals.signals import Signals, SignalSettings
from engine.running import MODEL, running
from unit.signals.worlds import HeardRouter, http, saying, serving

FAST = SignalSettings(
    scrape=ScrapeSettings(busy_s=0.01, usual_s=0.02, idle_s=0.05, longest_s=0.1),
    limits=FetchLimits(timeout_s=0.5),
    ejection=EjectionSettings(first_s=0.05, longest_s=0.2),
)


def picker_config(*plugins, sources=(), **more):
    layer = {"sources": [{"pluginRef": each} for each in sources]} | more
    return read_routing(
        {
            "apiVersion": "llm-d.ai/v1alpha1",
            "kind": "EndpointPickerConfig",
            "plugins": [{"type": "queue-scorer"}, *plugins],
            "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "queue-scorer"}]}],
            "dataLayer": layer,
        }
    )


def followed(check, *endpoints, config=None):
    async def run():
        router = HeardRouter()
        signals = Signals(router, config, settings=FAST)
        for each in endpoints:
            signals.directory.put("test", each.name, [each])
        try:
            await check(router, signals)
        finally:
            await signals.stop()

    asyncio.run(run())


def newest(router, name):
    return next((metrics for each, metrics, _ in reversed(router.reports) if each == name), None)


@pytest.fixture
def engine():
    with running("--enable-lora", "--max-loras", "2", "--lora-modules", "sql=/adapters/sql") as found:
        yield found


def test_the_metrics_of_an_engine(engine):
    async def check(router, signals):
        await router.until(lambda router: len(router.reports) >= 5)
        metrics = newest(router, "a")
        assert (metrics.waiting, metrics.running, metrics.kv_usage) == (0, 0, 0)
        assert metrics.block_size == 16
        assert metrics.kv_token_capacity == 16 * metrics.blocks
        assert metrics.lora_max == 2
        assert signals.problems == []

    followed(check, Endpoint("a", "127.0.0.1", engine.port))


def test_requests_that_hang_are_seen(engine):
    async def check(router, signals):
        await router.until(lambda router: router.reports)
        asking = asyncio.create_task(asyncio.to_thread(engine.complete, max_tokens=1))
        await router.until(lambda router: newest(router, "a").waiting + newest(router, "a").running == 1)
        await asyncio.to_thread(engine.break_by, hang=False)
        assert (await asking).status == 200

    engine.break_by(hang=True)
    followed(check, Endpoint("a", "127.0.0.1", engine.port))


def test_impossible_metrics_are_unknown(engine):
    async def check(router, signals):
        await router.until(lambda router: router.reports)
        assert newest(router, "a").waiting is None
        assert newest(router, "a").block_size == 16

    engine.break_by(metrics="nan")
    followed(check, Endpoint("a", "127.0.0.1", engine.port))


def test_an_engine_that_dies_and_comes_back(engine):
    async def check(router, signals):
        await router.until(lambda router: newest(router, "a") and newest(router, "b"))
        await asyncio.to_thread(engine.break_by, refuse_s=0.5)
        engine.process.send_signal(signal.SIGSTOP)  # open connections stay silent too
        await router.until(lambda router: not router.endpoints["a"].ready)
        assert router.endpoints["b"].ready
        assert any("endpoint a is left out" in each for each in signals.problems)
        engine.process.send_signal(signal.SIGCONT)
        await router.until(lambda router: router.endpoints["a"].ready)
        signals.health.sent("a")
        signals.health.succeeded("a")
        assert router.endpoints["a"].ready
        assert signals.health.out == frozenset()

    with running() as other:
        ports = {"a": engine.port, "b": other.port}
        followed(check, *(Endpoint(name, "127.0.0.1", port) for name, port in ports.items()))


def test_an_engine_that_is_killed_is_left_out(engine):
    async def check(router, signals):
        await router.until(lambda router: newest(router, "a") and newest(router, "b"))
        os.kill(engine.process.pid, signal.SIGKILL)
        await router.until(lambda router: not router.endpoints["a"].ready)
        assert newest(router, "a") is not None  # what was known stays known

    with running() as other:
        ports = {"a": engine.port, "b": other.port}
        followed(check, *(Endpoint(name, "127.0.0.1", port) for name, port in ports.items()))


def test_the_last_engine_stays_ready_although_it_is_silent(engine):
    async def check(router, signals):
        await router.until(lambda router: newest(router, "a"))
        os.kill(engine.process.pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            while signals.scraper.states["a"].failures < 10:
                await asyncio.sleep(0.02)
        assert router.endpoints["a"].ready
        assert any("tells no metrics" in each for each in signals.problems)

    followed(check, Endpoint("a", "127.0.0.1", engine.port))


def test_the_models_that_an_engine_serves(engine):
    async def check(router, signals):
        await router.until(lambda router: newest(router, "a") and newest(router, "a").lora_active)
        assert signals.served["a"].models == (MODEL,)
        assert newest(router, "a").lora_active == {"sql"}

    config = picker_config({"type": "models-data-source"}, sources=["models-data-source"])
    followed(check, Endpoint("a", "127.0.0.1", engine.port), config=config)


def test_the_gpus_of_an_endpoint(engine):
    async def run():
        text = http(b'DCGM_FI_DEV_GPU_UTIL{pod="a"} 40\n')
        async with serving(saying(text)) as port:
            router = HeardRouter()
            parameters = {"port": port, "interval": "100ms"}
            config = picker_config({"type": "dcgm-data-source", "parameters": parameters}, sources=["dcgm-data-source"])
            signals = Signals(router, config, settings=FAST)
            signals.directory.put("test", "a", [Endpoint("a", "127.0.0.1", engine.port)])
            await router.until(lambda router: newest(router, "a") and newest(router, "a").attributes)
            assert newest(router, "a").attributes == {"GPUUtilization": 0.4}
            await signals.stop()

    asyncio.run(run())


def test_another_configuration_while_it_runs(engine):
    async def check(router, signals):
        await router.until(lambda router: newest(router, "a"))
        told = len([each for each in router.told if each[0] == "up"])
        engines = [{"name": "vllm", "queuedRequestsSpec": "vllm:cache_config_info"}]
        parameters = {"engineConfigs": engines}
        await signals.reconfigure(picker_config({"type": "core-metrics-extractor", "parameters": parameters}))
        await router.until(lambda router: newest(router, "a").waiting == 1)
        assert newest(router, "a").running is None
        assert len([each for each in router.told if each[0] == "up"]) == told

    followed(check, Endpoint("a", "127.0.0.1", engine.port))


def test_a_configuration_that_cannot_be_followed_changes_nothing(engine):
    async def check(router, signals):
        await router.until(lambda router: newest(router, "a"))
        scraper = signals.scraper
        plugin = {"type": "precise-prefix-cache-producer", "parameters": {"kvEventsConfig": {"zmqEndpoint": "x"}}}
        with pytest.raises(InputError):
            await signals.reconfigure(picker_config(plugin))
        assert signals.scraper is scraper
        count = len(router.reports)
        await router.until(lambda router: len(router.reports) > count)

    followed(check, Endpoint("a", "127.0.0.1", engine.port))


def test_no_metrics_where_the_configuration_wants_none(engine):
    async def check(router, signals):
        await asyncio.sleep(0.2)
        assert router.reports == []

    config = picker_config(injectDefaults=False)
    followed(check, Endpoint("a", "127.0.0.1", engine.port), config=config)


def test_a_file_that_the_configuration_names(engine, tmp_path):
    file = tmp_path / "endpoints.yaml"
    file.write_text(f"endpoints: [{{name: f, address: 127.0.0.1, port: {engine.port}}}]")
    plugin = {"type": "file-discovery", "parameters": {"path": str(file), "watchFile": True}}

    async def check(router, signals):
        await signals.start()
        await router.until(lambda router: newest(router, "f"))
        file.write_text("endpoints: [")
        async with asyncio.timeout(20):
            while not signals.problems:
                await asyncio.sleep(0.05)
        assert list(router.endpoints) == ["f"]

    config = picker_config(plugin, discovery={"pluginRef": "file-discovery"})
    followed(check, config=config)


def test_events_of_a_precise_producer_are_listened_to(engine):
    async def check(router, signals):
        assert list(signals.kv_events.states) == ["a"]
        assert signals.problems == []

    plugin = {"type": "precise-prefix-cache-producer", "parameters": {"kvEventsConfig": {"topicFilter": "kv@"}}}
    followed(check, Endpoint("a", "127.0.0.1", engine.port), config=picker_config(plugin))

"""Engines that a real worker runs become endpoints, by a pool or as replicas, and are scraped."""

import asyncio
import sys

import pytest

from bayplan.control.cache import Cache
from bayplan.manifests.marks import BACKEND, MODEL
from bayplan.signals.discovery.pool import PoolDiscovery
from bayplan.signals.discovery.replicas import ReplicaDiscovery
from bayplan.signals.signals import Signals
from bayplan.stores.server_objects import ServerObjects
from unit.signals.discovery.pods import objective, pool
from unit.signals.worlds import HeardRouter
from workers.machines import Machines

BACKENDS = f"""
apiVersion: bayplan.io/v1alpha1
kind: Backends
backends:
  vllm:
    command: [{sys.executable}, -m, bayplan, engine, --model, "{{model}}", --host, "{{host}}", --port, "{{port}}"]
"""
POOLS = "/apis/inference.networking.k8s.io/v1/namespaces/default/inferencepools"
OBJECTIVES = "/apis/inference.networking.x-k8s.io/v1alpha2/namespaces/default/inferenceobjectives"


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    started = Machines(folder)
    (folder / "backends.yaml").write_text(BACKENDS)
    started.worker("w", "--backends", str(folder / "backends.yaml"))
    yield started
    started.close()


def started(machines, name):
    """An engine in a Pod with the labels of the pool."""
    marks = {BACKEND: "vllm", MODEL: "org/model"}
    machines.pod(name, annotations=marks, container={"ports": [{"containerPort": 8000}]})
    patch = {"metadata": {"labels": {"app": "chat"}}}
    machines.ask("PATCH", f"/api/v1/namespaces/default/pods/{name}", patch, Content_Type="application/merge-patch+json")


def followed(machines, discovery, check, **options):
    server = machines.server
    authority = (server.data / "tls" / "ca.crt").read_text()

    async def run():
        objects = ServerObjects(lambda: (server.url, authority, server.admin_token()))
        cache, router = Cache(objects, discovery.collections), HeardRouter()
        signals = Signals(router)
        discovery(cache, signals.directory, **options)
        await cache.start()
        try:
            async with asyncio.timeout(60):
                await check(router, signals)
        finally:
            await signals.stop()
            await cache.stop()
            await objects.close()

    asyncio.run(run())


def test_the_engines_of_a_pool(machines):
    started(machines, "a")
    machines.ask("POST", POOLS, pool())
    machines.ask("POST", OBJECTIVES, objective("fast", priority=7))

    async def check(router, signals):
        await router.until(lambda router: router.reports)
        (endpoint,) = router.endpoints.values()
        told = machines.get("a")["metadata"]["annotations"]["bayplan.io/endpoint"]
        assert told == f"http://{endpoint.address}"
        assert endpoint.labels["llm-d.ai/engine-type"] == "vllm"
        assert router.reports[0][1].block_size == 16
        assert router.objectives == {"fast": 7}
        await asyncio.to_thread(machines.ask, "DELETE", "/api/v1/namespaces/default/pods/a")
        await router.until(lambda router: not router.endpoints)

    followed(machines, PoolDiscovery, check, pool="chat")


def test_a_replica_that_crashes_comes_back(machines):
    started(machines, "b")

    async def check(router, signals):
        await router.until(lambda router: any(each.ready for each in router.endpoints.values()) and router.reports)
        await asyncio.to_thread(lambda: machines.kill(machines.pid("b")))
        await router.until(lambda router: not router.endpoints["b"].ready)
        router.reports.clear()
        await router.until(lambda router: router.endpoints["b"].ready)
        await router.until(lambda router: router.reports)

    followed(machines, ReplicaDiscovery, check)

"""States of models, and the memory that they hold, at a scrape."""

import asyncio

from bayplan.control.cache import Cache
from bayplan.control.collections import SERVED_MODELS, SERVER_REPLICAS
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.serving_metrics import ask_serving
from metrics_text import samples
from unit.control.serving.hall import model

MIB = 1 << 20
BOOKED = [
    {"name": "a_1", "memory": 100, "state": "available"},
    {"name": "b_1", "memory": 50, "state": "load-failed"},
]


def test_states_and_memory():
    async def scenario():
        metrics = Metrics()
        async with EmbeddedStore(MemoryShelf()) as store:
            told = {"conditions": [{"type": "ModelReady", "status": "True", "message": "ModelAvailable"}]}
            for name, status in (("a", told), ("b", {})):
                document = {**model(name), "status": status}
                document["metadata"]["namespace"] = "default"
                await store.create(SERVED_MODELS, document)
            metadata = {"name": "s-0", "namespace": "default"}
            row = {"apiVersion": "bayplan.io/v1alpha1", "kind": "ServerReplica", "metadata": metadata}
            await store.create(SERVER_REPLICAS, {**row, "spec": {"memory": 200, "models": BOOKED}})
            cache = Cache(store, [SERVED_MODELS, SERVER_REPLICAS])
            ask_serving(metrics, cache)
            await cache.start()
            text = metrics.text(Style.PROMETHEUS)
            await cache.stop()
        return text

    found = {
        "/".join((name, *(value for _, value in labels))): number
        for (name, labels), number in samples(asyncio.run(scenario())).items()
        if number and "serving" in name
    }
    assert found == {
        "bayplan_serving_models/ModelAvailable": 1,
        "bayplan_serving_models/unknown": 1,
        "bayplan_serving_memory_bytes/booked": 100 * MIB,
        "bayplan_serving_memory_bytes/total": 200 * MIB,
    }

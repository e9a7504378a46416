"""Names that configurations of llm-d use, and that have no effect here, are read."""

import pytest

from bayplan.framework.registry import Registry
from bayplan.routing.defaults import builtins
from unit.routing.endpoint_tables import cycle, request

NAMES = {
    "token-producer": "producer",
    "session-id-producer": "producer",
    "mm-embeddings-cache-producer": "producer",
    "predicted-latency-producer": "producer",
    "p2p-source-producer": "producer",
    "request-attribute-reporter": "request-plugin",
    "disagg-headers-handler": "request-plugin",
    "prefill-header-handler": "request-plugin",
    "sheddable-eviction-filter": "request-plugin",
    "priority-then-time-eviction-order-policy": "request-plugin",
    "disaggregatedset-rollout-screener": "screener",
}


@pytest.mark.parametrize(("name", "kind"), NAMES.items())
def test_they_are_read(name, kind):
    plugin = Registry(builtins()).find(name)
    made = plugin.make()

    assert plugin.kinds[0] == kind
    assert "without effect" in plugin.description
    if kind == "producer":
        assert (made.reads, made.produces, made.produce(request(), None, cycle())) == ((), (), {})

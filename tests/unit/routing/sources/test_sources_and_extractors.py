"""Sources, extractors and discoveries are known by their names."""

import pytest

from bayplan.framework.registry import Registry
from bayplan.routing.defaults import builtins

NAMES = {
    "metrics-data-source": "data-source",
    "models-data-source": "data-source",
    "dcgm-data-source": "data-source",
    "k8s-notification-source": "data-source",
    "endpoint-notification-source": "data-source",
    "core-metrics-extractor": "extractor",
    "models-data-extractor": "extractor",
    "dcgm-extractor": "extractor",
    "topology-extractor": "extractor",
    "precise-prefix-cache-producer": "extractor",
    "mm-embeddings-cache-producer": "extractor",
    "file-discovery": "discovery",
}


@pytest.mark.parametrize(("name", "kind"), NAMES.items())
def test_they_are_read(name, kind):
    plugin = Registry(builtins()).find(name)

    assert kind in plugin.kinds
    assert plugin.make().name == name

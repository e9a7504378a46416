"""Engines of one's own."""

from bayplan.routing.sources.core_metrics_extractor import CoreMetricsExtractor, CustomMetric, EngineConfig
from unit.routing.endpoint_tables import refused_at


def test_engines():
    custom = CustomMetric("depth", "my_depth{state=deep}")
    engine = EngineConfig(
        "mine", "my_queue{state=waiting}", "my_queue{state=running}", "my_cache", custom_metrics=(custom,)
    )
    engines = CoreMetricsExtractor(engine_configs=(engine,)).engines()

    assert list(engines) == ["mine"]
    assert engines["mine"].waiting.name == "my_queue"
    assert [key for key, _ in engines["mine"].attributes] == ["depth"]


def test_what_is_refused():
    assert refused_at(EngineConfig, name="") == "name"
    assert refused_at(EngineConfig, name="x", queued_requests_spec="a{b") == "queuedRequestsSpec"

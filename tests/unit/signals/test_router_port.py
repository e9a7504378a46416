from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.endpoints.kv_event import KvEvent
from bayplan.routing.router import Router
from bayplan.signals.router_port import RouterFeed


def test_a_router_hears_of_the_world():
    router, delivered = Router(), []
    feed = RouterFeed(router, lambda: 5.0, delivered.extend)
    feed.endpoint_up(Endpoint("a", "10.0.0.1"))
    feed.report("a", EngineMetrics(waiting=3), 4.0)
    feed.kv_event("a", KvEvent("cleared"))
    feed.set_objectives({"fast": 5})
    feed.set_rewrites([])

    assert router.metrics_of("a").waiting == 3
    request = router.parse(
        "r", "/v1/completions", {"x-llm-d-inference-objective": "fast"}, b'{"model": "m", "prompt": "hi"}', 5.0
    )
    (answer,) = router.arrive(request, 5.0)
    assert (answer.status, answer.picked[0].name, answer.request.priority) == (200, "a", 5)

    feed.endpoint_down("a")
    assert router.metrics_of("a") is None
    assert delivered == []

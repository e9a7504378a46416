"""Metrics of requests and endpoints, as a data plane counts them."""

from bayplan.routing.answer import Answer
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.requests.routed_request import RoutedRequest
from bayplan.telemetry.metrics import routing_catalogue
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.request_metrics import EndedRequest
from bayplan.telemetry.routing_metrics import RoutingMetrics
from exposition import read_exposition

REQUEST = RoutedRequest("a", asked_model="m", model="n", fairness_id="f", priority=-1, slo_ttft_ms=100, slo_tpot_ms=10)
LABELS = {"model_name": "m", "target_model_name": "n", "fairness_id": "f", "priority": "-1"}


def counted(*events):
    metrics = RoutingMetrics(Metrics(routing_catalogue.ALL))
    for event in events:
        event(metrics)
    return read_exposition(metrics.metrics.text(Style.PROMETHEUS))


def test_decisions():
    picked = Answer(REQUEST, 200, picked=(Endpoint("e", "10.0.0.1", 8001, "prod"),))
    refused = Answer(REQUEST, 429, "rejected-saturated")
    shown = counted(
        lambda metrics: metrics.decided(picked),
        lambda metrics: metrics.decided(refused),
        lambda metrics: metrics.held(picked, 2.0),
        lambda metrics: metrics.held(refused, 1.0),
        lambda metrics: metrics.took(0.001),
    )

    where = {"target_model_name": "n", "endpoint_name": "e", "namespace": "prod", "port": "8001"}
    assert shown.value("llm_d_epp_scheduler_attempts_total", status="success", **where) == 1
    assert shown.value("llm_d_epp_scheduler_attempts_total", status="failure") == 1
    assert shown.value("llm_d_epp_model_rewrite_decisions_total", model_name="m", target_model_name="n") == 1
    assert shown.value("llm_d_epp_flow_control_requests_total", outcome="dispatched") == 1
    assert shown.value("llm_d_epp_flow_control_requests_total", outcome="rejected-saturated") == 1
    assert shown.value("llm_d_epp_scheduler_e2e_duration_seconds_count") == 1


def test_endpoints_are_asked_for():
    endpoints = [Endpoint("a", "10.0.0.1"), Endpoint("b", "10.0.0.2", ready=False)]
    reports = {"a": EngineMetrics(waiting=4, kv_usage=0.5), "gone": EngineMetrics(waiting=100)}

    def ask(metrics):
        metrics.ask_endpoints(lambda: endpoints, lambda: reports, lambda: {"a": (2, 30), "gone": (9, 9)})
        metrics.ask_requests(lambda: [REQUEST, REQUEST], lambda: 3)

    shown = counted(ask)

    assert shown.value("llm_d_epp_ready_endpoints") == 1
    assert shown.value("llm_d_epp_average_queue_size") == 4
    assert shown.value("llm_d_epp_std_dev_queue_size") == 0
    assert shown.value("llm_d_epp_per_endpoint_queue_size", endpoint_name="a") == 4
    assert shown.value("llm_d_epp_inflight_tokens", endpoint_name="a", namespace="default") == 30
    assert shown.value("llm_d_epp_request_running", **LABELS) == 2
    assert shown.value("llm_d_epp_flow_control_queue_size") == 3


def test_names_of_clients_do_not_fill_the_memory():
    def many(metrics):
        for number in range(3_000):
            request = RoutedRequest("a", model=f"m{number}", asked_model="m")
            metrics.ended(request, EndedRequest("completed", 200, 1.0, None, 0, 0, is_stream=False))

    shown = counted(many)

    assert len([name for name, _ in shown.samples if name == "llm_d_epp_request_total"]) <= 1_001
    total = sum(value for (name, _), value in shown.samples.items() if name == "llm_d_epp_request_total")
    assert total == 3_000

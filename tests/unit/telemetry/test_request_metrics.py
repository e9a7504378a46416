"""Metrics of requests that are over, whether one or thousands of them are counted at a time."""

import pytest

from bayplan.routing.requests.routed_request import RoutedRequest
from bayplan.telemetry.metrics import routing_catalogue
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.request_metrics import EndedRequest, RequestMetrics
from exposition import read_exposition

REQUEST = RoutedRequest("a", asked_model="m", model="n", fairness_id="f", priority=-1, slo_ttft_ms=100, slo_tpot_ms=10)
LABELS = {"model_name": "m", "target_model_name": "n", "fairness_id": "f", "priority": "-1"}


def counted(*events):
    metrics = Metrics(routing_catalogue.ALL)
    requests = RequestMetrics(metrics)
    for event in events:
        event(requests)
    return read_exposition(metrics.text(Style.PROMETHEUS))


def ended(**given):
    usual = {
        "ending": "completed", "status": 200, "duration_s": 1.0, "ttft_s": 0.2, "request_bytes": 10,
        "response_bytes": 20, "is_stream": True,
    }  # fmt: skip
    return lambda metrics: metrics.ended(REQUEST, EndedRequest(**{**usual, **given}))


def test_a_stream_with_known_tokens():
    shown = counted(ended(prompt_tokens=5, completion_tokens=5, cached_tokens=2))

    assert shown.value("llm_d_epp_request_total", **LABELS) == 1
    assert shown.value("llm_d_epp_request_ttft_seconds_sum", **LABELS, streaming="true") == 0.2
    assert shown.value("llm_d_epp_request_streaming_tpot_seconds_sum", **LABELS) == pytest.approx(0.2)
    assert shown.value("llm_d_epp_request_ntpot_seconds_sum", **LABELS) == pytest.approx(0.2)
    assert shown.value("llm_d_epp_request_cached_tokens_sum", **LABELS) == 2
    assert shown.value("llm_d_epp_request_slo_violation_total", **LABELS, type="ttft") == 1
    assert shown.value("llm_d_epp_request_slo_violation_total", **LABELS, type="tpot") == 1


def test_unknown_tokens_are_not_counted_as_0():
    shown = counted(ended())

    assert shown.value("llm_d_epp_request_output_tokens_count", **LABELS) == 0
    assert shown.value("llm_d_epp_request_ntpot_seconds_count", **LABELS) == 0


ERRORS = {"a refusal": (429, "429"), "a client that left": (None, "cancelled")}


@pytest.mark.parametrize(("status", "code"), ERRORS.values(), ids=ERRORS)
def test_errors(status, code):
    shown = counted(ended(status=status, ttft_s=None))

    assert shown.value("llm_d_epp_request_error_total", **LABELS, error_code=code) == 1
    assert shown.value("llm_d_epp_response_size_bytes_count", **LABELS) == 0


def test_thousands_are_counted_like_one():
    each = ended(duration_s=0.3, prompt_tokens=5, completion_tokens=3)
    shown = counted(*[each] * 1_300, ended(status=None, ending="cancelled"))

    assert shown.value("llm_d_epp_request_total", **LABELS) == 1_301
    assert shown.value("llm_d_epp_request_error_total", **LABELS, error_code="cancelled") == 1
    assert shown.value("llm_d_epp_request_input_tokens_count", **LABELS) == 1_300
    assert shown.value("llm_d_epp_request_input_tokens_sum", **LABELS) == 6_500
    assert shown.value("llm_d_epp_request_streaming_tpot_seconds_sum", **LABELS) == pytest.approx(65)
    assert shown.value("llm_d_epp_request_slo_violation_total", **LABELS, type="ttft") == 1_300

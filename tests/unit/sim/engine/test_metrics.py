import math

import pytest

from bayplan.sim.engine.batching.sequence import Sequence
from bayplan.sim.engine.batching.simulated_engine import Limits, SimulatedEngine
from bayplan.sim.engine.batching.timing import Timing
from bayplan.sim.engine.metrics import Metrics
from exposition import read_exposition

TIMING = Timing(base_s=1.0, prefill_s=0.1, position_s=0.0, context_s=0.0)


@pytest.fixture
def engine():
    return SimulatedEngine(Limits(100, 4, 64, 1, 2), TIMING)


def read(metrics, **options):
    return read_exposition(metrics.text(1234.5, **options))


def test_an_idle_engine(engine):
    found = read(Metrics(engine, "m"))

    for name in ("num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "generation_tokens_total"):
        assert found.value(f"vllm:{name}", model_name="m", engine="0") == 0
    cache = found.labels("vllm:cache_config_info")
    assert (cache["block_size"], cache["num_gpu_blocks"]) == ("4", "100")


def test_the_gauges_are_those_of_the_engine(engine):
    for _ in range(3):
        engine.submit(Sequence(40, 10), 0.0)
    engine.advance(1.0)
    found = read(Metrics(engine, "m"))

    assert found.value("vllm:num_requests_running") == 1
    assert found.value("vllm:num_requests_waiting") == 2
    assert found.value("vllm:kv_cache_usage_perc") == pytest.approx(0.1)


def test_a_request_is_counted_with_its_times(engine):
    metrics, request = Metrics(engine, "m"), Sequence(10, 5)
    engine.submit(request, 0.0)
    engine.advance(100.0)
    metrics.first_token(2.0)
    metrics.request(request, "length", lost_s=50.0)
    found = read(metrics)

    assert found.value("vllm:request_success_total", finished_reason="length") == 1
    assert found.value("vllm:time_to_first_token_seconds_sum") == 2.0
    assert found.value("vllm:e2e_request_latency_seconds_sum") == pytest.approx(2.0 + 4.0 + 50.0)
    assert found.value("vllm:request_decode_time_seconds_sum") == pytest.approx(4.0)
    assert found.value("vllm:inter_token_latency_seconds_count") == 4
    assert found.value("vllm:time_per_output_token_seconds_sum") == pytest.approx(4.0)
    assert found.value("vllm:request_time_per_output_token_seconds_count") == 1
    assert found.value("vllm:request_prompt_tokens_sum") == 10


def test_an_aborted_request_is_counted_without_times(engine):
    metrics = Metrics(engine, "m")
    metrics.request(Sequence(10, 5), "abort")
    found = read(metrics)

    assert found.value("vllm:request_success_total", finished_reason="abort") == 1
    assert found.value("vllm:e2e_request_latency_seconds_count") == 0


def test_adapters(engine):
    engine.submit(Sequence(10, 5, adapter='a"b'), 0.0)
    engine.advance(1.0)
    found = read(Metrics(engine, "m"), waiting_adapters=["x", "y"])

    assert found.labels("vllm:lora_requests_info") == {
        "max_lora": "2",
        "running_lora_adapters": 'a"b',
        "waiting_lora_adapters": "x,y",
    }
    assert found.value("vllm:lora_requests_info") == 1234.5


def test_without_adapters_nothing_is_said_of_them():
    metrics = Metrics(SimulatedEngine(Limits(100, 4, 64, 8), TIMING), "m")

    assert "lora" not in metrics.text(0.0)


def test_gauges_that_are_no_numbers(engine):
    found = read(Metrics(engine, "m"), nan=True)

    for name in ("num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"):
        assert math.isnan(found.value(f"vllm:{name}"))


def test_a_model_with_an_odd_name(engine):
    found = read(Metrics(engine, 'a"\\\nb'))

    assert found.labels("vllm:num_requests_running")["model_name"] == 'a"\\\nb'

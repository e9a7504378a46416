"""The metrics of a real process, as a scraper reads them."""

from engine.running import MODEL, running


def test_an_engine_that_has_done_nothing():
    with running("--block-size", "32", "--num-gpu-blocks-override", "500") as engine:
        found = engine.metrics()

    cache = found.labels("vllm:cache_config_info")
    assert (cache["block_size"], cache["num_gpu_blocks"]) == ("32", "500")
    assert all(value == 0 for (name, _), value in found.samples.items() if name != "vllm:cache_config_info")
    assert all(name.startswith("vllm:") for name in found.kinds)


def test_what_is_counted(own_engine):
    own_engine.complete("word " * 40, max_tokens=7)
    own_engine.chat(max_tokens=3, stream=True)
    own_engine.chat()
    own_engine.complete(n=2)
    found = own_engine.metrics()

    def value(name, **labels):
        return found.value(f"vllm:{name}", model_name=MODEL, **labels)

    assert value("generation_tokens_total") == 7 + 3 + 64
    assert value("prompt_tokens_total") == value("request_prompt_tokens_sum") == value("prefix_cache_queries_total")
    assert value("request_success_total", finished_reason="length") == 2
    assert value("request_success_total", finished_reason="stop") == 1
    assert value("time_to_first_token_seconds_count") == value("e2e_request_latency_seconds_count") == 3
    assert value("inter_token_latency_seconds_count") == 7 + 3 + 64 - 3


def test_running_and_waiting():
    with running("--max-num-seqs", "1", "--enable-lora", "--lora-modules", "a=/a", "b=/b", speed="0.001") as engine:
        held = [engine.connect() for _ in range(3)]
        for connection, model in zip(held, ("a", "b", "b"), strict=True):
            body = b'{"model": "%b", "prompt": "%b"}' % (model.encode(), b"word" * 64)
            head = b"POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(body)
            connection.sendall(head + body)
        engine.until("num_requests_waiting", 2)
        found = engine.metrics()
        for connection in held:
            connection.close()

    assert found.value("vllm:num_requests_running") == 1
    assert 0 < found.value("vllm:kv_cache_usage_perc") < 0.001
    adapters = found.labels("vllm:lora_requests_info")
    assert adapters == {"max_lora": "1", "running_lora_adapters": "a", "waiting_lora_adapters": "b"}
    assert found.value("vllm:lora_requests_info") > 1_700_000_000

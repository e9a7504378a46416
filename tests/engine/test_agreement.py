"""The process and the model of time agree: what a simulator would say is what clients see and metrics tell."""

import pytest

from bayplan.sim.engine.batching.timing import PROFILES
from engine.running import running

TIMING = PROFILES["8b"].timing
BLOCK = 16


def first_token_s(prompt_tokens, cached_tokens=0):
    """The formula of docs/engine.md for an idle engine."""
    steps = -(-(prompt_tokens - cached_tokens) // PROFILES["8b"].step_tokens)
    return steps * TIMING.base_s + TIMING.prefill(cached_tokens, prompt_tokens)


@pytest.fixture(scope="module")
def engine():
    with running(speed="1") as found:
        yield found


class Difference:
    """What a metric has grown by since it was last asked for."""

    def __init__(self, engine, name):
        self._engine, self._name = engine, name
        self._before = engine.metric(name)

    def __call__(self):
        before, self._before = self._before, self._engine.metric(self._name)
        return self._before - before


def prompt(tokens, name="a"):
    return (name * 4 * tokens)[: 4 * tokens]


def test_time_to_first_token(engine):
    spent_s = Difference(engine, "time_to_first_token_seconds_sum")
    for tokens in (1, 100, 1_000, 8_192, 10_000):
        engine.complete(prompt(tokens, name=str(tokens)), max_tokens=1)
        assert spent_s() == pytest.approx(first_token_s(tokens), abs=1e-6)


def test_a_cached_prefix_saves_exactly_its_prefill(engine):
    spent_s = Difference(engine, "time_to_first_token_seconds_sum")
    hits, queries = Difference(engine, "prefix_cache_hits_total"), Difference(engine, "prefix_cache_queries_total")
    shared = prompt(2_000, name="shared ")
    for ending, cached in (("one", 0), ("two", 2_000 // BLOCK * BLOCK)):
        usage = engine.complete(shared + prompt(200, name=ending), max_tokens=1).document["usage"]

        assert usage["prompt_tokens_details"]["cached_tokens"] == cached
        assert spent_s() == pytest.approx(first_token_s(2_200, cached), abs=1e-6)
        assert (hits(), queries()) == (cached, 2_200)


def test_a_chat_that_goes_on_finds_what_was_said(engine):
    messages = [{"role": "system", "content": "rules " * 200}]
    found = []
    for turn in range(4):
        messages.append({"role": "user", "content": f"question {turn} " * 20})
        document = engine.ask("POST", "/v1/chat/completions", {"messages": messages, "max_tokens": 30}).document
        messages.append(document["choices"][0]["message"])
        found.append(document["usage"]["prompt_tokens_details"]["cached_tokens"])

    assert found[0] == 0
    assert found == sorted(set(found)), "each turn finds more than the one before it"


def test_the_time_of_an_answer(engine):
    spent_s = Difference(engine, "request_decode_time_seconds_sum")
    tokens, output = 50, 20
    engine.complete(prompt(tokens, name="answer"), max_tokens=output, stream=True)

    contexts = sum(tokens + 1 + index for index in range(output - 1))
    assert spent_s() == pytest.approx((output - 1) * TIMING.base_s + TIMING.context_s * contexts, abs=1e-6)


def test_without_a_prefix_cache_nothing_is_found():
    with running("--no-enable-prefix-caching") as engine:
        for _ in range(2):
            usage = engine.complete(prompt(500)).document["usage"]
            assert usage["prompt_tokens_details"]["cached_tokens"] == 0
        assert engine.metrics().labels("vllm:cache_config_info")["enable_prefix_caching"] == "False"


def test_a_small_cache_forgets_what_was_used_long_ago():
    with running("--num-gpu-blocks-override", "100") as engine:
        engine.complete(prompt(800, name="first "), max_tokens=1)
        engine.complete(prompt(1_200, name="second "), max_tokens=1)
        again = engine.complete(prompt(800, name="first "), max_tokens=1).document["usage"]

    assert again["prompt_tokens_details"]["cached_tokens"] < 800 - BLOCK


def test_salt_keeps_prompts_apart(engine):
    for salt, found in (("a", 0), ("b", 0), ("a", 480)):
        usage = engine.complete(prompt(481, name="salted "), max_tokens=1, cache_salt=salt).document["usage"]
        assert usage["prompt_tokens_details"]["cached_tokens"] == found

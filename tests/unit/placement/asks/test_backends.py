"""Which engine runs on which cards: the table, and what is in no table."""

import pytest

from bayplan.placement.asks.backends import OFFLOADS_PARTLY, RUNS_ON_CPU, SPANS_WORKERS, Support, support

YES, NO, UNKNOWN = Support

TABLE = {
    "vllm": {"cuda": YES, "rocm": YES, "cann": YES, "mps": NO, "musa": UNKNOWN},
    "sglang": {"cuda": YES, "rocm": YES, "cann": YES, "mps": NO, "musa": UNKNOWN},
    "llama-cpp": {"cuda": YES, "rocm": YES, "cann": YES, "mps": YES, "musa": UNKNOWN},
    "custom": {"cuda": YES, "rocm": YES, "cann": YES, "mps": YES, "musa": YES},
}
PAIRS = [(backend, runtime, answer) for backend, row in TABLE.items() for runtime, answer in row.items()]


@pytest.mark.parametrize(("backend", "runtime", "answer"), PAIRS)
def test_support(backend, runtime, answer):
    assert support(backend, runtime) is answer


def test_who_leaves_the_cards():
    assert {"llama-cpp"} == OFFLOADS_PARTLY
    assert {"llama-cpp", "custom"} == RUNS_ON_CPU
    assert {"vllm", "sglang", "llama-cpp"} == SPANS_WORKERS

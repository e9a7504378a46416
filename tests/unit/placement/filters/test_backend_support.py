"""An engine runs on the cards of some runtimes and not on others."""

import pytest

from bayplan.placement.asks.ask import CardRule, Taking
from bayplan.placement.filters.backend_support import BackendSupport
from unit.placement.builders import ask, gpu, judge, keeps_its_promises, worker


def runs(backend, taking=Taking.SHARE):
    return ask(rule=CardRule(backend=backend), taking=taking)


def with_cards(*runtimes):
    return worker(cards=[gpu(index, runtime=runtime) for index, runtime in enumerate(runtimes)])


CASES = {
    "supported": (runs("vllm"), with_cards("cuda"), None),
    "unsupported": (runs("vllm"), with_cards("mps"), "backend-unsupported"),
    "the same card, another engine": (runs("llama-cpp"), with_cards("mps"), None),
    "one usable card is enough": (runs("sglang"), with_cards("mps", "rocm"), None),
    "a runtime that is in no table": (runs("vllm"), with_cards("musa"), None),
    "unknown beside unsupported": (runs("vllm"), with_cards("mps", "musa"), None),
    "any card runs a custom engine": (runs("custom"), with_cards("mps"), None),
    "no cards at all": (runs("vllm"), with_cards(), None),
    "no card is taken": (runs("vllm", Taking.NOTHING), with_cards("mps"), None),
}


@pytest.mark.parametrize(("asked", "on", "code"), CASES.values(), ids=CASES)
def test_support(asked, on, code):
    verdict = judge(BackendSupport(), asked, on)

    assert (verdict.code, verdict.curable) == (code, False)


def test_the_reason_names_engine_and_runtimes():
    verdict = judge(BackendSupport(), runs("vllm"), with_cards("mps", "mps"))

    assert verdict.message == "vllm does not run on mps cards, and the worker has no others"


def test_contract():
    asks, workers, _ = zip(*CASES.values(), strict=True)
    keeps_its_promises(BackendSupport(), workers, asks)
    assert BackendSupport.required

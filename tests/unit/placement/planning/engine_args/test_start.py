"""What is known of a replica before it starts."""

import pytest

from bayplan.cluster.model import ModelSpec
from bayplan.placement.asks.ask import CardShape
from bayplan.placement.asks.tier import Tier
from bayplan.placement.decision.placed import Placed
from bayplan.placement.planning.engine_args.start import Start
from unit.placement.builders import need, role

NEED = need(100, overhead_mib=10)


def start(engine="vllm", *flags, model=None, shape=None):
    return Start(role(NEED, engine, *flags, model=model), NEED, Placed(Tier.ONE_GPU, shape or CardShape(1), ()))


def test_flags_are_known_by_what_they_mean():
    assert start("vllm", "--max_model_len", "9", "-tp=2").given == {"context", "tp"}
    assert start("llama-cpp", "-c", "9").given == {"context"}
    assert start(None).given == frozenset()


@pytest.mark.parametrize(("model", "given"), [(None, False), (ModelSpec(), False), (ModelSpec(concurrency=4), True)])
def test_whether_the_concurrency_was_asked_for(model, given):
    assert start(model=model).concurrency_given is given


@pytest.mark.parametrize(("model", "kind"), [(None, None), (ModelSpec(), None), (ModelSpec(kv_dtype="fp8"), "fp8")])
def test_the_kind_of_the_cache(model, kind):
    assert start(model=model).kv_dtype == kind


MARGINS = {
    "one card": (CardShape(1), "vllm", (800, 1200)),
    "two cards": (CardShape(2, tp=2), "vllm", (1230, 2048)),
    "a pipeline": (CardShape(2, pp=2), "sglang", (1230, 2048)),
    "no share is taken": (CardShape(1), "llama-cpp", (0, 1200)),
}


@pytest.mark.parametrize(("shape", "engine", "wanted"), MARGINS.values(), ids=MARGINS)
def test_what_a_card_keeps_beside_the_need(shape, engine, wanted):
    one = start(engine, shape=shape)

    assert (one.headroom_mib, one.gone_mib) == wanted
    assert one.overhead_mib == NEED.overhead_on(shape.tp, shape.pp)

"""What is told about shares of cards."""

import pytest

from bayplan.cluster.model import ModelSpec
from fleets import booking, share
from unit.placement.builders import gpu, need, planner, role, sized, worker

NEED = {"weights_mib": 15_623, "kv_mib": 2_048, "overhead_mib": 1_024, "heads": 32, "kv_heads": 8, "layers": 36}


def warnings(engine, *flags, memory_mib=24_576, bookings=(), replicas=1, gpus=None, **others):
    what = role(need(**NEED | others), engine, *flags, gpus=gpus, model=ModelSpec())
    on = worker(cards=[gpu(0, memory_mib=memory_mib)])
    return planner(on, bookings=bookings).plan(sized(what, replicas=replicas)).warnings


TIGHT = {
    "vLLM": ("vllm", "--gpu-memory-utilization=0.98", "491 MiB"),
    "SGLang": ("sglang", "--mem-fraction-static=0.98", "643 MiB"),
}


@pytest.mark.parametrize(("engine", "flag", "left"), TIGHT.values(), ids=TIGHT)
def test_a_given_share_that_leaves_too_little(engine, flag, left):
    (told,) = warnings(engine, flag)

    assert told.startswith(f"{flag.split('=')[0]} leaves {left} of a card free, less than the headroom of 800 MiB")


def test_a_given_share_that_leaves_enough():
    assert warnings("vllm", "--gpu-memory-utilization=0.96") == ()


OTHER = (booking("other", share(0, 1)),)
UNUSED = {
    "most of a card": ({"memory_mib": 81_920}, True),
    "as much as half": ({"memory_mib": 2 * 18_695}, False),
    "a card of others, too": ({"memory_mib": 81_920, "bookings": OTHER}, False),
    "a card of several replicas": ({"memory_mib": 81_920, "replicas": 2}, False),
    "a share that was asked for": ({"memory_mib": 81_920, "gpus": {"memory_mib": 20_000}}, False),
    "the rest of the card": ({"memory_mib": 81_920, "takes_rest": True}, False),
}


@pytest.mark.parametrize(("others", "told"), UNUSED.values(), ids=UNUSED)
def test_cards_that_stay_mostly_unused(others, told):
    found = warnings("sglang", **others)

    assert [each for each in found if "61 GiB" in each and "kvCache: rest" in each] == list(found)
    assert bool(found) is told


def test_no_other_engine_is_told():
    assert warnings("llama-cpp", memory_mib=81_920) == ()
    assert warnings("custom", memory_mib=81_920) == ()

"""The share of a card that an engine is told to take."""

from dataclasses import replace

import pytest

from bayplan.placement.asks.ask import CardShape
from bayplan.placement.asks.tier import Tier
from bayplan.placement.decision.placed import Placed
from bayplan.placement.planning.card_states import CardState
from bayplan.placement.planning.engine_args.shares import sglang_share, vllm_share
from bayplan.placement.planning.engine_args.start import Start
from unit.placement.builders import need, role

pytestmark = pytest.mark.usefixtures("no_headroom")

NEED = need(40, kv_mib=0, overhead_mib=10)


def start(*cards, need_mib=50, rest=False):
    """A replica of so many MiB on each card; cards as (size, free)."""
    found = tuple(CardState(memory, free, memory - free, 0) for memory, free in cards)
    of = replace(NEED, takes_rest=rest)
    return Start(role(of, "vllm"), of, Placed(Tier.ONE_GPU, CardShape(len(cards), need_mib), ()), found)


VLLM = {
    "no card": ((), {}, None),
    "a card whose size is not known": (((-1, -1),), {}, None),
    "3% more than the need": (((100, 100),), {}, "0.5150"),
    "only what is free": (((100, 51),), {}, "0.5100"),
    "never less than the need": (((100, 20),), {}, "0.5000"),
    "rounded up": (((300, 50),), {}, "0.1667"),
    "no more than all": (((50, 50),), {"need_mib": 60}, "1.0000"),
    "the smallest card limits it": (((200, 200), (100, 100)), {}, "0.5150"),
    "of equal cards the one with the least left": (((100, 100), (100, 51)), {}, "0.5100"),
    "all the rest, rounded down": (((300, 200),), {"rest": True}, "0.6666"),
}


@pytest.mark.parametrize(("cards", "others", "share"), VLLM.values(), ids=VLLM)
def test_vllm_takes_a_share_of_the_whole_card(cards, others, share):
    assert vllm_share(start(*cards, **others)) == share


SGLANG = {
    "no card": ((), {}, None),
    "3% more than weights and cache": (((100, 100),), {}, "0.4120"),
    "of what is free": (((200, 100),), {}, "0.4120"),
    "the overhead stays free": (((100, 51),), {}, "0.8040"),
    "never more than 99%": (((40, 40),), {}, "0.9900"),
    "nothing is free": (((100, 0),), {}, None),
    "all the rest but the overhead": (((300, 200),), {"rest": True}, "0.9500"),
    "no rest": (((300, 10),), {"rest": True}, None),
}


@pytest.mark.parametrize(("cards", "others", "share"), SGLANG.values(), ids=SGLANG)
def test_sglang_takes_a_share_of_what_is_free(cards, others, share):
    assert sglang_share(start(*cards, **others)) == share

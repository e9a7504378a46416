"""Models that engines divide into equal shares: which divisions are asked in which tier."""

import pytest

from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.asks.tier import Tier
from unit.placement.builders import LLAMA, asks_of, need, role, worker

EIGHT = worker("a", cards=8)


FOUR = worker("b", cards=4)


MODEL = need(8000, **LLAMA)


def spanning(what, *workers):
    return next(ask for ask in asks_of(what, *workers).asks if ask.spans)


def test_over_workers_tensor_parallel_stays_inside_one():
    shapes = spanning(role(MODEL, "vllm", distributed=True), EIGHT, FOUR).shapes

    assert max(shape.tp for shape in shapes) == 8
    assert all(shape.unit == shape.tp and not shape.splits for shape in shapes)
    assert (4, 3) in [(shape.tp, shape.pp) for shape in shapes]


def test_a_number_of_cards_above_a_worker_is_a_pipeline():
    one, many = asks_of(role(MODEL, "vllm", gpus={"count": 16}, distributed=True), EIGHT, worker("c", cards=8)).asks

    assert (one.shapes[0].tp, one.shapes[0].pp) == (16, 1)
    assert (many.shapes[0].tp, many.shapes[0].pp) == (8, 2)


def test_a_flag_may_ask_for_more_than_a_worker_has():
    asks = asks_of(role(MODEL, "sglang", "--tp-size=16", distributed=True), EIGHT, worker("c", cards=8)).asks

    assert [(ask.tier, ask.shapes[0].tp, ask.shapes[0].splits) for ask in asks] == [
        (Tier.ONE_WORKER, 16, True),
        (Tier.MANY_WORKERS, 16, True),
    ]


@pytest.mark.parametrize("distributed", [False, True])
def test_more_cards_than_there_are_is_still_asked_for(distributed):
    asks = asks_of(role(MODEL, "vllm", "-tp=16", distributed=distributed), EIGHT).asks

    assert [(ask.tier, [shape.cards for shape in ask.shapes]) for ask in asks] == [(Tier.ONE_WORKER, [16])]


def test_copies_of_the_data_parallel_are_whole():
    (ask,) = asks_of(role(MODEL, "vllm", "-tp=2", "-pp=1", "-dp=3"), EIGHT).asks

    beside = {"headroom_mib": 1230, "gone_mib": 2048}
    assert ask.shapes == (CardShape(6, 4000, tp=2, pp=1, dp=3, unit=2, splits=True, **beside),)


def test_a_cache_that_takes_the_rest_takes_whole_cards():
    rest, counted = (asks_of(role(need(80, takes_rest=rest, **LLAMA), "vllm"), EIGHT).asks for rest in (True, False))

    assert {ask.taking for ask in rest} == {Taking.WHOLE}
    assert {ask.taking for ask in counted} == {Taking.SHARE}

"""Which cards each worker of a domain gives, and what is booked on it."""

from dataclasses import replace

import pytest

from bayplan.cluster.links import Wiring, wire
from fleets import booking, share
from unit.placement.builders import cards_of, gpu, need, planner, role, sized, worker

pytestmark = pytest.mark.usefixtures("no_headroom")


def server(name, *sizes, model="H100-SXM5-80GB", **others):
    return worker(name, cards=[gpu(number, memory_mib=mib, model=model) for number, mib in enumerate(sizes)], **others)


def placed(what, *workers, bookings=()):
    (replica,) = planner(*workers, bookings=bookings).plan(sized(what)).replicas
    return replica


def pipeline(mib, *args, **others):
    return role(need(mib, heads=8, kv_heads=8, layers=8), "vllm", *args, distributed=True, **others)


def test_the_tightest_cards_of_each_worker():
    workers = server("a", 100, 90, 80), server("b", 70, 100, 90)
    what = pipeline(320, "-tp=2", "-pp=2")

    assert cards_of(placed(what, *workers)) == {"a": ["cuda:1", "cuda:2"], "b": ["cuda:1", "cuda:2"]}


def test_even_cards_under_spread():
    held = (booking("o", share(1, 1), on="a"),)
    workers = server("a", 100, 90, 80), server("b", 100, 100)
    what = pipeline(320, "-tp=2", "-pp=2", strategy="spread")

    assert cards_of(placed(what, *workers, bookings=held))["a"] == ["cuda:0", "cuda:2"]


def test_islands_of_each_worker_first():
    """Of the first worker the lowest two cards are in two pairs."""
    held = (booking("o", share(0, 100), on="a"), booking("o", share(2, 100), on="b"))
    workers = [server(name, 100, 100, 100, 100) for name in "ab"]
    workers = [replace(each, links=wire(Wiring.NVLINK_PAIRS, each.gpus)) for each in workers]
    found = cards_of(placed(pipeline(390, "-tp=2", "-pp=2", gpus={"models": ("H100",)}), *workers, bookings=held))

    assert found == {"a": ["cuda:2", "cuda:3"], "b": ["cuda:0", "cuda:1"]}


def test_cards_of_other_kinds_are_left_out():
    mixed = worker("a", cards=[gpu(0, model="L4", memory_mib=80), *server("x", 0, 100, 100).gpus[1:]])

    assert cards_of(placed(pipeline(320, "-tp=2", "-pp=2"), mixed, server("b", 100, 100)))["a"] == ["cuda:1", "cuda:2"]


def test_every_worker_books_its_share_and_what_is_asked_of_the_host():
    workers = [server(name, 100, 100, ram_mib=50, cpu_milli=500) for name in "ab"]
    replica = placed(pipeline(400, ram_mib=9, cpu_milli=8), *workers)

    assert {(each.worker, each.ram_mib, each.cpu_milli) for each in replica.placed.bookings} == {
        ("a", 9, 8),
        ("b", 9, 8),
    }
    assert {card.memory_mib for each in replica.placed.bookings for card in each.cards} == {100}


def test_what_a_flag_takes_is_booked():
    workers = [server(name, 100) for name in "ab"]
    replica = placed(pipeline(100, "-tp=1", "-pp=2", "--gpu-memory-utilization=0.9"), *workers)

    assert [card.memory_mib for each in replica.placed.bookings for card in each.cards] == [90, 90]


def llama(mib, layers, *args, **others):
    return role(need(mib, layers=layers, overhead_mib=10), "llama-cpp", *args, distributed=True, **others)


LAYERS = {
    "in proportion to what is free": (llama(120, 12), {"a": (8, 90, 0), "b": (4, 50, 0)}),
    "the rest on the host with the most RAM": (
        llama(200, 20, cpu_offload=True),
        {"a": (9, 100, 0), "b": (5, 60, 60)},
    ),
    "what a flag keeps": (llama(200, 20, "-ngl=12", cpu_offload=True), {"a": (8, 90, 0), "b": (4, 50, 80)}),
}


@pytest.mark.parametrize(("what", "wanted"), LAYERS.values(), ids=LAYERS)
def test_layers_of_each_worker(what, wanted):
    """100 and 60 MiB: nine and five layers of 10 MiB beside the engine."""
    replica = placed(what, server("a", 100, ram_mib=100), server("b", 60, ram_mib=200))
    found = {
        share.booking.worker: (share.layers, share.booking.cards[0].memory_mib, share.booking.ram_mib)
        for share in replica.placed.shares
    }

    assert found == wanted


def test_what_was_planned_is_what_the_next_plan_stands_on():
    plans = planner(server("a", 100, 100), server("b", 100, 100))
    first = plans.plan(sized(pipeline(320), name="first"))
    plans.commit(first)

    assert first.replicas
    assert plans.plan(sized(pipeline(320), name="second")).replicas == ()

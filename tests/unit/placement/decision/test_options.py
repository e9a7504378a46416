"""The options that a decision considered."""

import pytest

from fleets import booking, share
from unit.placement.builders import LLAMA, gpu, need, planner, role, sized, worker

pytestmark = pytest.mark.usefixtures("no_headroom")


def server(name, cards, mib=100, **others):
    return worker(name, cards=[gpu(number, memory_mib=mib) for number in range(cards)], **others)


def considered(what, *workers, bookings=()):
    found = planner(*workers, bookings=bookings).plan(sized(what)).options
    return [(each.chosen, str(each.tier), each.workers, each.gpus) for each in found]


def test_the_chosen_one_first_then_its_rivals_by_score():
    held = (booking("o", share(0, 50), on="b"), booking("o", share(0, 20), on="c"))
    workers = [server(name, 1) for name in "abc"]

    assert considered(role(gpus={"memory_mib": 40}), *workers, bookings=held) == [
        (True, "as-requested", ("b",), 1),
        (False, "as-requested", ("c",), 1),
        (False, "as-requested", ("a",), 1),
    ]


def test_no_more_rivals_than_people_read():
    assert len(considered(role(gpus={"count": 1}), *[server(f"w{number}", 1) for number in range(9)])) == 5


def test_the_best_of_other_tiers():
    what = role(need(90, **LLAMA), "llama-cpp", cpu_offload=True)

    assert considered(what, server("a", 2, ram_mib=500)) == [
        (True, "one-gpu", ("a",), 1),
        (False, "one-worker", ("a",), 1),
        (False, "partial-offload", ("a",), 1),
        (False, "cpu", ("a",), 0),
    ]


def test_who_is_refused_is_no_option():
    held = (booking("o", on="b"),)
    what = role(gpus={"count": 1}, anti_affinity=("o",))

    assert considered(what, server("a", 1), server("b", 1), bookings=held) == [(True, "as-requested", ("a",), 1)]


def test_over_workers_there_is_one_option_of_that_tier():
    what = role(need(180, **LLAMA), "vllm", "-tp=1", distributed=True)
    (option,) = considered(what, server("a", 1), server("b", 1))

    assert (option[0], option[1], sorted(option[2]), option[3]) == (True, "many-workers", ["a", "b"], 2)


def test_what_each_costs():
    workers = server("a", 1, usd_per_hour=3.0), server("b", 2)
    found = planner(*workers).plan(sized(role(gpus={"count": 1}))).options

    assert [(each.workers, each.usd_per_hour) for each in found] == [(("a",), 3.0), (("b",), None)]
    assert found[0].score > found[1].score


def test_overselling_is_no_option_where_it_is_not_needed():
    what = role(gpus={"memory_mib": 40}, allow_overcommit=True)

    assert considered(what, server("a", 1)) == [(True, "as-requested", ("a",), 1)]

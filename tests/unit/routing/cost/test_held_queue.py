"""One engine has room for another request while less than 2 s of prefill are before it; a block takes 1 s."""

import pytest

from unit.routing.cost.engines import account, queue, work

AB = ("a", "b")


def held(of, *requests):
    """A queue with these requests: an id, its arrival and blocks."""
    made = queue(of)
    for id_, arrived_s, *blocks in requests:
        made.hold(work(id_, *blocks), arrived_s)
    return made


DUE = {
    "an idle engine gets requests until it has no room": (
        [("x", 0, 1), ("y", 1, 2), ("z", 2, 3)], ("a",), [("x", "a"), ("y", "a")],
    ),
    "the shorter one first": ([("long", 0, 1, 2, 3), ("short", 1, 4)], ("a",), [("short", "a"), ("long", "a")]),
    "waiting makes up for length": ([("long", 0, 1, 2, 3), ("short", 9, 4)], ("a",), [("long", "a")]),
    "nobody is overtaken from half a minute later": (
        [("endless", 0, *range(20)), ("short", 31, 50)], ("a",), [("endless", "a")],
    ),
    "somebody may be overtaken from a little less": (
        [("endless", 0, *range(20)), ("short", 25, 50)], ("a",), [("short", "a"), ("endless", "a")],
    ),
    "no engine": ([("x", 0, 1)], (), []),
}  # fmt: skip


@pytest.mark.parametrize(("requests", "live", "sends"), DUE.values(), ids=DUE)
def test_what_is_sent(requests, live, sends):
    made = account()
    waiting = held(made, *requests)

    assert waiting.due(live, 40.0) == sends
    assert len(waiting) == len(requests) - len(sends)
    assert all(made.knows(id_) for id_, _ in sends)


def test_a_request_waits_for_the_engine_that_knows_its_prompt():
    made = account()
    made.send(work("before", 1, 2, 3, 4, 5), "a", 0.0)
    waiting = held(made, ("next", 0, 1, 2, 3, 4, 5, 6), ("other", 1, 9))

    assert waiting.due(AB, 1.0) == [("other", "b")]
    made.first_token("before", 5.0)
    assert waiting.due(AB, 5.0) == [("next", "a")]


def test_those_who_wait_for_an_engine_count_as_its_work():
    made = account()
    made.send(work("before", 1, 2, 3, 4, 5), "a", 0.0)
    waiting = held(made, ("next", 0, 1, 2, 3, 4, 5, 6), ("third", 1, 1, 2, 3, 4, 5, 7))
    made.send(work("busy", 20, 21, 22), "b", 0.0)

    assert waiting.due(AB, 1.0) == []
    assert len(waiting) == 2


def test_equal_engines_share_by_chance():
    picked = {held(account(), ("x", 0, 1)).due(AB, 0.0)[0][1]} | {
        queue_of_seed(seed).due(AB, 0.0)[0][1] for seed in range(20)
    }

    assert picked == set(AB)


def queue_of_seed(seed):
    made = queue(account(), seed)
    made.hold(work("x", 1), 0.0)
    return made


def test_a_request_goes_only_where_it_may():
    made = account()
    waiting = queue(made)
    waiting.hold(work("x", 1), 0.0, frozenset("b"))
    waiting.hold(work("y", 2), 0.0, frozenset("z"))

    assert waiting.due(AB, 0.0) == [("x", "b")]
    assert waiting.due(AB, 0.0) == []
    assert waiting.due((*AB, "z"), 0.0) == [("y", "z")]


def test_a_request_that_left_is_not_sent():
    waiting = held(account(), ("x", 0, 1))

    assert "x" in waiting
    assert waiting.withdraw("x")
    assert not waiting.withdraw("x")
    assert waiting.due(AB, 0.0) == []


def test_an_engine_that_came_back_is_another_one():
    made = account()
    waiting = held(made, ("x", 0, 1), ("y", 1, 2), ("z", 2, 3), ("last", 3, 4))
    assert len(waiting.due(("a",), 0.0)) == 2

    made.lose("a")

    assert waiting.due(("a",), 0.0) == [("z", "a"), ("last", "a")]


def test_blocks_that_another_request_brought_are_seen_at_once():
    made = account(hold_tokens=1)
    waiting = held(made, ("first", 0, 1, 2), ("third", 1, 7, 8, 9, 10), ("second", 1.5, 1, 2, 3, 4, 5))
    assert waiting.due(("a",), 1.0) == [("first", "a")]

    made.first_token("first", 2.0)

    assert waiting.due(("a",), 2.0) == [("second", "a")]  # three of its five blocks are left
    assert made.engine("a").load.work_s == pytest.approx(3.0)


def test_blocks_that_were_forgotten_are_computed():
    made = account(hold_tokens=1, default_capacity_tokens=30)
    waiting = held(made, ("second", 0, 1, 2, 5))
    made.send(work("first", 1, 2), "a", 0.0)
    waiting.due(("a",), 0.0)  # looked at, and known to need one block
    waiting.hold(work("flood", 21, 22, 23), -100.0)
    made.first_token("first", 1.0)

    assert waiting.due(("a",), 1.0) == [("flood", "a")]
    made.first_token("flood", 4.0)
    assert waiting.due(("a",), 4.0) == [("second", "a")]
    assert made.engine("a").load.work_s == pytest.approx(3.0)


def test_a_slower_engine_is_given_less():
    made = account()
    made.engine("a").load.rate.used = 2.5
    waiting = held(made, *((f"r{number}", number, 10 * number + 1) for number in range(3)))

    assert waiting.due(AB, 0.0) == [("r0", "b"), ("r1", "b"), ("r2", "a")]


def test_several_prompts_are_looked_up_whole():
    made = account(hold_tokens=1)
    waiting = held(made, ("first", 0, 1))
    both = work("both", 1)._replace(prompt_tokens=30, chains=(*work("both", 1).chains, *work("both", 2).chains))
    waiting.hold(both, 0.0)
    assert waiting.due(("a",), 0.0) == [("first", "a")]

    made.first_token("first", 1.0)
    assert waiting.due(("a",), 1.0) == [("both", "a")]
    assert made.engine("a").load.work_s == pytest.approx(2.0)

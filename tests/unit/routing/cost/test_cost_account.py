import pytest

from unit.routing.cost.engines import account, work

NAMES = ("a", "b")


def sent(*requests, **changed):
    """An account after these requests, each an id, an engine and blocks."""
    made = account(**changed)
    for id_, name, *blocks in requests:
        made.send(work(id_, *blocks), name, 0.0)
    return made


COSTS = {
    # own 1 s and twice as much for others
    "idle engines cost the prefill and its harm": (sent(), work("r", 1), [3.0, 3.0]),
    # two requests on a: harm is 2 + 2/2, and a second of work before it, of which nothing has been done yet
    "work before it, and more harm where requests wait": (sent(("x", "a", 7), ("y", "a", 8)), work("r", 1), [6.0, 4.0]),
    "a prompt that is known costs nothing": (sent(("x", "b", 1)), work("r", 1), [1.0 + 2.5, 1.0]),
    "the tail of a prompt is computed": (sent(("x", "b", 1)), work("r", 1, 2), [2.0 + 5.0, 1.0 + 2.5 + 1.0]),
    "a block behind one that differs is not known": (sent(("x", "b", 9, 2)), work("r", 1, 2), [7.0, 7.0 + 2.0]),
}


@pytest.mark.parametrize(("made", "asked", "costs"), COSTS.values(), ids=COSTS)
def test_costs_of_a_request(made, asked, costs):
    assert made.costs(asked, NAMES, 0.0) == pytest.approx(costs)


def test_tokens_that_are_decoded_from_cost_a_little():
    made = sent(("x", "a", 1, 2))
    made.first_token("x", 2.0)

    cost_a, cost_b = made.costs(work("r", 9), NAMES, 2.0)

    assert cost_a - cost_b == pytest.approx(0.02 * 0.1 * 20)


def test_what_the_oldest_request_has_been_computed_is_taken_off():
    made = sent(("x", "a", 1, 2))

    before, _ = made.costs(work("r", 9), NAMES, 0.0)
    after, _ = made.costs(work("r", 9), NAMES, 1.5)

    assert before - after == pytest.approx(1.5)


def test_a_slow_engine_costs_more_and_harms_as_an_average_one():
    made = account()
    made.engine("a").load.rate.used = 2.0
    made.engine("b").load.rate.used = 1.0
    average = 2 / (1 / 2 + 1 / 1)

    assert made.costs(work("r", 1), NAMES, 0.0) == pytest.approx([2.0 + 2.0 * average, 1.0 + 2.0 * average])


def test_a_rate_is_learnt_from_first_tokens():
    made = account(rate_bucket_s=1.0)
    for number in range(3):
        for name, seconds in (("a", 1.0), ("b", 3.0), ("c", 1.0)):
            made.send(work(f"{name}{number}", 100 * number + 1), name, 10.0 * number)
            made.first_token(f"{name}{number}", 10.0 * number + seconds)

    assert [made.engine(name).load.rate.used for name in ("a", "b", "c")] == [1.0, 3.0, 1.0]


def test_ends_leave_no_trace():
    made = sent(("x", "a", 1), ("y", "a", 2))
    made.first_token("x", 1.0)

    for id_ in ("x", "y", "y", "unknown"):
        made.end(id_)
    made.first_token("unknown", 2.0)

    load = made.engine("a").load
    assert (load.work_s, load.resident_tokens, load.pending, load.resident) == (0.0, 0, {}, {})
    assert not made.knows("x")


def test_a_lost_engine_is_forgotten_and_names_what_had_no_first_token():
    made = sent(("x", "a", 1), ("y", "a", 2), ("z", "b", 3))
    made.first_token("x", 1.0)

    assert made.lose("a") == ["y"]
    assert made.lose("a") == []
    assert [made.knows(id_) for id_ in "xyz"] == [False, False, True]
    assert made.costs(work("r", 1), ("a",), 1.0) == pytest.approx([3.0])


def test_an_engine_remembers_as_much_as_it_says():
    made = sent(("x", "a", 1, 2, 3))

    made.resize("a", 10)

    assert made.engine("a").uncached_tokens(work("r", 1, 2, 3)) == 20


def test_accounts_that_joined_see_each_other():
    one, other = account(), account()
    other.send(work("early", 5), "a", 0.0)
    one.join(other)
    other.send(work("x", 1), "a", 0.0)
    one.send(work("y", 2), "a", 0.0)

    assert one.costs(work("r", 9), NAMES, 0.0) == other.costs(work("r", 9), NAMES, 0.0)
    assert one.costs(work("r", 1), ("a",), 0.0) > other.costs(work("r", 1), ("a",), 0.0)  # indexes are their own


def test_several_prompts_count_together():
    made = sent(("x", "a", 1), ("y", "a", 2))
    both = work("r", 1)._replace(prompt_tokens=25, chains=(*work("r", 1).chains, *work("r", 2).chains))

    assert made.engine("a").uncached_tokens(both) == 5


def test_no_engine_no_harm():
    assert account().harm(3, []) == 0.0
    assert account().costs(work("r", 1), (), 0.0) == []

import pytest

from bayplan.framework.cycle import Cycle
from bayplan.framework.errors import InputError
from bayplan.routing.endpoints.endpoint import CachedPrompt, Endpoint, KnownState
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.hooks import Sent
from bayplan.routing.scorers.prefill_cost_scorer import PrefillCostScorer
from unit.routing.endpoint_tables import endpoints, request

TABLE = endpoints({}, {})
A, B = "ab"


class Rows:
    name = (A, B)


def scorer(**fields):
    return PrefillCostScorer(**{"seconds_per_token": 0.1, "block_size_tokens": 10, **fields})


def send(to, asked, row, now=0.0):
    to.sent(asked, Sent({"early": (row,)}, "early", None, TABLE), now)


def scores(by, asked, now=0.0):
    return by.score(asked, Rows, Cycle(asked, asked, now=now))


def prompt(id_, begin, tokens=20):
    return request(id_, tokens=range(begin, begin + tokens))


def test_scores_fall_with_the_cost_in_seconds():
    by = scorer()
    send(by, prompt("x", 100), 0)

    first, second = scores(by, prompt("r", 500, 10))

    # own 1 s, harm of 2 + 1/2, and 2 s of work on a
    assert (first, second) == pytest.approx((1 / (1 + 1 + 2.5 + 2), 1 / (1 + 1 + 2.5)))


def test_a_known_prompt_scores_higher():
    by = scorer()
    send(by, prompt("x", 0), 1)
    by.first_token(prompt("x", 0), 2.0)

    first, second = scores(by, prompt("r", 0), 2.0)

    assert second > first


def test_the_prefill_stage_computes_the_prompt():
    by = scorer()

    by.sent(prompt("x", 0), Sent({"decode": (0,), "prefill": (1,)}, "decode", "prefill", TABLE), 0.0)

    assert (by.account.engine(A).load.work_s, by.account.engine(B).load.work_s) == (0.0, 2.0)


def test_a_request_that_was_held_is_counted_once():
    by = scorer()

    for _ in range(2):
        send(by, prompt("x", 0), 0)

    assert by.account.engine(A).load.work_s == 2.0


def test_the_end_leaves_nothing():
    by = scorer()
    send(by, prompt("x", 0), 0)

    by.completed(prompt("x", 0), None, 1.0)

    assert by.account.engine(A).load.work_s == 0.0


def test_a_document_says_what_an_endpoint_remembers():
    by = scorer()
    cached = CachedPrompt("m", tuple(range(40)))

    known = KnownState(EngineMetrics(block_size=10, blocks=3), cached=(cached,))
    by.endpoint_up(Endpoint(A, "10.0.0.1", known=known), 0.0)
    by.endpoint_up(Endpoint(B, "10.0.0.2"), 0.0)

    matches = by.matches(prompt("r", 0, 45), (A, B), (None, None), 0.0)
    assert [(each.matched_blocks, each.total_blocks, each.block_size) for each in matches] == [(3, 5, 10), (0, 5, 10)]


def test_a_metrics_report_without_the_size_of_the_cache_changes_nothing():
    by = scorer()
    by.reported(A, EngineMetrics(waiting=3), 0.0)

    assert by.account.engine(A).index.capacity == 50_000


def test_an_endpoint_that_is_gone_is_forgotten():
    by = scorer()
    send(by, prompt("x", 0), 0)

    by.endpoint_down(A)

    assert scores(by, prompt("r", 0))[0] == scores(by, prompt("r", 0))[1]


def test_what_was_learnt_outlives_a_configuration():
    former, by = scorer(), scorer(base_penalty=5.0)
    send(former, prompt("x", 0), 0)

    by.take_over(former)

    assert by.account.engine(A).load.work_s == 2.0
    assert by.account.settings.base_penalty == 5.0


WRONG = {
    "no time": ("seconds_per_token", 0.0),
    "a negative penalty": ("base_penalty", -1.0),
    "a negative price": ("queue_price", -1.0),
    "a negative weight": ("resident_weight", -0.1),
    "negative ageing": ("ageing", -0.1),
    "negative overtaking": ("overtaking_seconds", -1.0),
    "no tokens to hold for": ("hold_tokens", 0),
    "empty blocks": ("block_size_tokens", 0),
}


@pytest.mark.parametrize(("field", "value"), WRONG.values(), ids=WRONG)
def test_a_wrong_parameter_is_refused_by_its_name(field, value):
    with pytest.raises(InputError) as refused:
        scorer(**{field: value})

    assert refused.value.place == field

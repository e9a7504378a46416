"""Cold requests go round."""

from types import SimpleNamespace

import pytest

from bayplan.routing.scorers.no_hit_lru_scorer import NoHitLruScorer
from unit.routing.endpoint_tables import (
    cycle,
    endpoints,
    keeps_its_promises,
    match,
    refused_at,
    request,
    scores,
    sent_to,
)

COLUMN = "prefix_of_approx_prefix_cache_producer"
COLD, WARM = match(0, 4), match(1, 4)


def table(*matches):
    return endpoints(*({} for _ in matches), **{COLUMN: matches})


def send(plugin, on, row, **more):
    """A request that is scored and then sent."""
    asked = request()
    scores(plugin, on, asked)
    plugin.sent(asked, sent_to(on, row, **more), 0.0)


CASES = {
    "never used: in the order of the table": ([], {"a": 1.0, "b": 0.5, "c": 0.0}),
    "used ones come last": ([0], {"b": 1.0, "c": 0.5, "a": 0.0}),
    "the oldest use first": ([2, 0, 1], {"c": 1.0, "a": 0.5, "b": 0.0}),
    "the last use counts": ([0, 1, 0], {"c": 1.0, "b": 0.5, "a": 0.0}),
}


@pytest.mark.parametrize(("picked", "wanted"), CASES.values(), ids=CASES)
def test_score(picked, wanted):
    plugin, on = NoHitLruScorer(), table(COLD, COLD, COLD)
    for row in picked:
        send(plugin, on, row)

    assert scores(plugin, on) == wanted


def test_one_candidate_with_a_block_is_enough_for_no_opinion():
    assert scores(NoHitLruScorer(), table(COLD, WARM)) == {"a": 0.5, "b": 0.5}


def test_alone():
    assert scores(NoHitLruScorer(), table(COLD)) == {"a": 1.0}


def test_warm_requests_are_not_remembered():
    plugin = NoHitLruScorer()
    send(plugin, table(WARM, COLD), 0)

    assert scores(plugin, table(COLD, COLD)) == {"a": 1.0, "b": 0.0}


def test_a_request_that_is_warm_in_one_stage_is_not_cold():
    plugin, asked = NoHitLruScorer(), request()
    same = cycle(asked)
    for matches in ([WARM, COLD], [COLD, COLD]):
        plugin.score(asked, SimpleNamespace(size=2, name=["a", "b"], **{COLUMN: matches}), same)
    plugin.sent(asked, sent_to(table(COLD, COLD)), 0.0)

    assert scores(plugin, table(COLD, COLD)) == {"a": 1.0, "b": 0.0}


def test_the_prefill_pick_is_the_newer_one():
    plugin, on = NoHitLruScorer(), table(COLD, COLD)
    send(plugin, on, 1, prefill=0)

    assert scores(plugin, on) == {"b": 1.0, "a": 0.0}


def test_only_the_newest_are_remembered():
    plugin, on = NoHitLruScorer(lru_size=1), table(COLD, COLD, COLD)
    for row in (0, 1):
        send(plugin, on, row)

    assert scores(plugin, on) == {"a": 1.0, "c": 0.5, "b": 0.0}


def test_an_endpoint_that_is_gone_is_forgotten():
    plugin, on = NoHitLruScorer(), table(COLD, COLD)
    send(plugin, on, 0)
    plugin.endpoint_down("a")

    assert scores(plugin, on) == {"a": 1.0, "b": 0.0}


def test_ranges():
    assert refused_at(NoHitLruScorer, lru_size=0) == "lru_size"


def test_a_reload_keeps_who_got_cold_requests():
    former, plugin, on = NoHitLruScorer(), NoHitLruScorer(), table(COLD, COLD)
    send(former, on, 0)
    plugin.take_over(former)

    assert scores(plugin, on) == {"b": 1.0, "a": 0.0}


def test_contract():
    keeps_its_promises(NoHitLruScorer(), table(COLD, COLD, WARM))
    keeps_its_promises(NoHitLruScorer(), table(COLD, COLD))

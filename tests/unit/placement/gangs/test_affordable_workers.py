"""The workers that hold most members for what there is to spend."""

import pytest

import bayplan
from bayplan.placement.gangs.affordable_workers import cheapest

CASES = {
    "nothing to spend": ([1.0], [1], 1, 0.0, (), 0, []),
    "the cheapest": ([3.0, 1.0, 2.0], [1, 1, 1], 1, 9.0, (), 0, [1]),
    "a large one rather than two": ([3.0, 2.0, 2.0], [2, 1, 1], 2, 3.0, (), 0, [0]),
    "no more than wanted": ([1.0, 1.0], [2, 2], 2, 9.0, (), 0, [0]),
    "what is paid for already": ([0.0, 1.0], [1, 1], 2, 0.0, (), 0, [0]),
    "lent ones that may": ([1.0, 5.0], [2, 2], 2, 9.0, (0,), 2, [0]),
    "one lent one beside others": ([1.0, 5.0], [2, 1], 2, 9.0, (0,), 1, [0, 1]),
    "one member on two lent ones": ([1.0, 1.0, 9.0], [1, 1, 1], 2, 5.0, (0, 1), 1, [0]),
    "no lent one at all": ([1.0, 5.0], [2, 1], 2, 9.0, (0,), 0, [1]),
    "more lent ones than may": ([1.0, 5.0], [2, 1], 2, 9.0, (0,), -1, [1]),
}  # fmt: skip


@pytest.mark.parametrize(("prices", "rooms", "wanted", "limit", "lent", "most", "chosen"), CASES.values(), ids=CASES)
def test_cheapest(prices, rooms, wanted, limit, lent, most, chosen):
    assert cheapest(prices, rooms, wanted, limit, lent, most) == chosen


def fleet(monkeypatch, most):
    """Dear workers with one card, which are full first, and cheap ones with four."""
    monkeypatch.setattr("bayplan.placement.gangs.affordable_workers.MOST_WORKERS", most)
    dear = [{"name": f"dear{n}", "usdPerHour": 5, "gpus": {**CARD, "count": 1}} for n in range(4)]
    cheap = [{"name": f"cheap{n}", "usdPerHour": 5, "gpus": {**CARD, "count": 4}} for n in range(2)]
    return {"workers": [*dear, *cheap]}


CARD = {"model": "L40S", "memory": "48Gi"}
ALL = {"replicas": 8, "gang": {}, "gpus": {"count": 1}}


@pytest.mark.parametrize("most", [2000, 2], ids=["all are tried", "the promising are tried"])
def test_a_budget_goes_to_workers_that_hold_most(monkeypatch, most):
    asked = {"metadata": {"name": "mine"}, "spec": {**ALL, "cost": {"maxUsdPerHour": 10}}}

    assert bayplan.plan(asked, fleet(monkeypatch, most))["verdict"] == "fits"


def test_prices_that_add_up_to_the_limit_are_within_it():
    """The third worker would be full, so it is taken first; beside it no other can be paid."""
    prices = {"a": (1.1, 3), "b": (2.2, 3), "full": (2.5, 2)}
    workers = [
        {"name": name, "usdPerHour": price, "gpus": {**CARD, "count": count}} for name, (price, count) in prices.items()
    ]
    spec = {**ALL, "replicas": 2, "gpus": {"count": 2}, "cost": {"maxUsdPerHour": 3.3}}

    assert bayplan.plan({"metadata": {"name": "mine"}, "spec": spec}, {"workers": workers})["verdict"] == "fits"


@pytest.mark.parametrize(("most", "proven"), [(2000, True), (2, False)])
def test_what_was_not_tried_is_not_proven(monkeypatch, most, proven):
    """Nine members find no room for ten dollars, and would not if nobody were there."""
    asked = {"metadata": {"name": "mine"}, "spec": {**ALL, "replicas": 9, "cost": {"maxUsdPerHour": 10}}}
    plan = bayplan.plan(asked, fleet(monkeypatch, most))

    assert (plan["verdict"], plan["proven"]) == (("infeasible", True) if proven else ("waiting", False))

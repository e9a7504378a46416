"""Replicas over several workers: which of them together, and when a number is proven."""

import pytest

import bayplan


def worker(name, count, price=1, *, spot=False, model="H100-SXM5-80GB", **others):
    cards = {"count": count, "model": model, "memory": "80Gi"}
    return {"name": name, "usdPerHour": price, "spot": spot, "gpus": cards, **others}


def planned(workers, **spec):
    spec = {"distributed": True, "replicas": 2, **spec}
    return bayplan.plan({"metadata": {"name": "mine"}, "spec": spec}, {"workers": workers})


FOUR = {"count": 4}
CASES = {
    "all cards of one model": ([worker("a", 3), worker("b", 3), worker("c", 2)], {}, 2),
    "too few": ([worker("a", 3), worker("b", 3)], {}, 1),
    "models are not mixed": ([worker("a", 6), worker("b", 2, model="A100-SXM4-80GB")], {}, 1),
    "the set that costs least": (
        [worker("a", 4, 5), *(worker(f"b{number}", 2, 1) for number in range(4))], {"cost": {"maxUsdPerHour": 5}}, 2
    ),
    "what the budget allows": (
        [worker("a", 4, 5), *(worker(f"b{number}", 2, 2) for number in range(4))], {"cost": {"maxUsdPerHour": 7}}, 1
    ),
    "steady workers first": (
        [worker("a", 2), worker("b", 2, spot=True), worker("c", 2), worker("d", 2, spot=True)],
        {"cost": {"maxSpotPercent": 50}}, 2,
    ),
    "no more on spot than may be": (
        [worker("a", 4, spot=True), worker("b", 4, spot=True)], {"cost": {"maxSpotPercent": 50}}, 1
    ),
}  # fmt: skip


@pytest.mark.parametrize(("workers", "spec", "placed"), CASES.values(), ids=CASES)
def test_as_many_as_the_cards_make(workers, spec, placed):
    plan = planned(workers, gpus=FOUR, **spec)

    assert (plan["placed"], plan["proven"]) == (placed, True)


def test_a_number_that_the_cards_do_not_explain_is_not_proven():
    """Each worker has CPU for one part; whether two parts might be divided otherwise nobody looked."""
    plan = planned([worker("a", 4, cpu=1), worker("b", 2, cpu=1), worker("c", 3, cpu=1)], gpus={"count": 3}, cpu=1)
    few = planned([worker("a", 2, cpu=1), worker("b", 2, cpu=1), worker("c", 2, cpu=1)], gpus={"count": 3}, cpu=1)

    assert (plan["placed"], plan["proven"]) == (2, True)
    assert (few["placed"], few["proven"]) == (1, False)

"""Verdicts that follow from facts that are not known."""

import pytest

import bayplan

CARDS = {"gpus": {"count": 2, "model": "H100-SXM5-80GB", "memory": "80Gi"}}
NO_SIZE = {"gpus": {"count": 2, "model": "H100-SXM5-80GB"}}
ONE = {"gpus": {"count": 1}}
HELD = [{"workload": "other", "replica": 0, "worker": "a", "gpus": [{"index": 0}, {"index": 1}]}]

CASES = {
    "a price": ({**ONE, "cost": {"maxUsdPerHour": 7}}, CARDS, (), ["price"]),
    "a price, and a booking in the way": ({**ONE, "cost": {"maxUsdPerHour": 7}}, CARDS, HELD, ["price"]),
    "a price, but too few cards": ({"gpus": {"count": 3}, "cost": {"maxUsdPerHour": 7}}, CARDS, (), []),
    "a price that is too high": ({**ONE, "cost": {"maxUsdPerHour": 7}}, {**CARDS, "usdPerHour": 9}, (), []),
    "the carbon intensity": ({**ONE, "maxCarbonGramsPerKwh": 9}, CARDS, (), ["carbon"]),
    "RAM": ({**ONE, "ram": "1Gi"}, CARDS, (), ["ram"]),
    "CPU": ({**ONE, "cpu": 1}, CARDS, (), ["cpu"]),
    "CPU and RAM": ({**ONE, "cpu": 1, "ram": "1Gi"}, CARDS, (), ["cpu", "ram"]),
    "RAM and the size of cards": ({"ram": "1Gi", "gpus": {"memory": "1Gi"}}, NO_SIZE, (), ["card-memory", "ram"]),
    "the size of cards": ({"gpus": {"memory": "1Gi"}}, NO_SIZE, (), ["card-memory"]),
    "links": ({"gpus": {"count": 2, "locality": "nvlink"}}, CARDS, (), ["links"]),
    "sockets": ({"gpus": {"count": 2, "locality": "same-socket"}}, CARDS, (), ["sockets"]),
    "the need": ({"model": {"name": "nobody/knows-this"}}, CARDS, (), ["need"]),
    "it fits": (ONE, CARDS, (), []),
    "it waits": (ONE, CARDS, HELD, []),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "worker", "bookings", "facts"), CASES.values(), ids=CASES)
def test_what_is_not_known(spec, worker, bookings, facts):
    cluster = {"workers": [{"name": "a", **worker}], "bookings": list(bookings)}
    asked = {"metadata": {"name": "mine"}, "spec": spec}
    plan, why = bayplan.plan(asked, cluster), bayplan.why(asked, cluster, changes=False)

    assert [each["fact"] for each in plan["unknowns"]] == facts
    assert why["unknowns"] == plan["unknowns"]
    assert all(each["workers"] == ["a"] and each["next"] for each in plan["unknowns"])
    assert (plan["verdict"] == "infeasible") or not facts


def test_what_helps_is_about_the_fact():
    cluster = {"workers": [{"name": "a", **CARDS}]}
    plan = bayplan.plan({"metadata": {"name": "mine"}, "spec": {**ONE, "cost": {"maxUsdPerHour": 7}}}, cluster)

    assert [each["next"] for each in plan["rejections"]] == ["give the worker's usdPerHour, or drop cost.maxUsdPerHour"]


def test_where_nothing_helps_why_says_so():
    """A card of a model that no catalogue and no worker has."""
    spec = {"gpus": {"count": 1, "models": ["H100"]}, "selector": {"matchLabels": {"x": "y"}}, "regions": ["r"]}
    why = bayplan.why({"metadata": {"name": "mine"}, "spec": spec}, {"workers": [{"name": "a", "cpu": 1}]})

    assert (why["changes"], why["no_change_helps"], why["changes_complete"]) == ([], True, True)
    assert why["changes_note"] == "no single change and no two changes make it fit"


def test_each_fact_has_its_own_sentence_and_advice():
    cluster = {"workers": [{"name": "a", **CARDS}, {"name": "b", "cpu": 8, **CARDS}]}
    plan = bayplan.plan({"metadata": {"name": "mine"}, "spec": {**ONE, "cpu": 1, "ram": "1Gi"}}, cluster)

    told = [(each["code"], each["workers"], each["next"]) for each in plan["rejections"]]
    assert told == [
        ("unknown-capacity", 2, "give the worker's ram, or ask for no ram"),
        ("unknown-capacity", 1, "give the worker's cpu, or ask for no cpu"),
    ]

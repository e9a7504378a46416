"""`gpus`: every fact is that of a count card by card."""

import pytest
from hypothesis import given

import bayplan
from properties.placement.documents import HALF
from properties.placement.free_rules import Card, facts, fleets


@HALF
@given(fleets())
def test_facts(cluster):
    found = bayplan.gpus(cluster)

    cards = [Card(worker, card, cluster["bookings"]) for worker in cluster["workers"] for card in worker["gpus"]]
    _compare(found["total"], facts(cluster["workers"], cards))
    models = {card.card["model"] for card in cards}
    assert {each["model"] for each in found["models"]} == models
    for each in found["models"]:
        _compare(each, facts(cluster["workers"], [card for card in cards if card.card["model"] == each["model"]]))


@HALF
@given(fleets())
def test_shared_cards(cluster):
    found = bayplan.gpus(cluster)["shared_cards"]

    cards = [Card(worker, card, cluster["bookings"]) for worker in cluster["workers"] for card in worker["gpus"]]
    expected = {
        (card.worker["name"], card.card["index"], card.card["model"], card.free_mib, 100 - card.percent)
        for card in cards
        if card.kind == "shared"
    }
    keys = ("worker", "index", "model", "free_mib", "free_compute_percent")
    assert {tuple(each[key] for key in keys) for each in found} == expected
    assert len(found) == len(expected)


def _compare(found, expected):
    sets = {
        (each["cards"], None if each["nvlink_islands"] is None else tuple(each["nvlink_islands"])): sorted(
            each["workers"]
        )
        for each in found["sets"]
    }
    assert {**{key: found[key] for key in expected}, "sets": sets} == {
        **expected, "fragmentation": pytest.approx(expected["fragmentation"])
    }  # fmt: skip

"""An adapter that is loaded is better."""

import pytest

from bayplan.routing.scorers.lora_affinity_scorer import LoraAffinityScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, request, scores

FULL = {"lora_active": frozenset({"x", "y"}), "lora_max": 2}
CASES = {
    "active": ({"lora_active": frozenset({"m", "x"}), "lora_max": 2}, 1.0),
    "room for one more": ({"lora_active": frozenset({"x"}), "lora_max": 2}, 0.8),
    "room counts before waiting": ({"lora_waiting": frozenset({"m"}), "lora_max": 2}, 0.8),
    "waits to be loaded": (FULL | {"lora_waiting": frozenset({"m"})}, 0.6),
    "waiting ones take room": ({"lora_waiting": frozenset({"x", "y"}), "lora_max": 2}, 0.0),
    "full": (FULL, 0.0),
    "no adapters": ({}, 0.0),
}  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), CASES.values(), ids=CASES)
def test_score(given, wanted):
    assert scores(LoraAffinityScorer(), endpoints(given), request(model="m")) == {"a": wanted}


def test_contract():
    table = endpoints(*(given for given, _ in CASES.values()))

    keeps_its_promises(LoraAffinityScorer(), table, [request("m"), request("x", model="x"), request("?", model=None)])

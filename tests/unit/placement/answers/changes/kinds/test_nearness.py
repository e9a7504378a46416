from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import LLAMA_70B, change, cluster, held, kinds, model, worker

PAIRS = cluster(worker("a", cards=4, links="nvlink-pairs"), worker("b", cards=4, links="nvlink-pairs"))
SLOW = cluster(worker("a", cards=4, links=[[0, 1, "nvlink", 300], [2, 3, "nvlink", 100]]))

LOCALITIES = {
    "linked cards for any of a worker": (3, "nvlink",      "same-node", "same-node"),
    "one socket for any of a worker":   (3, "same-socket", "same-node", "same-node"),
    "one worker for several":           (5, "same-node",   "any",       "any"),
    "linked cards for several workers": (5, "nvlink",      "any",       "any (same-node does not fit)"),
}  # fmt: skip


@pytest.mark.parametrize(("cards", "now", "to", "told"), LOCALITIES.values(), ids=LOCALITIES)
def test_locality(cards, now, to, told):
    found = change({"gpus": {"count": cards, "locality": now}}, PAIRS, "locality")

    assert (found["field"], found["from"], found["to"]) == ("gpus.locality", now, to)
    assert found["detail"] == f"locality {now} -> {told}"


NO_LOCALITY = {
    "too many cards in all":          {"gpus": {"count": 9, "locality": "nvlink"}},
    "already anywhere":               {"gpus": {"count": 9, "locality": "any"}},
    "nothing was said":               {"gpus": {"count": 9}},
    "an engine that does not span":   {"gpus": {"count": 8, "locality": "same-node"}, "model": model("100Gi")},
}  # fmt: skip


@pytest.mark.parametrize("spec", NO_LOCALITY.values(), ids=NO_LOCALITY)
def test_no_other_locality(spec):
    assert "locality" not in kinds(spec, PAIRS)


def test_an_engine_that_spans():
    spec = {
        "gpus": {"count": 8, "locality": "same-node"},
        "model": model("100Gi", architecture=LLAMA_70B),
        "backend": {"name": "vllm"},
    }

    assert change(spec, PAIRS, "locality")["to"] == "any"


def test_the_fastest_set_there_is():
    found = change({"gpus": {"count": 2, "minBandwidth": 600}}, SLOW, "bandwidth")

    assert (found["field"], found["from"], found["to"]) == ("gpus.minBandwidth", 600, 300)
    assert found["detail"] == "minBandwidth 600 -> 300 GB/s"


def test_the_fastest_set_that_is_free():
    on = {**SLOW, "bookings": [held("x", 0)]}

    found = change({"gpus": {"count": 2, "minBandwidth": 600}}, on, "bandwidth")

    assert (found["to"], found["not_enough"]["to"]) == (100, 300)
    assert found["detail"] == "minBandwidth 600 -> 100 GB/s (300 GB/s is more than any set of free cards has)"


def test_links_that_nobody_knows():
    found = change({"gpus": {"count": 2, "minBandwidth": 600}}, cluster(worker("a")), "bandwidth")

    assert (found["to"], found["detail"]) == (None, "minBandwidth 600 -> none")


def test_one_card_is_near_to_itself():
    on = cluster(worker("a", cards=1), bookings=[held("x", 0)])

    assert not {"locality", "bandwidth"} & set(
        kinds({"gpus": {"count": 1, "locality": "nvlink", "minBandwidth": 9}}, on)
    )


def test_of_a_role():
    spec = {"roles": [{"name": "main", "replicas": 1, "gpus": {"count": 3, "locality": "nvlink"}}]}

    found = change(spec, PAIRS, "locality")

    assert (found["field"], found["detail"]) == (
        "roles[0].gpus.locality",
        "role main: locality nvlink -> same-node",
    )

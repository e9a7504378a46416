"""What is free, as a document."""

import json

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.answers.free_sets import SIZES, free_sets
from bayplan.placement.answers.free_sets_document import free_sets_document
from fleets import CUT, a100, a100s, booking, share, whole, worker

COUNTS = ("cards", "whole", "shared", "held", "mig", "unhealthy", "closed")


def document(*workers, bookings=()):
    return free_sets_document(free_sets(Snapshot.load(workers, bookings)))


def test_counts_by_model_and_in_total():
    cards = (a100(0), a100(1), a100(2), a100(3, mig=CUT), a100(4, healthy=False))
    found = document(worker("a", cards), bookings=[booking("m", share(0, 960)), booking("n", whole(1))])
    (model,) = found["models"]

    assert (found["kind"], model["runtime"], model["model"], model["memory_mib"]) == (
        "Gpus", "cuda", "A100-SXM4-40GB", 40_960,
    )  # fmt: skip
    assert [model[name] for name in COUNTS] == [5, 1, 1, 1, 1, 1, 0]
    assert {name: found["total"][name] for name in COUNTS} == {name: model[name] for name in COUNTS}


def test_workers_by_the_cards_that_they_could_give():
    total = document(worker("a", 8), worker("b", 3))["total"]

    assert list(total["workers_with"]) == [str(size) for size in SIZES]
    assert total["workers_with"]["1"] == 2
    assert total["largest"]["worker"] == 8


def test_sets_and_their_islands():
    gpus = a100s(4)
    found = document(worker("a", gpus, links=wire(Wiring.NVLINK_PAIRS, gpus)), worker("b", 4))

    assert [(each["cards"], each["nvlink_islands"], each["workers"]) for each in found["total"]["sets"]] == [
        (4, None, ["b"]), (4, [2, 2], ["a"]),
    ]  # fmt: skip


def test_a_shared_card_says_what_is_left_of_it():
    found = document(worker("a", 1), bookings=[booking("m", share(0, 960, 250))])

    assert found["shared_cards"] == [
        {
            "worker": "a", "runtime": "cuda", "index": 0, "model": "A100-SXM4-40GB", "memory_mib": 40_960,
            "free_mib": 40_000, "free_compute_percent": 75.0, "places": None, "free_places": None,
        }
    ]  # fmt: skip


def test_slices_that_a_cut_card_could_give():
    found = document(worker("a", (a100(0, mig=CUT),), mig_slices={"4g.20gb": 1}))
    by_profile = {each["profile"]: each for each in found["mig"]}

    assert by_profile["3g.20gb"]["possible"] == 2
    assert by_profile["4g.20gb"]["no_known_card"] == 1


def test_it_is_plain_data():
    found = document(worker("a", 2), worker("b", 0), bookings=[booking("m", share(0, 960))])

    assert json.loads(json.dumps(found)) == found


def test_nothing_at_all():
    found = document()

    assert (found["models"], found["shared_cards"], found["mig"], found["total"]["cards"]) == ([], [], [], 0)

"""Whether models fit on fewer replicas."""

import pytest

from bayplan.serving.autoscaling.packing import smallest_packing
from unit.serving.builders import booking, model, planner, replica, server


def packed(replicas, bookings, *models, low=1):
    made = planner([server("a", replicas)], bookings)
    plans = {each.key: made.plan(each) for each in models}
    book = made.ledger.servers["a"]
    return smallest_packing(book, plans, low, len(book.replicas))


def held(*sizes, **fields):
    return [booking(f"m{n}", f"a/{n}", memory=mib, **fields) for n, mib in enumerate(sizes)]


ROOMY = [replica(0, capabilities=("sklearn", "onnx")), replica(1, capabilities=("onnx",)), replica(2)]
CASES = {  # replicas, bookings; how many are enough
    "everything on one": (3, held(30, 30, 30), 1),
    "the larger one is moved first": (3, held(60, 40, 30), 2),
    "not enough room": (2, held(60, 50), None),
    "not below the minimum": (3, held(10, 10, 10), 2),
    "one that drains still serves": (2, [*held(10), booking("x", "a/1", "draining")], None),
    "one that leaves need not move": (2, [*held(10), booking("x", "a/1", "unload-requested", 90)], 1),
    "the model is there already": (2, [booking("x", "a/0"), booking("x", "a/1")], None),
    "there once, and failed": (2, [booking("x", "a/0", "load-failed"), booking("x", "a/1")], None),
    "all capabilities of its replica": (ROOMY, [booking("x", "a/2")], 1),
    "a capability that is not offered": (ROOMY[1:], [booking("x", "a/2")], None),
    "memory that is not known": ([replica(0, None), replica(1)], held(0, 10), None),
    "no memory needed": ([replica(0, None), replica(1)], held(0, 0), 1),
    "draining replicas play no part": ([replica(0, draining=True), replica(1), replica(2)], [booking("x", "a/2")], 1),
}  # fmt: skip


@pytest.mark.parametrize(("replicas", "bookings", "enough"), CASES.values(), ids=CASES)
def test_packing(replicas, bookings, enough):
    assert packed(replicas, bookings, low=2 if enough == 2 else 1) == enough


def test_models_of_the_call_need_what_they_say():
    small = [replica(0, 100, ("sklearn",)), replica(1, 100, ("sklearn", "onnx"))]
    bookings = [booking(place="a/1", memory=10)]

    assert packed(small, bookings) is None, "all capabilities of its replica"
    assert packed(small, bookings, model()) == 1, "its own requirements"
    assert packed(small, bookings, model(memory=101)) is None, "its own need"
    assert packed(small, bookings, model(preloaded=True)) is None, "its server loads it by itself"
    assert packed(small, [booking(place="a/1", version=2)], model(version=3)) is None, "of another version as booked"


def test_each_replica_of_a_model_of_the_call_needs_a_place():
    spread = [booking(place=f"a/{n}") for n in range(3)]

    assert packed(4, spread, model(replicas=3)) == 3
    assert packed(4, spread, model(replicas=3), low=1) == 3

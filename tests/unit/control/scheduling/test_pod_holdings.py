from bayplan.cluster.booking import Booking
from bayplan.control.scheduling.pod_holdings import PodHoldings

POD, OTHER = ("default", "p"), ("default", "q")


def booking(worker="a", **more):
    return Booking("job", 0, worker, **more)


def test_a_booking_is_found_by_its_pod_and_the_pod_by_the_very_booking():
    held, mine, equal = PodHoldings(), booking(), booking()
    held.set(POD, mine, "text")

    assert held.get(POD) is mine
    assert held.pod_of(mine) == POD
    assert held.pod_of(equal) is None
    assert list(held) == [(POD, mine)]
    assert (held.text_of(POD), held.text_of(OTHER)) == ("text", "")


def test_what_is_dropped_leaves_nothing():
    held, mine = PodHoldings(), booking()
    held.set(POD, mine, "text")
    held.assumed.add(POD)
    held.bound.add(POD)

    assert held.drop(POD) is mine
    assert held.drop(POD) is None
    assert (held.get(POD), held.pod_of(mine), held.assumed, held.bound) == (None, None, set(), set())


def test_another_booking_replaces_the_first():
    held, first, second = PodHoldings(), booking("a"), booking("b")
    held.set(POD, first)
    held.set(POD, second)

    assert held.get(POD) is second
    assert held.pod_of(first) is None


def test_what_a_pod_is_known_to_hold():
    held = PodHoldings()
    held.set(POD, booking(priority=5), "text")
    cases = {
        "the same": ((POD, "a", "text", 5), True),
        "no priority is said": ((POD, "a", "text", None), True),
        "another Pod": ((OTHER, "a", "text", 5), False),
        "another worker": ((POD, "b", "text", 5), False),
        "another text": ((POD, "a", "other", 5), False),
        "no text": ((POD, "a", "", 5), False),
        "another priority": ((POD, "a", "text", 6), False),
    }

    assert {name: held.is_known(*given) for name, (given, _) in cases.items()} == {
        name: expected for name, (_, expected) in cases.items()
    }


def test_a_pod_that_was_seen_bound_is_not_assumed_any_more():
    held = PodHoldings()
    held.set(POD, booking())
    held.assumed.add(POD)
    held.seen_bound(POD)

    assert held.assumed == set()
    assert held.get(POD) is not None

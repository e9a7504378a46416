"""The ledger: what bookings hold, who holds it, and who comes too late."""

import pytest

from bayplan.cluster.serving_booking import LoadState
from bayplan.framework.errors import ConflictError, InputError
from bayplan.serving.books.ledger import Ledger
from unit.serving.builders import booking, key, replica, server


def ledger(*bookings, replicas=2):
    return Ledger([server("a", replicas), server("b", 1)], bookings)


def free(found):
    return [each.free_mib for book in found.servers.values() for each in book.replicas.values()]


def test_bookings_hold_memory():
    found = ledger(booking(memory=30), booking(state="unload-failed", memory=20), booking(place="b/0", memory=5))

    assert free(found) == [50, 100, 95]
    assert found.table.table.columns["free_mib"].tolist() == [50, 100, 95]


@pytest.mark.parametrize("state", ["load-failed", "unloaded"])
def test_what_is_gone_holds_nothing(state):
    assert free(ledger(booking(state=state, memory=30))) == [100, 100, 100]


def test_bookings_on_replicas_that_are_not_there_are_left_out():
    found = ledger(booking(place="a/7"), booking(place="z/0"))

    assert found.bookings == []


def test_states_change_what_is_held():
    found = ledger()
    _ = found.table
    made = found.add(booking(state="load-requested", memory=30))
    seen = [found.table.table.columns["free_mib"][0].item()]
    for state in (LoadState.AVAILABLE, LoadState.LOAD_FAILED, LoadState.LOADING):
        found.move(made, state)
        seen.append(found.table.table.columns["free_mib"][0].item())
    found.remove(made)

    assert [*seen, found.table.table.columns["free_mib"][0].item()] == [70, 70, 100, 70, 100]
    assert list(found.of(key())) == []


def test_holders_of_a_server():
    found = ledger(booking(), booking(place="a/1"), booking("wine", state="unloaded"))
    first, second = found.of(key())

    assert dict(found.servers["a"].holders) == {key(): 2}
    found.move(first, LoadState.UNLOADED)
    found.remove(second)
    assert dict(found.servers["a"].holders) == {}


def test_a_model_is_dedicated_while_any_of_its_bookings_says_so():
    found = ledger(booking(dedicated=True, state="unloaded"), booking(place="a/1"))

    assert found.is_dedicated(key())
    found.remove(next(iter(found.of(key()))))
    assert not found.is_dedicated(key())
    assert not found.any_dedicated


def test_bookings_come_in_the_order_of_booking():
    found = ledger(booking("b"), booking("a"), booking("b", place="a/1"))

    assert [each.key.name for each in found.bookings] == ["b", "a", "b"]


def test_a_replica_connects_drains_and_disappears():
    found = ledger(booking(place="a/1"), booking("wine", place="a/1"), booking(place="a/0"))
    found.connect("a", replica(2, 70))
    found.drain("a", 2)
    gone = found.disconnect("a", 1)

    assert [each.key.name for each in gone] == ["iris", "wine"]
    assert found.table.table.keys == ["a/0", "a/2", "b/0"]
    assert found.table.table.columns["draining"].tolist() == [False, True, False]
    assert dict(found.servers["a"].holders) == {key(): 1}


WRONG = {
    "no such server": (lambda found: found.connect("z", replica(0)), "server", "there is no server 'z'"),
    "connected already": (lambda found: found.connect("a", replica(1)), "index", "connected already"),
    "no such replica": (lambda found: found.disconnect("a", 5), "index", "no connected replica 5"),
    "nothing to drain": (lambda found: found.drain("b", 1), "index", "no connected replica 1"),
}


@pytest.mark.parametrize(("change", "place", "says"), WRONG.values(), ids=WRONG)
def test_what_is_not_there(change, place, says):
    with pytest.raises(InputError) as caught:
        change(ledger())

    assert caught.value.place == place
    assert says in caught.value.message


def test_a_decision_that_comes_too_late_is_refused():
    found = ledger()
    decided = found.version
    found.add(booking("wine", place="b/0"))

    found.check(key(), "a", decided)
    for late in (lambda: found.check(key(), "b", decided), lambda: found.check(key("wine"), None, decided)):
        with pytest.raises(ConflictError, match="decide again"):
            late()
    found.check(key(), "b", found.version)

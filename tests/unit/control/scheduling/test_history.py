import pytest

from bayplan.cluster.booking import Booking
from bayplan.cluster.cluster import Cluster
from bayplan.control.scheduling import history
from bayplan.control.scheduling.history import History
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.reader import Document
from bayplan.placement.decision.followed_cluster import FollowedCluster
from unit.control.scheduling.scheduler import worker


def workers(*described):
    return read_inventory([Document({"workers": list(described)}, "test")]).cluster.workers


def followed(*described):
    state = FollowedCluster(Cluster(workers(*described)), {})
    return state, History(state)


def booking(number, on="a"):
    return Booking("job", number, on, cpu_milli=1000)


def test_every_earlier_state_can_be_asked_for():
    state, past = followed(worker("a"))
    seen = [state.result()]
    state.admit([booking(0)])
    seen.append(state.result())
    state.set_workers(workers(worker("b", cpu=8)))
    seen.append(state.result())
    state.release([booking(0)])
    seen.append(state.result())
    state.remove_workers(["a"])
    seen.append(state.result())

    assert past.position == 4
    assert [past.at(position).cluster() for position in range(5)] == seen


def test_what_is_asked_for_stays_as_it_was_while_the_state_goes_on():
    state, past = followed(worker("a"))
    then = past.at(0)
    state.admit([booking(0)])

    assert then.cluster().bookings == ()


@pytest.mark.parametrize(
    ("every", "items", "kept"),
    [(10, 10**6, 20), (10**6, 50, 10)],
    ids=["many changes", "changes of many bookings"],
)
def test_old_changes_are_forgotten(monkeypatch, every, items, kept):
    monkeypatch.setattr(history, "EVERY", every)
    monkeypatch.setattr(history, "EVERY_ITEMS", items)
    state, past = followed(worker("a", cpu=1000))
    for number in range(100):
        state.admit([booking(10 * number + each) for each in range(10)])

    assert past.position == 100
    assert past.at(0) is None
    assert len(past.at(100 - kept // 2).cluster().bookings) == 10 * (100 - kept // 2)
    assert len(past._changes) <= kept
    assert len(past._bases) == 2

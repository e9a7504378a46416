"""How long the queue is."""

from types import SimpleNamespace

from bayplan.control.observing import QueueLine
from bayplan.control.scheduling.queue_lengths import STATES, QueueLengths


def unit(verdict="", *, ready=False, pods=1, since_s=0.0):
    return SimpleNamespace(verdict=verdict, ready=ready, pods=pods, since_s=since_s)


def lines(*units):
    found = QueueLengths(units, lambda: 100.0).lines()
    assert [each.state for each in found] == list(STATES)
    return {each.state: each[1:] for each in found if each.workloads}


def test_an_empty_queue_tells_every_state():
    assert lines() == {}
    assert QueueLengths((), lambda: 5.0).lines()[0] == QueueLine("ready", 0, 0, 0.0)


def test_units_are_counted_by_what_they_wait_for():
    found = lines(
        unit(ready=True, since_s=99.0),
        unit(since_s=97.5),
        unit("waiting", ready=True, pods=3, since_s=90.0),
        unit("waiting", pods=8, since_s=40.0),
        unit("infeasible", since_s=10.0),
    )

    assert found == {"ready": (3, 5, 10.0), "waiting": (1, 8, 60.0), "infeasible": (1, 1, 90.0)}


def test_a_clock_that_went_back():
    assert lines(unit("error", since_s=200.0)) == {"error": (1, 1, 0.0)}

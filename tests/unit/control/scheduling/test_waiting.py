import logging

import pytest

from bayplan.cluster.events import BOOKING_REMOVED, LABELS_CHANGED, WORKER_ADDED
from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import Workload, WorkloadId
from bayplan.control.collections import PODS
from bayplan.control.scheduling.units import Unit, UnitKey
from bayplan.control.scheduling.waiting import WaitingUnits, default_key


def key(name):
    return UnitKey(PODS, "default", name)


def joined(waiting, *names, since_s=0.0, ready=True):
    found = [waiting.join(key(each), lambda each=each: Unit(key(each)), since_s) for each in names]
    for each in found:
        if ready:
            waiting.make_ready(each, 0.0)
    return found


def tried(waiting):
    """The names of all units that are ready, in order."""
    found = []
    while (each := waiting.next()) is not None:
        found.append(each.unit.key.name)
    return found


def workload(name, priority=0, *, created_s=None, gang=False):
    identity = WorkloadId(name, "default", priority=priority, created_s=created_s)
    return Workload(identity, gang=Gang() if gang else None)


def test_a_unit_is_given_once_until_it_is_ready_again():
    waiting = WaitingUnits()
    (a,) = joined(waiting, "a")
    waiting.make_ready(a, 0.0)
    assert tried(waiting) == ["a"]
    assert tried(waiting) == []
    assert not waiting.has_ready

    waiting.make_ready(a, 0.0)
    assert waiting.has_ready
    assert tried(waiting) == ["a"]


def test_a_unit_that_left_is_not_given_and_another_of_its_name_is():
    waiting = WaitingUnits()
    joined(waiting, "a", "b")
    waiting.leave(key("a"))
    waiting.leave(key("never there"))
    assert tried(waiting) == ["b"]

    joined(waiting, "a")
    assert tried(waiting) == ["a"]
    assert len(waiting) == 2


def test_units_that_were_not_read_go_by_priority_then_age_then_name():
    waiting = WaitingUnits()
    old, young, urgent, twin = joined(waiting, "z-old", "young", "urgent", "twin")
    old.since_s, young.since_s, urgent.since_s, twin.since_s = 1.0, 2.0, 9.0, 2.0
    urgent.priority = 5

    assert tried(waiting) == ["urgent", "z-old", "twin", "young"]


def test_what_a_place_depends_on_is_asked_for_when_the_next_one_is():
    priorities = {}

    def prepare(each):
        each.priority = priorities[each.unit.key.name]

    waiting = WaitingUnits(default_key, prepare)
    joined(waiting, "a", "b")
    priorities.update(a=1, b=2)

    assert tried(waiting) == ["b", "a"]


def test_units_that_were_read_go_by_what_their_workloads_say():
    waiting = WaitingUnits()
    first, second, third = joined(waiting, "first", "second", "third")
    first.workload = workload("first", created_s=5.0)
    second.workload = workload("second", created_s=1.0)
    third.workload = workload("third", priority=1, created_s=9.0)

    assert tried(waiting) == ["third", "second", "first"]


def test_a_gang_that_failed_goes_behind_others_of_its_priority():
    waiting = WaitingUnits()
    gang, single = joined(waiting, "gang", "single")
    gang.workload, gang.failed_s = workload("gang", created_s=1.0, gang=True), 50.0
    single.workload, single.first_attempt_s = workload("single", created_s=2.0), 20.0

    assert tried(waiting) == ["single", "gang"]


def test_units_are_woken_by_events_that_could_help_them():
    waiting = WaitingUnits()
    room, label, never, new = joined(waiting, "room", "label", "never", "new")
    tried(waiting)
    for each, cures in ((room, {BOOKING_REMOVED, WORKER_ADDED}), (label, {LABELS_CHANGED}), (never, ())):
        each.verdict, each.cures = "waiting", frozenset(cures)

    assert waiting.wake((), 1.0) == 0
    assert waiting.wake({BOOKING_REMOVED}, 7.0) == 1
    assert room.ready_s == 7.0
    assert waiting.wake({BOOKING_REMOVED}, 8.0) == 0
    assert tried(waiting) == ["room"]
    assert waiting.wake({LABELS_CHANGED, WORKER_ADDED}, 9.0) == 2
    assert not new.ready


def test_another_order_counts_from_then_on():
    waiting = WaitingUnits()
    joined(waiting, "a", "b", "c")
    waiting.sort_by(lambda each: (-ord(each.unit.key.name),))

    assert tried(waiting) == ["c", "b", "a"]
    assert [each.unit.key.name for each in waiting.ordered()] == ["c", "b", "a"]


BROKEN = {
    "it raises": lambda each: 1 / 0,
    "keys that cannot be compared": lambda each: (each.unit.key.name if each.unit.key.name < "c" else 5,),
}


@pytest.mark.parametrize("sort", BROKEN.values(), ids=BROKEN)
def test_a_queue_sort_that_fails_is_left_out_and_nothing_is_lost(sort, caplog):
    waiting = WaitingUnits(sort)
    joined(waiting, "d", "a", "c", "b")

    assert tried(waiting) == ["a", "b", "c", "d"]
    assert "the queue-sort fails" in caplog.text


def test_a_queue_sort_that_fails_does_not_hide_the_queue(caplog):
    caplog.set_level(logging.CRITICAL)
    waiting = WaitingUnits(lambda each: 1 / 0)
    joined(waiting, "b", "a", ready=False)

    assert [each.unit.key.name for each in waiting.ordered()] == ["a", "b"]


def test_ten_thousand_units_that_come_and_go_leave_nothing():
    waiting = WaitingUnits()
    for number in range(10_000):
        joined(waiting, str(number))
        waiting.leave(key(str(number)))
    assert tried(waiting) == []

    assert (len(waiting), waiting.has_ready, list(waiting)) == (0, False, [])

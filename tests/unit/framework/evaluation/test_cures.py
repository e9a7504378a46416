"""Which events could cure a refusal, and whether an event could help at all."""

import numpy as np
import pytest

from bayplan.framework.adapter import filter_of
from bayplan.framework.contract_check import check_plugin
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.cures import column_event, cures_of
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.framework.table import Table
from unit.framework.builders import Keeps, Makes, bound, freest, roomy, scheduler, table

STORAGES = pytest.mark.parametrize("kind", [Table, ListTable])


def keeps(name, call, reads=("free",), **more):
    """A filter for either storage: a function of one value."""

    def mask(ask, rows, cycle):
        return [call(value) for value in getattr(rows, reads[0])]

    return Keeps(name, reads, mask, **more)


def test_the_event_of_a_column():
    assert column_event("free_mib") == "free-mib-changed"


room = Makes("room", ("free", "price"), lambda a, r, c: {"room": r.free}, produces=("room",))
half = Makes("half", ("room", "free"), lambda a, r, c: {"half": r.room}, produces=("half",))
NAMED = {
    "a tuple": (keeps("f", bool, cured_by=("booking-removed", "clock")), ("booking-removed", "clock")),
    "nothing cures it": (keeps("f", bool, cured_by=()), ()),
    "by the ask": (keeps("f", bool, cured_by=lambda ask: (f"{ask}-changed",)), ("ask-changed",)),
    "derived": (keeps("f", bool), ("row-added", "free-changed")),
    "derived from several": (keeps("f", bool, ("zone", "free")), ("row-added", "zone-changed", "free-changed")),
    "derived through producers": (keeps("f", bool, ("half",)), ("row-added", "free-changed", "price-changed")),
    "columns to explain with decide nothing": (
        keeps("f", bool, explain_reads=("zone",)),
        ("row-added", "free-changed"),
    ),
    "of the cycle": (keeps("f", bool, depends=Depends.CYCLE), ("row-added", "free-changed", "clock")),
    "of the table": (keeps("f", bool, depends=Depends.TABLE), ("row-added", "free-changed", "clock")),
}


@pytest.mark.parametrize(("plugin", "events"), NAMED.values(), ids=NAMED)
def test_what_cures_a_filter(plugin, events):
    binding = bound(plugin, half, room, shared=("price",))

    assert cures_of(binding.filters[0], "ask", binding) == events


@STORAGES
def test_rejections_and_refusals_tell_it(kind):
    big = keeps("big", lambda free: free >= 3, cured_by=("booking-removed",))
    odd = keeps("odd", lambda free: free % 2 == 1)
    explanation = scheduler(big, odd, on=table(kind=kind)).schedule("me", explained=True).explanations["p"]

    told = {row: [each.cured_by for each in why] for row, why in explanation.rejections().items()}

    assert told == {1: [("booking-removed",)], 2: [("booking-removed",), ("row-added", "free-changed")]}
    assert explanation.rejections(2)[2] == explanation.rejections()[2]
    assert [refusal.cured_by for refusal in explanation.refusals] == [
        ("booking-removed",),
        ("row-added", "free-changed"),
    ]
    assert explanation.cures() == {"booking-removed": ("big",), "row-added": ("odd",), "free-changed": ("odd",)}


@STORAGES
def test_reasons_may_know_better(kind):
    big = keeps("big", lambda free: free >= 9, cured_by=("booking-removed", "worker-changed"))
    big.explain = lambda ask, rows, cycle: [
        Reasons("small", places=np.array([0, 1]), cured_by=("worker-changed",)),
        Reasons("full", places=np.array([2])),
        Reasons("never", places=np.array([1]), cured_by=()),
    ]
    explanation = scheduler(big, on=table(kind=kind)).schedule("me").explanations["p"]

    assert [[each.cured_by for each in why] for why in explanation.rejections().values()] == [
        [("worker-changed",)],
        [("worker-changed",), ()],
        [("booking-removed", "worker-changed")],
    ]
    assert explanation.rejections(1)[1] == explanation.rejections()[1]


def test_equal_rows_are_told_the_same():
    many = Table(static={"zone": [0] * 400}, state={"free": [row % 2 for row in range(400)]})
    big = roomy("big", least=1, cured_by=("booking-removed",))
    big.explain = lambda ask, rows, cycle: Reasons("small", cured_by=("worker-changed",), free=rows.free)
    first, second = (
        scheduler(each, roomy("none", least=9), on=many).schedule("me").explanations["p"].rejections(0)[0][0]
        for each in (big, roomy("big", least=1, cured_by=("booking-removed",)))
    )

    assert (first.cured_by, second.cured_by) == (("worker-changed",), ("booking-removed",))


def could_help(*filters, on=None):
    explanation = scheduler(*filters, on=on or table()).schedule("me", explained=True).explanations["p"]
    return {event for event in ("one", "two", "three") if explanation.could_help(event)}


HELP = {  # filters with who is refused (of 3, 1, 2 free) and by what it is cured; the events that could help
    "its own event": ([(3, ("one",))], {"one"}),
    "two of them": ([(3, ("one", "two"))], {"one", "two"}),
    "both refuse each row": ([(9, ("one", "two")), (9, ("two", "three"))], {"two"}),
    "one row needs one only": ([(3, ("one",)), (2, ("two",))], {"one"}),
    "nothing in common": ([(9, ("one",)), (9, ("two",))], set()),
    "nobody is refused": ([(0, ("one",))], set()),
}


@pytest.mark.parametrize(("filters", "events"), HELP.values(), ids=HELP)
def test_an_event_helps_where_it_could_cure_all_that_refuse_a_row(filters, events):
    assert could_help(*(roomy(f"f{n}", least, cured_by=by) for n, (least, by) in enumerate(filters))) == events


def test_a_filter_that_never_saw_a_row_does_not_stand_in_its_way():
    later = Keeps("later", ("free",), lambda a, r, c: r.free > 9, Depends.TABLE, cured_by=("two",))

    assert could_help(roomy("first", least=3, cured_by=("one",)), later) == {"one", "two"}


def test_in_an_empty_table_any_event_could_help():
    assert could_help(roomy(), on=table(free=(), zone=())) == {"one", "two", "three"}


WRONG = {
    "a text": ("booking-removed", "is cured by 'booking-removed', which are no names of events"),
    "no kebab-case": (("BookingRemoved",), "is cured by .*BookingRemoved"),
    "a number": ((1,), "is cured by"),
    "it raises": (lambda ask: 1 / 0, "raised ZeroDivisionError"),
}


@pytest.mark.parametrize(("cured_by", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_name_of_an_event_is_told(cured_by, message):
    bad = roomy("bad", least=9, cured_by=cured_by)

    with pytest.raises(PluginError, match=f"plugin bad: {message}") as caught:
        scheduler(bad, freest()).schedule("me")
    assert caught.value.next.startswith("return a tuple of names") or "raised" in message
    outcome = scheduler(bad, freest(), skip_broken=True).schedule("me")

    assert outcome.explanations["p"].cures() == {"row-added": ("bad",), "free-changed": ("bad",)}
    assert any("cured" in each for each in check_plugin(bad, table(), ["ask"]))


def test_a_lifted_filter_may_name_events():
    on = table()
    named = filter_of(lambda ask, row: False, "named", reads=("free",), cured_by=("booking-removed",))
    plain = filter_of(lambda ask, row: False, "plain", reads=("free",))

    cures = scheduler(named, plain, on=on).schedule("me").explanations["p"].cures()

    assert cures == {"booking-removed": ("named",), "row-added": ("plain",), "free-changed": ("plain",)}

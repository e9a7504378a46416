import pytest

from bayplan.sim.engine.batching.adapter_slots import AdapterSlots


@pytest.fixture
def slots():
    return AdapterSlots(2)


def test_an_adapter_is_loaded_once(slots):
    assert slots.use("a")
    assert not slots.use("a")
    assert slots.in_use == ("a",)


def test_without_a_free_slot_an_adapter_waits(slots):
    slots.use("a")
    slots.use("b")

    assert not slots.has_room("c")
    assert slots.has_room("a")


def test_an_adapter_that_nobody_uses_stays_loaded_until_it_makes_way(slots):
    slots.use("a")
    slots.use("b")
    slots.leave("a")

    assert slots.loaded == ("a", "b")
    assert slots.in_use == ("b",)
    assert slots.has_room("c")
    assert slots.use("c")
    assert set(slots.loaded) == {"b", "c"}


def test_the_least_recently_used_adapter_makes_way(slots):
    slots.use("a")
    slots.use("b")
    slots.use("a")
    for name in ("a", "a", "b"):
        slots.leave(name)
    slots.use("c")

    assert set(slots.loaded) == {"a", "c"}


def test_an_adapter_that_is_in_use_is_not_forgotten(slots):
    slots.use("a")
    slots.forget("a")
    slots.forget("unknown")
    assert slots.loaded == ("a",)

    slots.leave("a")
    slots.forget("a")
    assert slots.loaded == ()

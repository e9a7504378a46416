"""Bookings: what a replica holds, and what it cannot hold."""

from __future__ import annotations

import pytest

from bayplan.cluster.booking import Booking, Budget, CardBooking, is_avoided
from bayplan.cluster.gpu import CardId
from bayplan.cluster.identity import GangKey, ReplicaKey, WorkloadKey
from bayplan.cluster.mig import MigInstance
from bayplan.framework.errors import InputError

SMALL = MigInstance("1g.5gb", 0)

WHOLE = {
    "nothing said": (CardBooking(0), True),
    "memory": (CardBooking(0, memory_mib=1024), False),
    "no memory at all is still a share": (CardBooking(0, memory_mib=0), False),
    "compute": (CardBooking(0, compute_milli=500), False),
    "MIG": (CardBooking(0, mig=SMALL), False),
}


@pytest.mark.parametrize(("booked", "whole"), WHOLE.values(), ids=WHOLE)
def test_a_card_without_any_share_is_held_whole(booked, whole):
    assert booked.whole is whole


def test_a_share_as_documents_write_it():
    assert CardBooking(0, compute_milli=125).compute_percent == 12.5
    assert CardBooking(0).compute_percent is None


def test_which_card():
    assert CardBooking(2, runtime="rocm").card == CardId("rocm", 2)
    assert CardBooking(None, mig=MigInstance("1g.5gb")).card is None


def test_who_holds_it():
    booking = Booking("w", 3, "a", gang="g", namespace="n")

    assert Booking("w", 3, "a").owner == ReplicaKey("default", "w", 3)
    assert (booking.key, booking.gang_key) == (WorkloadKey("n", "w"), GangKey("n", "g"))
    assert Booking("w", 3, "a").gang_key is None


AVOIDED = {
    "the workload": (Booking("db", 0, "a"), True),
    "its gang": (Booking("w", 0, "a", gang="db"), True),
    "another workload": (Booking("w", 0, "a"), False),
    "that of another namespace": (Booking("db", 0, "a", namespace="n"), False),
    "a gang of another namespace": (Booking("w", 0, "a", gang="db", namespace="n"), False),
}


@pytest.mark.parametrize(("booking", "wanted"), AVOIDED.values(), ids=AVOIDED)
def test_who_is_kept_away_from(booking, wanted):
    assert is_avoided(booking, "default", {"db"}) is wanted


TOGETHER = {
    "two cards": (CardBooking(0), CardBooking(1)),
    "one index of two vendors": (CardBooking(0), CardBooking(0, runtime="rocm")),
    "two instances of a card": (CardBooking(0, mig=SMALL), CardBooking(0, mig=MigInstance("1g.5gb", 1))),
    "instances whose start nobody knows": (
        CardBooking(0, mig=MigInstance("1g.5gb")),
        CardBooking(0, mig=MigInstance("1g.5gb")),
    ),
    "instances of no known card": (
        CardBooking(None, mig=MigInstance("1g.5gb")),
        CardBooking(None, mig=MigInstance("1g.5gb")),
    ),
    "the same start on two cards": (CardBooking(0, mig=SMALL), CardBooking(1, mig=SMALL)),
}


@pytest.mark.parametrize("cards", TOGETHER.values(), ids=TOGETHER)
def test_what_one_replica_may_hold_together(cards):
    assert Booking("w", 0, "a", cards=cards).cards == cards


APART = {
    "a card twice": (CardBooking(0), CardBooking(1), CardBooking(0)),
    "two shares of a card": (CardBooking(1, memory_mib=1), CardBooking(2), CardBooking(1, memory_mib=1)),
    "an instance of a whole card": (CardBooking(0), CardBooking(2), CardBooking(0, mig=SMALL)),
    "a share beside an instance": (CardBooking(0, mig=SMALL), CardBooking(2), CardBooking(0, memory_mib=1)),
    "one instance twice": (CardBooking(0, mig=SMALL), CardBooking(2), CardBooking(0, mig=SMALL)),
}


@pytest.mark.parametrize("cards", APART.values(), ids=APART)
def test_what_one_replica_may_not_hold_together(cards):
    with pytest.raises(InputError, match="booked twice") as caught:
        Booking("w", 0, "a", cards=cards)

    assert caught.value.place == "gpus[2]"


REFUSED = {
    "index": (lambda: CardBooking(-1), "index"),
    "memory": (lambda: CardBooking(0, memory_mib=-1), "memory"),
    "compute": (lambda: CardBooking(0, compute_milli=-1), "computePercent"),
    "more than a card": (lambda: CardBooking(0, compute_milli=1001), "computePercent"),
    "no card and no instance": (lambda: CardBooking(None), "index"),
    "replica": (lambda: Booking("w", -1, "a"), "replica"),
    "cpu": (lambda: Booking("w", 0, "a", cpu_milli=-1), "cpu"),
    "ram": (lambda: Booking("w", 0, "a", ram_mib=-1), "ram"),
    "budget": (lambda: Budget("w", -1), "minAvailable"),
}


@pytest.mark.parametrize(("make", "place"), REFUSED.values(), ids=REFUSED)
def test_a_booking_that_cannot_be_is_refused(make, place):
    with pytest.raises(InputError) as caught:
        make()

    assert caught.value.place == place
    assert caught.value.next


@pytest.mark.parametrize("compute_milli", [0, 1000])
def test_none_and_all_of_a_cards_compute_are_shares(compute_milli):
    assert CardBooking(0, compute_milli=compute_milli).compute_percent == compute_milli / 10


def test_a_share_that_cannot_be_is_told_in_percent():
    with pytest.raises(InputError, match=r"101\.5 % is no share of a card"):
        CardBooking(0, compute_milli=1015)


def test_a_booking_holds_nothing_that_it_does_not_say():
    booking = Booking("w", 0, "a")

    assert (booking.cpu_milli, booking.ram_mib, booking.cards, booking.priority, booking.gang) == (0, 0, (), 0, None)


def test_a_negative_priority_is_a_priority():
    assert Booking("w", 0, "a", priority=-5).priority == -5

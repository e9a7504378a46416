"""What is booked on the cards that were chosen."""

from fractions import Fraction

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.cards.card_bookings import book_cards, book_layers, book_places
from unit.placement.builders import ask, gpu, worker

KNOWN = CardRule(needs_memory=True)
CARDS = Snapshot.load([worker(cards=[gpu(0), gpu(2, memory_mib=81_920), gpu(3, memory_mib=None)])]).site(0).cards


def test_shares_with_their_headroom():
    shape = CardShape(2, 1000, headroom_mib=200)

    assert book_cards(
        ask(taking=Taking.SHARE, shapes=(shape,), rule=KNOWN, compute_milli=300), shape, CARDS, [0, 1]
    ) == [
        CardBooking(0, "cuda", 1000, 300, headroom_mib=200),
        CardBooking(2, "cuda", 1000, 300, headroom_mib=200),
    ]


def test_a_fraction_books_what_the_engine_takes_of_each_card():
    shape = CardShape(2, 1000)
    asked = ask(taking=Taking.SHARE, shapes=(shape,), rule=KNOWN, fit=Fit(Fraction(1, 2), FractionOf.CARD))

    assert [each.memory_mib for each in book_cards(asked, shape, CARDS, [0, 1])] == [20_480, 40_960]


def test_whole_cards_have_no_amounts():
    shape = CardShape(1, 1000, headroom_mib=200)

    assert book_cards(ask(taking=Taking.WHOLE, shapes=(shape,)), shape, CARDS, [1]) == [CardBooking(2, "cuda")]


def test_compute_without_memory():
    shape = CardShape(1)

    assert book_cards(ask(taking=Taking.SHARE, shapes=(shape,), compute_milli=300), shape, CARDS, [2]) == [
        CardBooking(3, "cuda", None, 300)
    ]


def test_layers_and_the_engine_on_each_card_that_gets_one():
    asked = ask(taking=Taking.LAYERS, layers=Layers(10, Fraction(21, 2), 100))

    assert book_layers(asked, CARDS, [0, 1, 2], [3, 0, 7]) == [
        CardBooking(0, "cuda", 132),
        CardBooking(3, "cuda", 174),
    ]


def test_places_are_parts_of_a_card():
    cards = [gpu(0, memory_mib=1000, places=3), gpu(1, memory_mib=None, places=3), gpu(2, places=3)]
    there = Snapshot.load([worker(cards=cards)]).site(0).cards

    assert book_places(there, [2, 1, 0]) == [
        CardBooking(0, "cuda", 666, 666, places=2),
        CardBooking(1, "cuda", None, 333, places=1),
    ]

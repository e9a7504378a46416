"""MIG instances evenly from the cards of a worker."""

from bayplan.placement.producers.even_mig_cards import EvenMigCards
from bayplan.placement.producers.mig_cards import MigCards
from fleets import CUT
from unit.placement.builders import gpu, subject, worker
from unit.placement.cards.mig.test_instance_cards import rows_of
from unit.placement.producers.test_mig_cards import ALL, keeps_the_promises_of_instances, slices


def test_even_cards_look_at_what_stands_on_them():
    class Cycle:
        subject = subject()

    rows = rows_of(slices(2), worker(cards=[gpu(mig=CUT), gpu(1, mig=CUT)]))
    rows.card_bookings = rows.card_mig_taken
    tight, even = (kind(["chosen"]).produce(slices(2), rows, Cycle) for kind in (MigCards, EvenMigCards))

    assert tight["chosen"].tolist() == [[True, False]]
    assert even["chosen"].tolist() == [[True, True]]


def test_what_is_not_read_is_not_made():
    assert EvenMigCards(["fullness"]).produces == ("fullness",)


def test_contract():
    keeps_the_promises_of_instances(EvenMigCards(ALL))

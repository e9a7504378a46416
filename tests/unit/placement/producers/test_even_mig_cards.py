"""MIG instances evenly from the cards of a worker."""

from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.producers.even_mig_cards import EvenMigCards
from bayplan.placement.producers.mig_cards import MigCards
from fleets import CUT
from unit.placement.builders import ask, gpu, keeps_its_promises, subject, worker
from unit.placement.cards.mig.test_instance_cards import rows_of

ALL = ("card_room", "chosen", "fit_leader", "fit_order", "fit_rank", "fit_shape", "fullness")


def slices(count=1, **rule):
    return ask(taking=Taking.SLICES, shapes=(CardShape(count),), mig="1g.5gb", rule=CardRule(**rule))


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
    workers = [worker(cards=[gpu(), gpu(1, mig=CUT)]), worker(cards=2)]
    made = {
        "card_usable": [[True, True], [True, False]], "card_rank": [[0, 0], [0, -1]],
        "slice_key": [[-256, 256], [0, -256]], "loose_rank": [0, 0],
    }  # fmt: skip
    keeps_its_promises(EvenMigCards(ALL), workers, [slices(), slices(2)], made=made)

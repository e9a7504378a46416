"""The columns that stand for those of whole cards and shares."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.card_facts import UNUSABLE
from bayplan.placement.producers.even_mig_cards import EvenMigCards
from bayplan.placement.producers.mig_cards import MigCards
from bayplan.placement.producers.slice_keys import SliceKeys
from fleets import CUT, FIXED
from unit.placement.builders import ask, gpu, keeps_its_promises, subject, worker
from unit.placement.cards.mig.test_instance_cards import rows_of

ALL = ("card_room", "chosen", "fit_leader", "fit_order", "fit_rank", "fit_shape", "fullness")


def slices(count=1, **rule):
    return ask(taking=Taking.SLICES, shapes=(CardShape(count),), mig="1g.5gb", rule=CardRule(**rule))


WORKERS = (
    worker("a", cards=[gpu(), gpu(1, mig=CUT)]),
    worker("b", cards=2),
    worker("c", mig_slices=FrozenMap({"1g.5gb": 1})),
)


def test_every_column():
    made = MigCards(ALL).produce(slices(), rows_of(slices(), *WORKERS), None)

    assert set(made) == set(ALL)
    assert made["chosen"].tolist() == [[False, True], [False, False], [False, False]]
    assert made["fit_order"].tolist() == made["fit_shape"].tolist() == made["fit_rank"].tolist() == [0, -1, 0]
    assert made["fit_leader"].tolist() == [1, -1, -1]
    assert made["card_room"].tolist() == [[-1, 0], [-1, -1], [-1, -1]]


@pytest.mark.parametrize("kind", [MigCards, EvenMigCards])
def test_what_nobody_reads_is_not_made(kind):
    assert kind(["fullness"]).produces == ("fullness",)


def test_even_cards_look_at_what_stands_on_them():
    class Cycle:
        subject = subject()

    rows = rows_of(slices(2), worker(cards=[gpu(mig=CUT), gpu(1, mig=CUT)]))
    rows.card_bookings = rows.card_mig_taken
    tight, even = (kind(["chosen"]).produce(slices(2), rows, Cycle) for kind in (MigCards, EvenMigCards))

    assert tight["chosen"].tolist() == [[True, False]]
    assert even["chosen"].tolist() == [[True, True]]


LOOSE = {"mig_slices": FrozenMap({"1g.5gb": 1})}
RANKS = {
    "nobody is particular": (slices(), [gpu()], 0),
    "all that are cut will do": (slices(models=("A100",)), [gpu(mig=FIXED), gpu(1, model="T4")], 0),
    "one that is cut will not": (
        slices(models=("A100-SXM4-40GB",)),
        [gpu(mig=FIXED), gpu(1, model="T4", mig=FIXED)],
        UNUSABLE,
    ),
    "no card is known": (slices(models=("A100",)), [], UNUSABLE),
    "the second model": (slices(models=("H100", "A100")), [gpu(mig=FIXED)], 1),
    "another runtime": (slices(runtime="rocm"), [gpu(mig=FIXED)], UNUSABLE),
}


@pytest.mark.parametrize(("asked", "cards", "rank"), RANKS.values(), ids=RANKS)
def test_whether_instances_of_no_known_card_will_do(asked, cards, rank):
    assert rows_of(asked, worker(cards=cards, **LOOSE)).loose_rank.tolist() == [rank]


def test_contract():
    workers = [worker(cards=[gpu(), gpu(1, mig=CUT)]), worker(cards=2)]
    usable = {"card_usable": [[True, True], [True, False]], "card_rank": [[0, 0], [0, -1]]}
    keeps_its_promises(SliceKeys(), workers, [slices(), slices(models=("A100",))], made=usable)
    keys = {"slice_key": [[-256, 256], [0, -256]], "loose_rank": [0, 0], **usable}
    for kind in (MigCards, EvenMigCards):
        keeps_its_promises(kind(ALL), workers, [slices(), slices(2)], made=keys)

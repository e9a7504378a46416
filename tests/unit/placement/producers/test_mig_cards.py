"""The columns that stand for those of whole cards and shares."""

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.producers.mig_cards import MigCards
from fleets import CUT
from unit.placement.builders import ask, gpu, keeps_its_promises, worker
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


def test_what_is_not_read_is_not_made():
    assert MigCards(["fullness"]).produces == ("fullness",)


def keeps_the_promises_of_instances(producer):
    """The contract on workers with cut and uncut cards; producers of both orders share it."""
    workers = [worker(cards=[gpu(), gpu(1, mig=CUT)]), worker(cards=2)]
    made = {
        "card_usable": [[True, True], [True, False]], "card_rank": [[0, 0], [0, -1]],
        "slice_key": [[-256, 256], [0, -256]], "loose_rank": [0, 0],
    }  # fmt: skip
    keeps_its_promises(producer, workers, [slices(), slices(2)], made=made)


def test_contract():
    keeps_the_promises_of_instances(MigCards(ALL))

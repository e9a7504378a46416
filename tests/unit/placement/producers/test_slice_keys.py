"""What never changes about the MIG instances of cards."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.card_facts import UNUSABLE
from bayplan.placement.producers.slice_keys import SliceKeys
from fleets import CUT, FIXED
from unit.placement.builders import ask, gpu, keeps_its_promises, worker
from unit.placement.cards.mig.test_instance_cards import rows_of


def slices(count=1, **rule):
    return ask(taking=Taking.SLICES, shapes=(CardShape(count),), mig="1g.5gb", rule=CardRule(**rule))


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
    made = {"card_usable": [[True, True], [True, False]], "card_rank": [[0, 0], [0, -1]]}
    keeps_its_promises(SliceKeys(), workers, [slices(), slices(models=("A100",))], made=made)

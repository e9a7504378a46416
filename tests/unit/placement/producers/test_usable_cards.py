"""The columns of cards that an ask may use."""

from bayplan.placement.asks.ask import CardRule
from bayplan.placement.producers.usable_cards import UsableCards
from unit.placement.builders import ask, gpu, keeps_its_promises, seen, worker

MIXED = worker(cards=[gpu(0), gpu(1, model="H100-PCIE-80GB"), gpu(2)])

ASKS = [ask(), ask(rule=CardRule(models=("H100",))), ask(gpu_ids=["a:cuda:0", "a:cuda:1"]), ask(gpu_ids=[])]


def test_it_shows_what_may_be_used():
    asked = ASKS[1]

    assert seen(asked, MIXED).card_usable[0].tolist() == [False, True, False]


def test_contract():
    keeps_its_promises(UsableCards(), [MIXED, worker(cards=1), worker()], ASKS)

"""The producer of what fits keeps its promises on all cases of `cards/fit.py`."""

from bayplan.placement.producers.card_fit import CardFit
from unit.placement.builders import keeps_its_promises, worker
from unit.placement.cards.test_fit import CASES, MIXED, MIXES, OVERSOLD, cards


def test_contract():
    workers = [worker(cards=gpus) for gpus in (MIXED, cards(50, 50), cards(100), cards(), cards(25, 25, 25, 25))]
    ranks = [[0, 0, 0, -1], [0, 0, -1, -1], [0, -1, -1, -1], [-1] * 4, [0] * 4]
    leaders = [[0, 1, 0, 0], [0, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4]
    made = {"card_rank": ranks, "card_leader": leaders, "card_kinds": [2, 1, 1, 0, 1]}
    asks = [asked for asked, *_ in (*CASES.values(), *MIXES.values(), *OVERSOLD.values())]
    keeps_its_promises(CardFit(), workers, asks, made=made)

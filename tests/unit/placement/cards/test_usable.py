"""Cards that exist for an ask, worker by worker."""

import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule
from bayplan.placement.cards.card_facts import UNUSABLE
from bayplan.placement.cards.usable import usable_places
from unit.placement.builders import ask, gpu, hash_of, seen, worker

MIXED = worker(cards=[gpu(0), gpu(1, model="H100-PCIE-80GB"), gpu(2)])


CASES = {
    "every card": (ask(), [0, 0, 0]),
    "of one model": (ask(rule=CardRule(models=("H100",))), [UNUSABLE, 0, UNUSABLE]),
    "chosen cards": (ask(gpu_ids=["a:cuda:0", "a:cuda:1"]), [0, 0, UNUSABLE]),
    "cards of another worker": (ask(gpu_ids=["b:cuda:0"]), [UNUSABLE] * 3),
    "a card that is not there": (ask(gpu_ids=["a:cuda:7"]), [UNUSABLE] * 3),
    "of another runtime": (ask(gpu_ids=["a:rocm:0"]), [UNUSABLE] * 3),
    "none is chosen": (ask(gpu_ids=[]), [UNUSABLE] * 3),
    "both": (ask(gpu_ids=["a:cuda:0"], rule=CardRule(models=("A100",))), [0, UNUSABLE, UNUSABLE]),
}


@pytest.mark.parametrize(("asked", "ranks"), CASES.values(), ids=CASES)
def test_ranks(asked, ranks):
    rows = seen(asked, MIXED)

    assert rows.card_rank[0].tolist() == ranks
    assert rows.card_usable[0].tolist() == [rank >= 0 for rank in ranks]


def test_narrow_workers_have_no_further_cards():
    rows = seen(ask(), worker("b", cards=1), MIXED)

    assert rows.card_rank.tolist() == [[0, UNUSABLE, UNUSABLE], [0, 0, 0]]
    assert rows.card_kinds.tolist() == [1, 2]


def test_kinds_as_bits():
    rows = seen(ask(), MIXED)

    assert rows.kind_masks[0].tolist() == [0b101, 0b010, 0]


def test_a_cluster_without_any_card():
    rows = seen(ask(), worker())

    assert not rows.card_usable.any()


@pytest.mark.parametrize(("asked", "ranks"), CASES.values(), ids=CASES)
def test_positions_on_one_worker_are_the_same(asked, ranks):
    cards = Snapshot.load([MIXED], ()).site(0).cards

    assert list(usable_places(asked, cards, hash_of("a"))) == [place for place, rank in enumerate(ranks) if rank >= 0]

"""Which cards of a worker count, in which order, and which of them may work together."""

import pytest

from bayplan.cluster.card_set import CardSet
from bayplan.placement.asks.ask import CardRule
from bayplan.placement.cards.card_facts import UNUSABLE, card_facts, preference
from fleets import CUT
from unit.placement.builders import gpu


def facts(*cards, **rule):
    return card_facts(CardRule(**rule), CardSet.of(cards))


RANKS = {
    "nothing is asked": ({}, [gpu(0), gpu(1)], (0, 0)),
    "unhealthy": ({}, [gpu(0, healthy=False), gpu(1)], (UNUSABLE, 0)),
    "cut into slices": ({}, [gpu(0, mig=CUT), gpu(1)], (UNUSABLE, 0)),
    "the engine does not run there": ({"backend": "vllm"}, [gpu(0, runtime="mps"), gpu(0)], (UNUSABLE, 0)),
    "whether it does is not known": ({"backend": "vllm"}, [gpu(0, runtime="musa")], (0,)),
    "too small": ({"card_memory_mib": 40_961}, [gpu(0), gpu(1, memory_mib=40_961)], (UNUSABLE, 0)),
    "of a size that nobody told": ({"card_memory_mib": 1}, [gpu(0, memory_mib=None)], (UNUSABLE,)),
    "size does not matter": ({}, [gpu(0, memory_mib=None)], (0,)),
    "by preference": ({"models": ("H100", "A100")}, [gpu(0), gpu(1, model="H100-PCIE-80GB")], (1, 0)),
    "of another model": ({"models": ("H100",)}, [gpu(0)], (UNUSABLE,)),
    "of a model that nobody told": ({"models": ("H100",)}, [gpu(0, model=None)], (UNUSABLE,)),
}


def test_cut_cards_are_there_for_slices():
    cards = CardSet.of([gpu(0, mig=CUT), gpu(1), gpu(2, mig=CUT, healthy=False)])

    assert card_facts(CardRule(), cards, cut=True).ranks == (0, 0, UNUSABLE)


@pytest.mark.parametrize(("rule", "cards", "ranks"), RANKS.values(), ids=RANKS)
def test_ranks(rule, cards, ranks):
    assert facts(*cards, **rule).ranks == ranks


H100 = {"model": "H100-SXM5-80GB"}

KINDS = {
    "one model": ({}, [gpu(0), gpu(1)], (0, 0), 1),
    "two models": ({}, [gpu(0), gpu(1, **H100), gpu(2), gpu(3, **H100)], (0, 1, 0, 1), 2),
    "two models of one kind": ({"mixes_models": True}, [gpu(0), gpu(1, **H100)], (0, 0), 1),
    "two runtimes": ({"mixes_models": True}, [gpu(0), gpu(0, runtime="rocm")], (0, 1), 2),
    "a card that cannot be used leads nobody": ({}, [gpu(0, healthy=False), gpu(1), gpu(2)], (0, 1, 1), 1),
    "no card": ({}, [], (), 0),
    "models that nobody told are one": ({}, [gpu(0, model=None), gpu(1, model=None)], (0, 0), 1),
}


@pytest.mark.parametrize(("rule", "cards", "leaders", "kinds"), KINDS.values(), ids=KINDS)
def test_kinds(rule, cards, leaders, kinds):
    found = facts(*cards, **rule)

    assert (found.leaders, found.kinds) == (leaders, kinds)


@pytest.mark.parametrize(
    ("models", "product", "place"),
    [
        ((), "anything", 0),
        ((), None, 0),
        (("a100",), "NVIDIA-A100-SXM4-80GB", 0),
        (("A10",), "NVIDIA-A100-SXM4-80GB", UNUSABLE),
        (("H100", "A100", "A100-SXM4"), "A100-SXM4-80GB", 1),
    ],
)
def test_preference(models, product, place):
    assert preference(models, product) == place


def test_usable_cards_by_kind():
    cards = (gpu(0), gpu(1, model="H100-PCIE-80GB"), gpu(2), gpu(3, healthy=False), gpu(4, model="H100-PCIE-80GB"))

    found = facts(*cards)

    assert found.usable == (0, 1, 2, 4)
    assert found.members == ((0, 0b00101), (1, 0b10010))

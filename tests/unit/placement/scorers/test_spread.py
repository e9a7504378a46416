"""Spread: replicas of the same workload and of others, compared with the other candidates; by hand."""

import numpy as np
import pytest

from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.asks.siblings import Siblings
from bayplan.placement.scorers.spread import Spread
from unit.placement.builders import ask, keeps_its_promises, subject, worker


class Rows:
    """Workers 0, 1 … with so many bookings, and on their cards so many."""

    def __init__(self, bookings, card_bookings=None, chosen=None):
        self.size = len(bookings)
        self.bookings = np.array(bookings)
        self.uid_hash = np.arange(self.size)
        self.card_bookings = np.array(card_bookings or [[0]] * self.size)
        self.chosen = np.array(chosen or [[True]] * self.size, np.bool_)


class Now:
    def __init__(self, mine):
        self.subject = subject(siblings=Siblings.of(mine))


def scores(asked, rows, mine):
    return Spread().score(asked, rows, Now(mine)).tolist()


def mine(*counts):
    return {number: (count, {}) for number, count in enumerate(counts) if count}


WORKERS = {
    "nobody has anything": ([0, 0], mine(), [1.0, 1.0]),
    "others alone": ([0, 1, 2], mine(), [1.0, 0.925, 0.85]),
    "some have one": ([1, 0], mine(1, 0), [0.45 + 0 + 0.20, 1.0]),
    "those that have one differ": ([1, 2, 0], mine(1, 2, 0), [0.45 + 0.35 * 0.5 + 0.20, 0.45 + 0.20, 1.0]),
    "others count beside": ([2, 1], mine(1, 0), [0.65, 1.0]),
    "everybody has one": ([1, 1], mine(1, 1), [0.90, 0.90]),
    "everybody has some": ([1, 2], mine(1, 2), [0.90, 0.65]),
    "everybody has some, and others": ([1, 2], mine(1, 1), [0.90, 0.75]),
}


@pytest.mark.parametrize(("bookings", "siblings", "wanted"), WORKERS.values(), ids=WORKERS)
def test_without_cards(bookings, siblings, wanted):
    assert scores(ask(), Rows(bookings), siblings) == pytest.approx(wanted)


CARDS = {
    "nobody on the card": ([[0]], [[True]], {}, 1.0),
    "one of the same": ([[1]], [[True]], {0: 1}, 1 / 2),
    "two of the same and one other": ([[3]], [[True]], {0: 2}, 1 / 3.2),
    "others": ([[2]], [[True]], {}, 1 / 1.4),
    "the mean over the cards it would give": ([[0, 1, 9]], [[True, True, False]], {}, (1 + 1 / 1.2) / 2),
}


@pytest.mark.parametrize(("on_cards", "chosen", "siblings", "part"), CARDS.values(), ids=CARDS)
def test_with_cards(on_cards, chosen, siblings, part):
    """The worker alone scores 1, or 0.9 if it has one of the same."""
    asked = ask(taking=Taking.SHARE, shapes=(CardShape(1),))
    held = {0: (1, siblings)} if siblings else {}
    worker_part = 0.9 if siblings else 1.0

    (score,) = scores(asked, Rows([1], on_cards, chosen), held)

    assert score == pytest.approx(0.85 * worker_part + 0.15 * part)


def test_contract():
    made = {"chosen": [[True, False], [False, True], [True, True]]}
    asks = [ask(), ask(taking=Taking.SHARE, shapes=(CardShape(1),))]
    keeps_its_promises(Spread(), [worker(cards=2)] * 3, asks, made=made)


def test_cards_are_chosen_evenly():
    assert Spread.cards == "even"

"""Which models are decided anew, and when."""

from bayplan.serving.following.doubts import Doubts
from unit.serving.builders import key

A, B, C = key("a"), key("b"), key("c")


def test_doubtful_models_come_in_order_and_once():
    doubts = Doubts()
    for name, order in ((C, 2), (A, 0), (C, 2)):
        doubts.doubt(name, order)

    assert list(doubts.turns()) == [A, C]
    assert list(doubts.turns()) == []


def test_models_that_are_short_wait_until_something_is_freed():
    doubts = Doubts()
    doubts.found(B, 1, short=True)
    assert list(doubts.turns()) == []

    doubts.freed()
    assert list(doubts.turns()) == [B]
    assert list(doubts.turns()) == [], "once"

    doubts.found(B, 1, short=False)
    doubts.freed()
    assert list(doubts.turns()) == []


def test_who_becomes_doubtful_meanwhile_is_decided_now_or_in_the_next_step():
    doubts = Doubts()
    doubts.doubt(B, 1)
    turns = doubts.turns()
    assert next(turns) == B
    doubts.doubt(A, 0)
    doubts.doubt(C, 2)

    assert list(turns) == [C]
    assert list(doubts.turns()) == [A]


def test_forgotten_models_are_not_decided():
    doubts = Doubts()
    doubts.doubt(A, 0)
    doubts.found(A, 0, short=True)
    doubts.forget(A)
    doubts.freed()

    assert list(doubts.turns()) == []
    assert not doubts.is_short(A)

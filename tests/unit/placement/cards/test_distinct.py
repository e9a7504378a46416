"""One question a distinct number, answers for every row."""

import numpy as np
import pytest

from bayplan.placement.cards.distinct import FEW_ROWS, everybody, judged, numbered, told

NUMBERS = np.array([3, 1, 3, 0, 1], np.int32)


class Counted:
    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def __call__(self, number):
        self.asked.append(number)
        return self.answer(number)


def test_a_mask_asks_once_a_number():
    question = Counted(lambda number: number > 0)

    assert judged(NUMBERS, question).tolist() == [True, True, True, False, True]
    assert sorted(question.asked) == [0, 1, 3]


def test_a_list_asks_once_a_number():
    question = Counted(str)

    assert told(NUMBERS, question) == ["3", "1", "3", "0", "1"]
    assert sorted(question.asked) == [0, 1, 3]


def test_questions_get_plain_numbers():
    assert judged(NUMBERS, lambda number: type(number) is int).all()
    assert set(told(NUMBERS, type)) == {int}


def test_no_rows():
    nobody = NUMBERS[:0]

    assert judged(nobody, bool).dtype == np.bool_
    assert (len(judged(nobody, bool)), told(nobody, str), len(everybody(0))) == (0, [], 0)


def test_everybody_passes_and_nobody_writes():
    assert everybody(3).tolist() == [True, True, True]
    with pytest.raises(ValueError, match="read-only"):
        everybody(3)[0] = False


@pytest.mark.parametrize("repeats", [1, FEW_ROWS])
def test_few_and_many_rows_are_numbered_alike(repeats):
    distinct, which = numbered(np.tile(NUMBERS, repeats))

    assert distinct == [0, 1, 3]
    assert which.tolist() == [2, 1, 2, 0, 1] * repeats

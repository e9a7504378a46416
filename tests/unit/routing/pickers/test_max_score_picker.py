"""The picker `max-score-picker`."""

from bayplan.routing.pickers.max_score_picker import MaxScorePicker
from unit.routing.pickers.picks import picks


def test_the_best():
    assert picks(MaxScorePicker(), [1, 3, 2]) == {("b",): 300}


def test_equal_ones_share():
    found = picks(MaxScorePicker(), [3, 3, 2])

    assert set(found) == {("a",), ("b",)}
    assert min(found.values()) > 100


def test_several_in_order():
    assert picks(MaxScorePicker(2), [1, 3, 2]) == {("b", "c"): 300}
    assert picks(MaxScorePicker(9), [1, 3, 2]) == {("b", "c", "a"): 300}


def test_0_or_less_is_1():
    assert set(map(len, picks(MaxScorePicker(0), [1, 3, 2]))) == {1}
    assert set(map(len, picks(MaxScorePicker(-2), [1, 3, 2]))) == {1}


def test_names():
    assert (MaxScorePicker.name, MaxScorePicker.aliases) == ("max-score-picker", ("max-score",))

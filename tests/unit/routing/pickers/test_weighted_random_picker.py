"""The picker `weighted-random-picker`."""

from bayplan.routing.pickers.weighted_random_picker import WeightedRandomPicker
from unit.routing.pickers.picks import picks


def test_in_proportion():
    found = picks(WeightedRandomPicker(), [1, 3, 0])

    assert set(found) == {("a",), ("b",)}
    assert 2 < found["b",] / found["a",] < 4.5


def test_nothing_is_better_than_none():
    assert set(picks(WeightedRandomPicker(), [0, 0])) == {("a",), ("b",)}


def test_one_of_total_0_comes_last():
    assert set(picks(WeightedRandomPicker(3), [1, 3, 0])) == {("a", "b", "c"), ("b", "a", "c")}


def test_0_or_less_is_1():
    assert set(map(len, picks(WeightedRandomPicker(0), [1, 3, 2]))) == {1}
    assert set(map(len, picks(WeightedRandomPicker(-2), [1, 3, 2]))) == {1}


def test_names():
    assert (WeightedRandomPicker.name, WeightedRandomPicker.aliases) == ("weighted-random-picker", ("weighted-random",))

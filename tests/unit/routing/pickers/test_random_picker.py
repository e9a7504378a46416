"""The picker `random-picker`."""

from bayplan.routing.pickers.random_picker import RandomPicker
from unit.routing.pickers.picks import picks


def test_any():
    found = picks(RandomPicker(), [1, 3, 2])

    assert set(found) == {("a",), ("b",), ("c",)}
    assert min(found.values()) > 60


def test_several():
    found = picks(RandomPicker(2), [1, 3, 2])

    assert len(found) == 6
    assert set(map(len, found)) == {2}


def test_0_or_less_is_1():
    assert set(map(len, picks(RandomPicker(0), [1, 3, 2]))) == {1}
    assert set(map(len, picks(RandomPicker(-2), [1, 3, 2]))) == {1}


def test_names():
    assert (RandomPicker.name, RandomPicker.aliases) == ("random-picker", ("random",))

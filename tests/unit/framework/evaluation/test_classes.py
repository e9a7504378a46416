import numpy as np

from bayplan.framework.evaluation.classes import Classes, Kept, KeptBytes


def kept(numbers=1):
    return Kept([np.zeros(numbers)], [np.zeros(numbers)], {})


def test_bytes_are_those_of_every_array():
    classes = Classes(KeptBytes(1000))
    mine = Kept([np.zeros(2)], [np.zeros(2), np.zeros(2)], {})
    mine.made["later"] = np.zeros(3, np.int32)
    classes.put("a", mine)

    assert mine.nbytes == 3 * 16 + 12
    assert classes.nbytes == mine.nbytes


def test_the_least_recently_used_goes_first():
    classes = Classes(KeptBytes(48))
    for ask in "abc":
        classes.put(ask, kept())
    assert classes.get("a") is not None
    classes.put("d", kept())

    assert [ask for ask in "abcd" if classes.get(ask)] == ["a", "c", "d"]
    assert (len(classes), classes.nbytes) == (3, 48)


def test_the_newest_stays_even_if_it_is_alone_over_the_budget():
    classes = Classes(KeptBytes(10))
    classes.put("a", kept())
    classes.put("b", kept(100))

    assert classes.get("a") is None
    assert classes.get("b") is not None
    assert (len(classes), classes.nbytes) == (1, 1600)


def test_several_share_a_budget():
    budget = KeptBytes(48)
    one, other = Classes(budget), Classes(budget)
    one.put("a", kept())
    other.put("b", kept())
    one.put("c", kept())
    other.get("b")
    other.put("d", kept())

    assert (len(one), len(other)) == (1, 2)
    assert one.get("a") is None
    other.put("e", kept())
    assert (one.get("c"), len(other), budget.nbytes) == (None, 3, 48)


def test_what_is_gone_leaves_its_room_to_others():
    budget = KeptBytes(48)
    Classes(budget).put("a", kept(2))
    other = Classes(budget)
    for ask in "bcd":
        other.put(ask, kept())

    assert (len(other), budget.nbytes) == (3, 48)


def test_putting_again_replaces():
    classes = Classes(KeptBytes(1000))
    classes.put("a", kept(5))
    new = kept(2)
    classes.put("a", new)

    assert classes.get("a") is new
    assert (len(classes), classes.nbytes) == (1, 32)


def test_what_is_dropped_is_gone():
    classes = Classes(KeptBytes(1000))
    classes.put("a", kept())
    classes.put("b", kept(2))
    classes.drop("a")
    classes.drop("never kept")
    assert (len(classes), classes.nbytes, classes.get("a")) == (1, 32, None)


def test_equal_asks_are_one_class():
    classes = Classes(KeptBytes(1000))
    classes.put((1, "x"), kept())

    assert classes.get((1.0, "x")) is not None


def test_what_is_new_is_as_of_no_time():
    mine = kept()

    assert (mine.tick, mine.static_tick, mine.generation, mine.epochs) == (-1, -1, -1, ())

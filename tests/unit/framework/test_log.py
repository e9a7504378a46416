import numpy as np
import pytest

from bayplan.framework.log import Log


def filled(capacity, *rows):
    log = Log(capacity)
    for row in rows:
        log.append(row)
    return log


SINCE = {
    "nothing happened": (4, (7, 8), 2, 9, []),
    "all since the beginning": (4, (7, 8), 0, 9, [7, 8]),
    "the last one": (4, (7, 8), 1, 9, [8]),
    "twice the same row": (4, (7, 7), 0, 9, [7, 7]),
    "as many as are wanted at most": (4, (7, 8), 0, 2, [7, 8]),
    "more than are wanted": (4, (7, 8), 0, 1, None),
    "the log is full": (4, (1, 2, 3, 4), 0, 9, [1, 2, 3, 4]),
    "the older half is forgotten": (4, (1, 2, 3, 4, 5), 2, 9, [3, 4, 5]),
    "it was too long ago": (4, (1, 2, 3, 4, 5), 1, 9, None),
    "forgotten again and again": (4, tuple(range(20)), 17, 9, [17, 18, 19]),
    "an odd capacity": (5, (1, 2, 3, 4, 5, 6), 2, 9, [3, 4, 5, 6]),
}


@pytest.mark.parametrize(("capacity", "rows", "tick", "most", "wanted"), SINCE.values(), ids=SINCE)
def test_since(capacity, rows, tick, most, wanted):
    got = filled(capacity, *rows).since(tick, most)

    assert got is None if wanted is None else got.tolist() == wanted


def test_the_tick_counts_every_change_ever_made():
    log = filled(4, *range(11))
    log.extend(np.array([1, 2]))

    assert log.tick == 13


EXTEND = {
    "many at once": (6, (1,), (2, 3, 4), 0, [1, 2, 3, 4]),
    "just as many as can be remembered": (6, (), (2, 3, 4), 0, [2, 3, 4]),
    "too many to remember": (6, (1,), (2, 3, 4, 5), 1, None),
    "too many, but whoever looks afterwards is up to date": (6, (1,), (2, 3, 4, 5), 5, []),
    "up to the brim": (6, (1, 2, 3), (4, 5, 6), 0, [1, 2, 3, 4, 5, 6]),
    "over the brim": (6, (1, 2, 3, 4), (5, 6, 7), 3, [4, 5, 6, 7]),
    "over the brim, too long ago": (6, (1, 2, 3, 4), (5, 6, 7), 2, None),
}


@pytest.mark.parametrize(("capacity", "before", "rows", "tick", "wanted"), EXTEND.values(), ids=EXTEND)
def test_extend(capacity, before, rows, tick, wanted):
    log = filled(capacity, *before)
    log.extend(np.array(rows))

    got = log.since(tick, 99)

    assert log.tick == len(before) + len(rows)
    assert got is None if wanted is None else got.tolist() == wanted


def test_after_forgetting_it_goes_on():
    log = filled(4, 1, 2)
    log.forget()
    log.append(9)

    assert log.tick == 4
    assert log.since(2, 9) is None
    assert log.since(3, 9).tolist() == [9]


def test_what_was_given_out_stays_as_it_was_while_the_log_shifts():
    log = filled(4, 1, 2, 3, 4)
    got = log.since(0, 9)
    log.append(5)

    assert got.tolist() == [1, 2, 3, 4]


def test_after_shifting_twice_it_still_knows_what_it_forgot():
    log = filled(4, *range(8))

    assert log.since(4, 9).tolist() == [4, 5, 6, 7]
    assert log.since(3, 9) is None


def test_forgetting_leaves_the_whole_room():
    log = filled(4, 1)
    log.forget()
    for row in range(4):
        log.append(row)

    assert log.since(2, 9).tolist() == [0, 1, 2, 3]

"""When silent workers are too many."""

import pytest

from bayplan.control.nodes.outage import Outage

CASES = {
    "none is silent": (0, 10, False),
    "one of two": (1, 2, False),
    "both of two": (2, 2, True),
    "the only worker": (1, 1, False),
    "two of three, as a small cluster may lose": (2, 3, False),
    "three of five": (3, 5, True),
    "just the share": (55, 100, False),
    "more than the share": (56, 100, True),
    "no workers at all": (0, 0, False),
}


@pytest.mark.parametrize(("silent", "expected", "active"), CASES.values(), ids=CASES)
def test_outage(silent, expected, active):
    outage = Outage(0.55)

    changed = outage.look(silent, expected, 5.0)

    assert (outage.active, changed) == (active, active)


def test_an_outage_begins_and_ends_once():
    outage = Outage(0.55)

    assert [outage.look(silent, 10, 7.0) for silent in (0, 6, 7, 5, 5)] == [False, True, False, True, False]
    assert outage.ended_s == 7.0

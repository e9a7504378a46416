"""Gangs: how many members must be placed for any to be."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import Gang, MinResources
from bayplan.cluster.topology import Level
from bayplan.framework.errors import InputError

LEAST = {
    "all": (None, 4, 4),
    "some": (3, 4, 3),
    "one": (1, 4, 1),
    "none is one": (0, 4, 1),
    "more than desired stays": (6, 4, 6),
    "nothing desired": (None, 0, 1),
}


@pytest.mark.parametrize(("minimum", "desired", "least"), LEAST.values(), ids=LEAST)
def test_least(minimum, desired, least):
    assert Gang(minimum).least(desired) == least


def test_a_negative_minimum_is_refused():
    with pytest.raises(InputError, match="-1 is negative") as caught:
        Gang(-1)

    assert caught.value.place == "minimum"


def test_a_gang_may_be_kept_together():
    assert Gang(within=Level.RACK) != Gang()


def test_what_must_be_free_is_no_debt():
    with pytest.raises(InputError, match="-2 is negative") as caught:
        MinResources(cards=-2)

    assert caught.value.place == "cards"


@pytest.mark.parametrize("least", [MinResources(1), MinResources(ram_mib=1), MinResources(cards=1)])
def test_whether_anything_must_be_free(least):
    assert least.any
    assert not MinResources().any

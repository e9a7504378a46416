"""How many replicas of a workload may stand on spot workers."""

from dataclasses import replace

import pytest

from bayplan.cluster.workload import CostLimit
from unit.placement.builders import role, sized


def sharing(percent):
    return role(gpus={"count": 1}, cost=CostLimit(max_spot_percent=percent))


SHARES = {
    "no limit": (None, 4, None),
    "nothing": (0.0, 4, 0),
    "rounded down": (30.0, 4, 1),
    "not quite one": (24.9, 4, 0),
    "exactly one": (25.0, 4, 1),
    "all": (100.0, 4, 4),
    "as it is written": (0.7, 1000, 7),
    "as it is written, once more": (33.3, 1000, 333),
}


@pytest.mark.parametrize(("percent", "replicas", "most"), SHARES.values(), ids=SHARES)
def test_the_share_is_rounded_down(percent, replicas, most):
    assert sized(sharing(percent), replicas=replicas).most_on_spot == most


def test_the_smallest_share_counts_for_all_roles():
    asked = sized(("a", 4, sharing(75.0)), ("b", 2, sharing(50.0)), ("c", 4, sharing(None)))

    assert (asked.max_spot_percent, asked.most_on_spot) == (50.0, 5)


def test_a_part_keeps_to_the_share_of_the_whole():
    asked = sized(("a", 6, sharing(50.0)), ("b", 4, sharing(None)))
    part = replace(sized(sharing(None), replicas=1), part_of=asked)

    assert asked.whole is asked
    assert part.whole is asked
    assert (part.max_spot_percent, part.most_on_spot) == (50.0, 5)

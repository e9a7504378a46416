"""Every filter of placement names the events that could cure it: known ones, and none too few.

A filter can only change its mind when something changed that it reads, itself or through the producers of its columns.
So it names at least the events by which these columns change, and that a worker joins.
"""

import pytest

from bayplan.cluster.events import ALL_EVENTS, WORKER_ADDED, events_of
from bayplan.framework.registry import kinds_of
from bayplan.placement.constraints.cost_sum import CostSum
from bayplan.placement.constraints.spot_share import SpotShare
from bayplan.placement.constraints.spread_over import DomainSpread
from bayplan.placement.constraints.within import Within
from bayplan.placement.defaults import builtins

PLUGINS = (*builtins(), CostSum, SpotShare, DomainSpread, Within)
FILTERS = {each.name: each for each in PLUGINS if "filter" in kinds_of(each)}
MAKERS = [each for each in PLUGINS if "producer" in kinds_of(each)]


def read_by(columns):
    """These columns, and all that is read to make them."""
    found = list(columns)
    for column in found:  # grows
        for maker in MAKERS:
            if column in maker.produces:
                found.extend(each for each in maker.reads if each not in found)
    return found


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_names_the_events_that_could_cure_it(name):
    named = FILTERS[name].cured_by
    needed = {event for column in read_by(FILTERS[name].reads) for event in events_of(column)}

    assert isinstance(named, tuple)
    assert set(named) <= set(ALL_EVENTS)
    assert len(set(named)) == len(named)
    assert needed | {WORKER_ADDED} <= set(named)


def test_the_test_knows_filters_and_producers():
    assert {"gpu-fit", "anti-affinity", "within"} <= FILTERS.keys()
    assert "card_free_mib" in read_by(FILTERS["gpu-fit"].reads)

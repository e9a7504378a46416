import pytest

from bayplan.sim.routing.pickers.endpoint_picker import EndpointPicker
from bayplan.sim.routing.pickers.scraped import Reading
from unit.sim.routing.traces import request


class Fixed:
    """Readings that a test gives."""

    def __init__(self, *readings):
        self.readings = readings

    def reading(self, number, now):
        return self.readings[number]


def costs(picker, *blocks):
    return [-cost for cost in picker.costs(request("r", 0.0, *blocks), picker.live, 0.0)]


TOTALS = {
    "all idle": ([Reading(0, 0, 0.0)] * 2, [4.0, 4.0]),
    "a queue": ([Reading(3, 0, 0.0), Reading(0, 0, 0.0)], [2.0, 4.0]),
    "a queue between two": ([Reading(4, 0, 0.0), Reading(1, 0, 0.0), Reading(0, 0, 0.0)], [2.0, 3.5, 4.0]),
    "a full cache": ([Reading(0, 0, 1.0), Reading(0, 0, 0.25)], [2.0, 3.5]),
}


@pytest.mark.parametrize(("readings", "totals"), TOTALS.values(), ids=TOTALS)
def test_totals(readings, totals):
    assert costs(EndpointPicker(len(readings), 50, Fixed(*readings)), 1, 2) == pytest.approx(totals)


def test_a_known_prompt_is_worth_three():
    picker = EndpointPicker(1, 50, Fixed(Reading(0, 0, 0.0)))
    picker.arrive(request("a", 0.0, 1, 2), 0.0)

    assert costs(picker, 1, 2, 3, 4) == pytest.approx([4.0 + 1.5])


def test_blocks_behind_a_gap_count_as_in_the_original():
    picker = EndpointPicker(2, 3, Fixed(Reading(0, 0, 0.0), Reading(0, 0, 0.5)))
    picker.arrive(request("a", 0.0, 1, 2, 3, 4), 0.0)  # room for three: the front is forgotten first
    picker._held[1][1] = None

    assert costs(picker, 1, 2, 3, 4) == pytest.approx([4.0 + 3 * 3 / 4, 3.0 + 3 / 4])


def test_a_lost_engine_remembers_nothing():
    picker = EndpointPicker(2, 50, Fixed(Reading(0, 0, 0.0), Reading(0, 0, 1.0)))
    picker.arrive(request("a", 0.0, 1, 2), 0.0)

    picker.lose(0, [], 1.0)
    picker.regain(0, 2.0)

    assert costs(picker, 1, 2) == pytest.approx([4.0, 2.0])

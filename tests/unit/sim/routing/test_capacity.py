from math import log

import pytest

from bayplan.sim.routing.capacity import HIGHEST, LOWEST, STEP, CapacitySearch


class Limited:
    """A workload whose criteria hold up to these steps of the grid."""

    def __init__(self, **highest):
        self.highest = highest
        self.speeds, self.asked = [], []

    def replay(self, policy, speed, *, criteria):
        self.speeds.append(speed)
        self.asked.append(criteria)
        return Outcome({name: speed <= STEP**step * 1.001 for name, step in self.highest.items()})


class Outcome:
    def __init__(self, met):
        self.met = met


LIMITS = {
    "near the guess": {"A": 0, "B": 1, "C": 2, "D": -1},
    "far above": {"A": 60, "B": 70, "C": 90, "D": 20},
    "far below": {"A": -60, "B": -20, "C": -70, "D": -90},
    "apart": {"A": -50, "B": 0, "C": 80, "D": 3},
    "two that never fail": {"A": HIGHEST, "B": HIGHEST, "C": HIGHEST, "D": 0},
    "at the ends": {"A": LOWEST, "B": HIGHEST, "C": 0, "D": 0},
}


@pytest.mark.parametrize("highest", LIMITS.values(), ids=LIMITS)
def test_the_highest_step_that_holds(highest):
    workload = Limited(**highest)
    search = CapacitySearch(workload, "late")

    assert search.capacities() == pytest.approx({name: STEP**step for name, step in highest.items()})
    assert search.replays == len(workload.speeds) == len(set(workload.speeds))


def test_four_criteria_share_their_replays():
    search = CapacitySearch(Limited(A=5, B=5, C=6, D=5), "late")
    search.capacities()

    assert search.replays <= 7


def test_a_criterion_that_never_holds_or_never_fails():
    found = CapacitySearch(Limited(A=-1000, B=1000, C=0, D=0), "late").capacities()

    assert found == pytest.approx({"A": STEP ** (LOWEST - 1), "B": STEP**HIGHEST, "C": 1.0, "D": 1.0})


def test_the_guess_is_where_the_search_begins():
    workload = Limited(A=40, B=40, C=40, D=40)
    CapacitySearch(workload, "late", guess=STEP**40).capacities()

    assert workload.speeds[0] == pytest.approx(STEP**40)


def test_a_replay_is_asked_about_what_is_still_open_at_its_speed():
    workload = Limited(A=-50, B=40, C=40, D=40)
    CapacitySearch(workload, "late").capacities()

    asked = dict(zip((round(log(speed, STEP)) for speed in workload.speeds), workload.asked, strict=True))
    assert asked[0] == "ABCD"
    assert all(criteria == ("A" if step < 0 else "BCD") for step, criteria in asked.items() if step)

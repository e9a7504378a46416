"""The smaller draw of power."""

import pytest

from bayplan.placement.scorers.power import Power
from unit.placement.builders import ask, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score

DRAWN = {"none": (0.0, 1.0), "half": (5000.0, 0.5), "all": (10_000.0, 0.0), "more": (20_000.0, 0.0), "?": (None, 0.5)}


@pytest.mark.parametrize(("watts", "wanted"), DRAWN.values(), ids=DRAWN)
def test_score(watts, wanted):
    assert score(Power(), ask(), worker(power_watts=watts)) == wanted


def test_what_is_not_known_is_named():
    assert note(Power(), ask(), worker()) == "not known: powerWatts"
    assert note(Power(), ask(), worker(power_watts=1.0)) == ""


def test_contract():
    keeps_its_promises(Power(), [worker(power_watts=watts) for watts, _ in DRAWN.values()], [ask()])

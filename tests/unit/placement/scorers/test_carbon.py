"""The cleaner grid."""

import pytest

from bayplan.placement.scorers.carbon import Carbon
from unit.placement.builders import ask, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score

GRIDS = {"clean": (0.0, 1.0), "half": (500.0, 0.5), "dirty": (1000.0, 0.0), "dirtier": (2000.0, 0.0), "?": (None, 0.5)}


@pytest.mark.parametrize(("grams", "wanted"), GRIDS.values(), ids=GRIDS)
def test_score(grams, wanted):
    assert score(Carbon(), ask(), worker(carbon_g_per_kwh=grams)) == wanted


def test_what_is_not_known_is_named():
    assert note(Carbon(), ask(), worker()) == "not known: carbonGramsPerKwh"
    assert note(Carbon(), ask(), worker(carbon_g_per_kwh=1.0)) == ""


def test_contract():
    keeps_its_promises(Carbon(), [worker(carbon_g_per_kwh=grams) for grams, _ in GRIDS.values()], [ask()])

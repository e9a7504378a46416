"""Binpack: (r + 2·g) / 3, by hand."""

import numpy as np
import pytest

from bayplan.placement.asks.ask import Taking
from bayplan.placement.scorers.binpack import Binpack
from unit.placement.builders import ask, keeps_its_promises, worker

CASES = {
    "cards alone": (ask(taking=Taking.SHARE), 0.6, 100, 0.4),
    "full cards": (ask(taking=Taking.WHOLE), 1.0, -1, 2 / 3),
    "cards and RAM": (ask(taking=Taking.SHARE, ram_mib=50), 0.6, 100, (0.5 + 1.2) / 3),
    "all of both": (ask(taking=Taking.SHARE, ram_mib=100), 1.0, 100, 1.0),
    "RAM alone": (ask(ram_mib=25), 0.0, 100, 0.25),
    "none is asked for": (ask(), 0.0, 100, 0.0),
    "0 is asked for": (ask(ram_mib=0), 0.0, 100, 0.0),
    "never above 1": (ask(ram_mib=500), 0.0, 100, 1.0),
    "none is free": (ask(ram_mib=5), 0.0, 0, 1.0),
}


class Row:
    def __init__(self, fullness, ram_free_mib):
        self.size = 1
        self.fullness, self.ram_free_mib = np.array([fullness]), np.array([ram_free_mib])


@pytest.mark.parametrize(("asked", "fullness", "ram_free", "score"), CASES.values(), ids=CASES)
def test_score(asked, fullness, ram_free, score):
    assert Binpack().score(asked, Row(fullness, ram_free), None).tolist() == [pytest.approx(score)]


def test_contract():
    workers = [worker(ram_mib=number * 100) for number in range(1, 6)]
    made = {"fullness": [0.0, 0.25, 0.5, 0.75, 1.0]}
    keeps_its_promises(Binpack(), workers, [asked for asked, *_ in CASES.values()], made=made)

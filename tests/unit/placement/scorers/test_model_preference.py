"""The model that is named first wins."""

from types import SimpleNamespace

import numpy as np

from bayplan.placement.scorers.model_preference import ModelPreference
from unit.placement.builders import ask, keeps_its_promises, worker


def test_scores_fall_with_the_place_in_the_order():
    rows = SimpleNamespace(fit_rank=np.array([0, 1, 2, -1]))

    assert ModelPreference().score(ask(), rows, None).tolist() == [1.0, 0.5, 1 / 3, 1.0]


def test_contract():
    keeps_its_promises(ModelPreference(), [worker()] * 4, [ask()], made={"fit_rank": [0, 1, 2, 5]})

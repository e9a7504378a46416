"""The share of the wanted replicas that a server can give."""

from types import SimpleNamespace

import numpy as np

from bayplan.serving.scorers.replicas_given import ReplicasGiven
from unit.serving.builders import ask, subject


def test_scores():
    rows = SimpleNamespace(size=3, group_rows_left=np.array([1, 2, 5]))
    cycle = SimpleNamespace(subject=subject(desired=2))

    assert ReplicasGiven().score(ask(), rows, cycle).tolist() == [0.5, 1.0, 1.0]

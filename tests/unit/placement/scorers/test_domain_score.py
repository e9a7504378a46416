"""A domain hands on what its workers scored."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.placement.scorers.domain_score import DomainScore
from unit.placement.builders import ask, keeps_its_promises, worker


@pytest.mark.parametrize(
    ("most", "total", "score"), [(1.0, 0.6, 0.6), (4.0, 3.0, 0.75), (1.0, -0.5, 0.0), (1.0, 1.1, 1.0)]
)
def test_score(most, total, score):
    rows = SimpleNamespace(domain_score=np.array([total]))

    assert DomainScore(most).score(ask(), rows, None).tolist() == [score]


def test_contract():
    keeps_its_promises(DomainScore(2.0), [worker()] * 3, [ask()], made={"domain_score": [0.0, 1.0, 2.0]})

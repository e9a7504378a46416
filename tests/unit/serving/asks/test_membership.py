"""Which rows are among a few named ones."""

import numpy as np
import pytest

from bayplan.serving.asks.membership import is_among


@pytest.mark.parametrize("values", [(), (2,), (0, 5), range(20)], ids=["none", "one", "some", "many"])
def test_is_among(values):
    column = np.array([0, 1, 2, 30])

    assert is_among(column, values).tolist() == [each in values for each in (0, 1, 2, 30)]

"""The settings of a band, listed or not."""

import pytest

from bayplan.routing.flow.flow_settings import BandSettings, FlowSettings

LISTED, USUAL, NEGATIVE = (BandSettings(size, size, None, None) for size in (1, 2, 3))
FLOW = FlowSettings(None, None, None, None, {10: LISTED, -1: LISTED}, USUAL, NEGATIVE, None)


@pytest.mark.parametrize(
    ("priority", "wanted"), [(10, LISTED), (-1, LISTED), (0, USUAL), (99, USUAL), (-2, NEGATIVE)], ids=repr
)
def test_band(priority, wanted):
    assert FLOW.band(priority) is wanted

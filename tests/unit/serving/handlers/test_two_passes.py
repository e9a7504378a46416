"""Which profiles suit the two passes."""

import pytest

from bayplan.serving.handlers.two_passes import TwoPasses

CASES = {
    "both": (["all", "minimum"], False),
    "in any order": (["minimum", "all"], False),
    "one for both": (["mine"], False),
    "another name": (["all", "some"], True),
    "too many": (["all", "minimum", "some"], True),
}


@pytest.mark.parametrize(("names", "wrong"), CASES.values(), ids=CASES)
def test_profiles(names, wrong):
    assert bool(TwoPasses().check(names)) is wrong

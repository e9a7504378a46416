"""Shadows run beside the profile that decides."""

import pytest

from bayplan.routing.handlers.shadow_profile_handler import ShadowProfileHandler
from unit.routing.endpoint_tables import refused_at
from unit.routing.handlers.stages_of import ALONE, decided, pool, profile

PROFILES = [profile("a"), profile("b"), profile("c")]
CASES = {
    "all others": (ShadowProfileHandler("b"), ["b", "a", "c"]),
    "one": (ShadowProfileHandler("a", ("c",)), ["a", "c"]),
    "none": (ShadowProfileHandler("a", ()), ["a"]),
    "itself is none": (ShadowProfileHandler("a", ("a", "b")), ["a", "b"]),
    "the primary fails": (ShadowProfileHandler("c", ("a",)), ["c", "a"]),
}


@pytest.mark.parametrize(("handler", "ran"), CASES.values(), ids=CASES)
def test_the_primary_decides(handler, ran):
    picked, primary, stages = decided(handler, PROFILES, pool("a", "b"))

    assert (list(picked), primary, stages) == (ran, handler.primary, ALONE)


def test_a_primary_is_needed():
    assert refused_at(ShadowProfileHandler, primary="") == "primary"

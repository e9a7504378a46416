"""A header names the profile."""

import pytest

from bayplan.framework.errors import HandlerError
from bayplan.routing.handlers.header_profile_handler import HeaderProfileHandler
from unit.routing.endpoint_tables import refused_at, request
from unit.routing.handlers.stages_of import ALONE, decided, pool, profile

TWO = [profile("decode"), profile("prefill")]
ALL = pool("decode", "prefill")
CASES = {
    "the header's": (HeaderProfileHandler(), {"epp-profile": "prefill"}, TWO, "prefill"),
    "no header: the default": (HeaderProfileHandler(), {}, TWO, "decode"),
    "another default": (HeaderProfileHandler(default_profile="prefill"), {}, TWO, "prefill"),
    "another header": (HeaderProfileHandler("X-Stage"), {"x-stage": "prefill"}, TWO, "prefill"),
    "the only profile, whatever the header": (HeaderProfileHandler(), {"epp-profile": "z"}, TWO[1:], "prefill"),
}


@pytest.mark.parametrize(("handler", "given", "profiles", "wanted"), CASES.values(), ids=CASES)
def test_profile(handler, given, profiles, wanted):
    asked = request(headers=given)

    assert handler.problem(asked, [each.name for each in profiles]) is None
    assert decided(handler, profiles, ALL, asked) == ({wanted: [wanted]}, wanted, ALONE)


def test_where_nothing_fits_it_still_decides():
    assert decided(HeaderProfileHandler(), TWO, pool("prefill")) == ({"decode": []}, "decode", ALONE)


def test_a_profile_that_does_not_exist():
    asked = request(headers={"epp-profile": "z"})

    assert "'z'; there are: decode, prefill" in HeaderProfileHandler().problem(asked, ["decode", "prefill"])
    with pytest.raises(HandlerError, match="'z'"):
        decided(HeaderProfileHandler(), TWO, ALL, asked)


def test_a_header_is_needed():
    assert refused_at(HeaderProfileHandler, header_name="") == "header_name"

"""The only profile runs."""

import pytest

from bayplan.framework.errors import HandlerError
from bayplan.routing.handlers.single_profile_handler import SingleProfileHandler
from unit.routing.handlers.stages_of import ALONE, MaxScorePicker, decided, pool, profile


def test_it_runs_once():
    assert decided(SingleProfileHandler(), [profile("a")], pool("a", "b")) == ({"a": ["a"]}, "a", ALONE)


def test_where_nothing_fits_it_still_decides():
    assert decided(SingleProfileHandler(), [profile("z")], pool("a")) == ({"z": []}, "z", ALONE)


def test_as_many_endpoints_as_the_picker_is_set_to():
    picked, *_ = decided(SingleProfileHandler(), [profile("a", MaxScorePicker(2))], pool("a", "a", "b"))

    assert sorted(picked["a"]) == ["a", "a1"]


def test_several_profiles_are_refused():
    with pytest.raises(HandlerError, match="there are 2: a, b"):
        decided(SingleProfileHandler(), [profile("a"), profile("b")], pool("a"))
    assert not SingleProfileHandler().check(["a"])
    assert "single-profile-handler" in SingleProfileHandler().check(["a", "b"])[0]

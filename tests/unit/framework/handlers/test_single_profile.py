import pytest

from bayplan.framework.errors import HandlerError
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Run
from bayplan.framework.scheduler import Scheduler
from unit.framework.builders import cycle, freest, profile, rows_of, scheduler, table


def test_runs_the_only_profile_once_and_takes_its_picks():
    handler, profiles = SingleProfile(), {"mine": profile(name="mine")}

    assert list(handler.pick_profiles(cycle(), profiles, {})) == [Run("mine", answer=Decision("mine"))]
    assert list(handler.pick_profiles(cycle(), profiles, {"mine": object()})) == []
    assert handler.process_results(cycle(), {"mine": object()}) == Decision("mine")


def test_in_a_scheduler():
    outcome = scheduler(freest()).schedule("s")

    assert rows_of(outcome) == [0]
    assert list(outcome.results) == ["p"]


def test_two_profiles_are_one_too_many():
    mine = Scheduler([profile(name="a"), profile(name="b")], SingleProfile(), table=table())

    with pytest.raises(HandlerError) as caught:
        mine.schedule("s")
    assert caught.value.place == "plugin single-profile"
    assert "a" in caught.value.message
    assert "b" in caught.value.message
    assert caught.value.next

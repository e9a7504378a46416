import pytest

from bayplan.framework.errors import PluginError
from bayplan.framework.plugins import Watch
from unit.framework.builders import Keeps, Scores, Spy, freest, roomy, scheduler, table


def test_observers_are_told_before_and_after_each_call():
    spy, other = Spy(), Spy()
    scheduler(roomy(), freest(), observers=[spy, other]).schedule("me")

    assert (
        spy.told
        == other.told
        == [
            ("before", "filter", "roomy", 3),
            ("after", "filter", "roomy", 3),
            ("before", "scorer", "freest", 3),
            ("after", "scorer", "freest", 3),
            ("decided", "me"),
        ]
    )


class Sampler(Spy):
    """Hears of every second decision."""

    def decided(self, outcome):
        self.attentive = not self.attentive
        self.told.append(("decided", outcome.subject))


def test_one_that_samples_hears_of_the_decisions_in_which_it_is_attentive():
    sampler, always = Sampler(), Spy()
    on = table()
    mine = scheduler(roomy(), freest(), on=on, observers=[sampler, always])
    for number in range(4):
        on.write(0, {"free": 5 + number})
        mine.schedule(number)

    heard = [each[2] if each[0] == "before" else each[1] for each in sampler.told if each[0] != "after"]
    assert heard == ["roomy", "freest", 0, 1, "roomy", "freest", 2, 3]
    assert sum(each[0] == "after" for each in always.told) == 8


def test_also_when_the_call_fails():
    def boom(ask, rows, cycle):
        raise ValueError("no")

    spy = Spy()
    with pytest.raises(PluginError):
        scheduler(Keeps("bad", (), boom), observers=[spy]).schedule("me")

    assert spy.told == [("before", "filter", "bad", 3), ("after", "filter", "bad", 3)]


def test_they_hear_of_clamped_values_and_skipped_plugins():
    def boom(ask, rows, cycle):
        raise ValueError("no")

    spy = Spy()
    wild = Scores("wild", ("free",), lambda ask, rows, cycle: rows.free - 1.5)
    mine = scheduler(Keeps("bad", (), boom), wild, observers=[spy], skip_broken=True)
    mine.schedule("me")
    assert [each for each in spy.told if each[0] in ("clamped", "skipped")] == [
        ("clamped", "wild", 2),
        ("skipped", "bad", "raised ValueError: no"),
    ]
    mine = scheduler(wild, observers=[spy])
    spy.told.clear()
    mine.schedule("me")
    mine.schedule("me")
    assert [each for each in spy.told if each[0] == "clamped"] == [("clamped", "wild", 2)]


def test_a_watch_ignores_everything():
    assert scheduler(roomy(), freest(), observers=[Watch()]).schedule("me").ok
    watch = Watch()
    assert (watch.clamped("a", 1), watch.skipped("a", "b")) == (None, None)

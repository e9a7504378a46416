"""Last-seen times of workers."""

from bayplan.control.nodes.heartbeats import Beat, Heartbeats


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def heartbeats(*names):
    clock = Clock()
    known = Heartbeats(clock)
    for name in names:
        known.expect(name)
    return known, clock


def test_a_worker_is_silent_once():
    known, clock = heartbeats("a", "b")
    clock.now += 39
    known.beat("b")
    clock.now += 1

    assert known.fall_silent(40) == ["a"]
    assert known.fall_silent(40) == []
    assert (known.silent, known.expected) == (1, 2)
    assert known.is_silent("a")
    assert not known.is_silent("b")


def test_a_worker_that_is_heard_again_can_fall_silent_again():
    known, clock = heartbeats("a")
    clock.now += 50
    known.fall_silent(40)
    known.beat("a")

    assert not known.is_silent("a")
    clock.now += 50
    assert known.fall_silent(40) == ["a"]


def test_expecting_a_worker_that_is_known_changes_nothing():
    known, clock = heartbeats("a")
    clock.now += 50
    known.expect("a")

    assert known.fall_silent(40) == ["a"]
    known.expect("a")
    assert known.is_silent("a")


def test_a_forgotten_worker_is_expected_anew():
    known, clock = heartbeats("a")
    clock.now += 50
    known.forget("a")
    known.expect("a")

    assert known.fall_silent(40) == []
    assert known.told("a") is None


def test_a_plain_beat_keeps_what_was_told():
    known, _ = heartbeats("a")
    known.beat("a", Beat(id="x", address="http://127.0.0.1:1", measurements={"cpu": 1}))
    known.beat("a")

    assert known.told("a").address == "http://127.0.0.1:1"
    assert list(known.measured()) == [("a", {"cpu": 1})]


def test_listeners_hear_of_news_alone():
    known, clock = heartbeats("a")
    heard = []
    known.listen(heard.append)
    known.beat("a", Beat(id="x"))
    known.beat("a", Beat(id="x"))
    assert heard == ["a"]

    known.beat("a", Beat(id="x", leaving=True))
    known.beat("a", Beat(id="x", leaving=True))
    assert heard == ["a", "a"]

    clock.now += 50
    known.fall_silent(40)
    known.beat("a", Beat(id="x", leaving=True))
    assert heard == ["a", "a", "a"]


def test_secrets_are_not_shown():
    assert "hidden" not in repr(Beat(secret="hidden", certificate="hidden"))

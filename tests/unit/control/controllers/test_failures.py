from bayplan.control.controllers.failures import QUIET_S, Failures


def test_pauses_double_and_are_forgotten():
    failures, pauses, now = Failures(), [], 0.0
    for number in range(12):
        failures.note("owner", {str(number)}, now)
        pauses.append(failures.pause_s("owner", now))
        now += pauses[-1]
        assert failures.pause_s("owner", now) == 0
    failures.note("owner", {"later"}, now + QUIET_S + 1)

    assert pauses == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert failures.pause_s("owner", now + QUIET_S + 1) == 0


def test_the_same_failure_counts_once_and_owners_are_apart():
    failures = Failures()
    for _ in range(5):
        failures.note("a", {"x"}, 0)
    failures.note("b", set(), 0)

    assert failures.pause_s("a", 0) == failures.pause_s("b", 0) == 0


def test_an_owner_can_be_forgotten():
    failures = Failures()
    for number in range(3):
        failures.note("a", {str(number)}, 0)
    failures.forget("a")

    assert failures.pause_s("a", 0) == 0


def test_some_wait_after_the_first_failure_too():
    failures = Failures(10, 360, first_at_once=False)
    failures.note("a", {"x"}, 0)

    assert failures.pause_s("a", 0) == 10

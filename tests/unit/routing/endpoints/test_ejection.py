import pytest

from bayplan.routing.endpoints.ejection import Ejections, EjectionSettings, Standing

SETTINGS = EjectionSettings(failures=3, first_s=1.0, longest_s=8.0, trial_s=10.0, calm_s=60.0)


def pool(*names, stage=""):
    found = Ejections(SETTINGS)
    for name in names:
        found.joined(name, stage)
    return found


def broken(name="a", *, at=0.0):
    """A pool of two whose first endpoint is out."""
    ejections = pool("a", "b")
    for _ in range(3):
        ejections.failed(name, at)
    return ejections


def test_failures_in_a_row_put_an_endpoint_out():
    ejections = pool("a", "b")

    assert [ejections.failed("a", 0.0) for _ in range(3)] == [False, False, True]
    assert ejections.out(0.0) == {"a"}


def test_a_success_between_failures_counts():
    ejections = pool("a", "b")
    for _ in range(5):
        ejections.failed("a", 0.0)
        ejections.failed("a", 0.0)
        assert not ejections.succeeded("a", 0.0)

    assert ejections.out(0.0) == frozenset()


def test_it_stays_out_until_the_back_off_ends():
    ejections = broken()

    assert ejections.standing("a", 0.9) is Standing.OUT
    assert ejections.next_change_at(0.5) == 1.0
    assert ejections.standing("a", 1.0) is Standing.DUE
    assert ejections.next_change_at(1.0) is None


def test_one_request_is_the_trial():
    ejections = broken()

    assert [ejections.sent("a", 1.0), ejections.sent("a", 1.0)] == [True, False]
    assert ejections.standing("a", 1.0) is Standing.TRIAL
    assert ejections.out(1.0) == {"a"}


def test_requests_elsewhere_are_no_trials():
    ejections = broken()

    assert not ejections.sent("b", 1.0)
    assert not ejections.sent("a", 0.5)


def test_a_trial_that_succeeds_brings_it_back():
    ejections = broken()
    ejections.sent("a", 1.0)

    assert ejections.succeeded("a", 1.2)
    assert ejections.standing("a", 1.2) is Standing.IN


def test_back_offs_double_up_to_the_longest():
    ejections, now, waits = broken(), 0.0, []
    for _ in range(5):
        due = ejections.next_change_at(now)
        waits.append(due - now)
        now = due
        ejections.sent("a", now)
        assert ejections.failed("a", now)

    assert waits == [1.0, 2.0, 4.0, 8.0, 8.0]


def test_an_endpoint_that_fails_soon_again_waits_longer():
    ejections = broken()
    ejections.succeeded("a", 1.0)
    for _ in range(3):
        ejections.failed("a", 10.0)

    assert ejections.next_change_at(10.0) == 12.0


def test_after_a_calm_time_back_offs_begin_anew():
    ejections = broken()
    ejections.succeeded("a", 1.0)
    for _ in range(3):
        ejections.failed("a", 100.0)

    assert ejections.next_change_at(100.0) == 101.0


def test_late_failures_of_requests_from_before_change_nothing():
    ejections = broken()

    assert not ejections.failed("a", 0.5)
    assert ejections.next_change_at(0.5) == 1.0


def test_a_trial_that_nothing_is_heard_of_is_due_again():
    ejections = broken()
    ejections.sent("a", 1.0)

    assert ejections.next_change_at(1.0) == 11.0
    assert ejections.standing("a", 11.0) is Standing.DUE


def test_never_all_of_them():
    ejections = broken()
    for _ in range(3):
        ejections.failed("b", 0.0)

    assert ejections.out(0.0) == frozenset()


def test_a_single_endpoint_is_never_left_out():
    ejections = pool("a")
    for _ in range(9):
        ejections.failed("a", 0.0)

    assert ejections.out(0.0) == frozenset()


def test_never_all_of_a_stage():
    ejections = pool("a", "b", stage="decode")
    ejections.joined("p", "prefill")
    for name in ("a", "p"):
        for _ in range(3):
            ejections.failed(name, 0.0)

    assert ejections.out(0.0) == {"a"}


def test_probes_that_fail_count_like_requests():
    ejections = pool("a", "b")

    assert not ejections.failed("a", 0.0)
    assert [ejections.probe_failed("a", 0.1), ejections.probe_failed("a", 0.2)] == [False, True]
    assert ejections.out(0.2) == {"a"}


def test_requests_that_succeed_outweigh_probes():
    ejections = pool("a", "b")
    for _ in range(9):
        ejections.probe_failed("a", 0.0)
        ejections.probe_failed("a", 0.0)
        ejections.succeeded("a", 0.0)

    assert ejections.out(0.0) == frozenset()


def test_an_answered_probe_forgives_probes_but_no_requests():
    ejections = pool("a", "b")
    ejections.failed("a", 0.0)
    ejections.failed("a", 0.0)
    ejections.probe_answered("a", 0.0)

    assert not ejections.probe_failed("b", 0.0)
    assert ejections.failed("a", 0.0)


def test_an_endpoint_that_can_be_reached_again_is_tried_at_once():
    ejections = pool("a", "b")
    for _ in range(3):
        ejections.probe_failed("a", 0.0)
    ejections.probe_answered("a", 0.2)

    assert ejections.standing("a", 0.2) is Standing.DUE


def test_an_answered_probe_does_not_shorten_the_back_off_of_failed_requests():
    ejections = broken()
    ejections.probe_answered("a", 0.2)

    assert ejections.standing("a", 0.2) is Standing.OUT


def test_probes_that_fail_further_do_not_lengthen_the_back_off():
    ejections = broken()
    for _ in range(5):
        assert not ejections.probe_failed("a", 0.5)

    assert ejections.next_change_at(0.5) == 1.0


def test_an_endpoint_that_left_is_forgotten():
    ejections = broken()
    ejections.left("a")
    ejections.joined("a")

    assert ejections.standing("a", 0.0) is Standing.IN


@pytest.mark.parametrize("told", ["failed", "succeeded", "probe_failed", "probe_answered", "sent"])
def test_strangers_change_nothing(told):
    ejections = pool("a")

    assert not getattr(ejections, told)("x", 0.0)
    assert ejections.standing("x", 0.0) is Standing.IN
    assert ejections.next_change_at(0.0) is None


def test_only_doubtful_endpoints_need_to_hear_of_successes():
    ejections = Ejections()
    ejections.joined("a")
    assert not ejections.doubtful
    ejections.failed("a", 0.0)
    ejections.probe_failed("a", 0.0)
    assert ejections.doubtful == {"a"}
    ejections.succeeded("a", 1.0)
    assert not ejections.doubtful
    ejections.failed("a", 2.0)
    ejections.left("a")
    assert not ejections.doubtful

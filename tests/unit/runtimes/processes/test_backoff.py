"""Pauses before the next try."""

import pytest

from bayplan.runtimes.processes.backoff import Backoff, jittered


def test_pauses_double_up_to_the_longest():
    backoff = Backoff(10, 300, free=1)

    assert [backoff.pause_s() for _ in range(9)] == [0, 10, 20, 40, 80, 160, 300, 300, 300]


def test_a_good_run_begins_anew():
    backoff = Backoff(10, 300, good_run_s=600, free=1)
    for _ in range(5):
        backoff.pause_s(1)

    assert backoff.pause_s(599) == 160
    assert [backoff.pause_s(601), backoff.pause_s(1)] == [0, 10]


def test_many_failures_do_not_overflow():
    backoff = Backoff(1, 60)
    backoff.failures = 100_000

    assert backoff.pause_s() == 60


@pytest.mark.parametrize("_", range(20))
def test_jitter_stays_near(_):
    assert 9 <= jittered(10) <= 11

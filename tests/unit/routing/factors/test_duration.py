"""Durations as configurations write them."""

import pytest

from bayplan.routing.factors.duration import seconds_of

CASES = {
    "200ms": 0.2,
    "2s": 2.0,
    "1m30s": 90.0,
    "1.5h": 5400.0,
    ".5s": 0.5,
    "1h2m3.5s": 3723.5,
    "10us": 1e-5,
    "10µs": 1e-5,
    "5ns": 5e-9,
    "-2s": -2.0,
    "+2s": 2.0,
    "0": 0.0,
    "": None,
    "2": None,
    "s": None,
    "a while": None,
    "1 minute": None,
    "2s ": None,
    "1d": None,
    "٢s": None,
}


@pytest.mark.parametrize(("text", "seconds"), CASES.items())
def test_seconds(text, seconds):
    assert seconds_of(text) == (None if seconds is None else pytest.approx(seconds))

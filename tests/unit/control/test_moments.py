"""Moments in the form of Kubernetes."""

import pytest

from bayplan.control.moments import written

MOMENTS = {
    "the beginning": (0.0, "1970-01-01T00:00:00Z"),
    "parts of a second are dropped": (1.9, "1970-01-01T00:00:01Z"),
    "a leap day": (1_709_210_096.5, "2024-02-29T12:34:56Z"),
}


@pytest.mark.parametrize(("seconds", "text"), MOMENTS.values(), ids=MOMENTS)
def test_moments(seconds, text):
    assert written(seconds) == text

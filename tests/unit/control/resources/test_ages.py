"""Ages are written as kubectl writes them."""

from datetime import UTC, datetime, timedelta

import pytest

from bayplan.control.resources.ages import age, short_duration

CASES = {
    0: "0s", 90: "90s", 119: "119s", 120: "2m", 150: "2m30s", 599: "9m59s", 601: "10m", 3 * 3600: "3h",
    3 * 3600 + 60: "3h1m", 8 * 3600 + 60: "8h", 47 * 3600: "47h", 48 * 3600: "2d", 49 * 3600: "2d1h",
    9 * 86400 + 3600: "9d", 729 * 86400: "729d", 731 * 86400: "2y1d", 9 * 365 * 86400 + 86400: "9y", -1: "0s",
    -5: "<invalid>",
}  # fmt: skip


@pytest.mark.parametrize(("seconds", "text"), CASES.items())
def test_short_duration(seconds, text):
    assert short_duration(timedelta(seconds=seconds)) == text


def test_age_of_a_timestamp():
    now = datetime(2026, 1, 1, 12, tzinfo=UTC)

    assert age("2026-01-01T11:55:00Z", now) == "5m"
    assert age(None, now) == age("yesterday", now) == age("2026-01-01", now) == "<unknown>"

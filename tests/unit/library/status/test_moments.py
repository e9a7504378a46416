import pytest

from bayplan.library.status.moments import moment_text, seconds_of


def test_there_and_back():
    assert moment_text(1_800_000_000) == "2027-01-15T08:00:00Z"
    assert seconds_of("2027-01-15T08:00:00Z") == 1_800_000_000


@pytest.mark.parametrize("value", [None, 3, "soon", ""])
def test_what_is_no_time(value):
    assert seconds_of(value) is None

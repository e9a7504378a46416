import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.section import Section

SECTION = Section({"one": 1, "zero": 0, "null": None, "text": "x", "list": [1, 2], "inner": {"two": 2}}, "at")


def test_the_first_name_that_is_there_counts():
    assert SECTION.count("absent", "null", "one", "text") == 1
    assert SECTION.get("null", "text") == "x"


def test_zero_and_null_say_nothing():
    assert SECTION.count("zero") is None
    assert "null" not in SECTION
    assert SECTION.count("null") is None


def test_kinds_that_are_not_asked_for_are_absent():
    assert SECTION.text("one") == ""
    assert SECTION.flag("text", absent=True)
    assert not SECTION.flag("one")
    assert SECTION.inner("one") is None
    assert SECTION.counts("one", most_entries=9) is None
    assert SECTION.words("one", most_entries=9) is None


def test_places_are_paths():
    assert SECTION.inner("inner").place("two") == "at.inner.two"
    with pytest.raises(InputError, match=r"^at.text: 'x' is not a number"):
        SECTION.count("text")


def test_lists_are_bounded():
    assert SECTION.counts("list", most_entries=2) == (1, 2)
    assert SECTION.words("list", most_entries=2) == ("1", "2")
    with pytest.raises(InputError, match=r"^at.list: 2 entries are too many; at most 1 are read"):
        SECTION.words("list", most_entries=1)

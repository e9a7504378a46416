"""Where this version failed to load, or is still being unloaded."""

from bayplan.serving.filters.not_failed import NotFailed
from unit.serving.builders import codes, server, subject, table


def test_marks():
    found = codes(NotFailed(), table(server("a", 4)), subject(failed={0, 2}, leaving={1, 2}))

    assert {place: [each.code for each in told] for place, told in found.items()} == {
        "a/0": ["load-failed"],
        "a/1": ["leaving"],
        "a/2": ["load-failed", "leaving"],
    }
    assert all(each.curable for told in found.values() for each in told)


def test_no_mark():
    assert codes(NotFailed(), table(server("a")), subject()) == {}

from __future__ import annotations

import pytest

from bayplan.placement.answers.changes.ladder import listed

NAMES = {
    "one":   ("a", "a"),
    "two":   ("ab", "a and b"),
    "many":  ("abcdefg", "a and b and c and d and 3 more"),
}  # fmt: skip


@pytest.mark.parametrize(("names", "text"), NAMES.values(), ids=NAMES)
def test_listed(names, text):
    assert listed(list(names)) == text

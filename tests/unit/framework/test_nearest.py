"""Did you mean."""

from __future__ import annotations

import pytest

from bayplan.framework.nearest import did_you_mean, nearest

NEAREST = {
    "one letter off":  ("binpak", ["binpack", "spread"], "binpack"),
    "letters swapped": ("spraed", ["binpack", "spread"], "spread"),
    "other case":      ("BINPACK", ["binpack"], "binpack"),
    "snake for camel": ("per_row", ["perRow"], "perRow"),
    "nothing alike":   ("x", ["binpack"], None),
    "nothing there":   ("x", [], None),
    "endless":         ("binpack" * 20, ["binpack" * 20], None),
    "the nearer":      ("scorer-b", ["scorer-abc", "scorer-bb"], "scorer-bb"),
    "same but case":   ("ab", ["AB", "ab"], "AB"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "names", "expected"), NEAREST.values(), ids=NEAREST)
def test_nearest(name, names, expected):
    assert nearest(name, names) == expected


FOURTEEN = [f"n{index:02}" for index in range(14)]
TWELVE = "there are: n00, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11"
STEPS = {
    "near":    ("binpak", ["binpack"], "did you mean 'binpack'?"),
    "far":     ("x", ["c", "b", "b"], "there are: b, c"),
    "many":    ("x", FOURTEEN, f"{TWELVE} and 2 more"),
    "exactly": ("x", FOURTEEN[:12], TWELVE),
    "none":    ("x", [], "there is none to choose from"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "names", "expected"), STEPS.values(), ids=STEPS)
def test_did_you_mean(name, names, expected):
    assert did_you_mean(name, names) == expected

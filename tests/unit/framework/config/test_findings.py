"""All problems at once, each with the nearest line."""

from __future__ import annotations

import pytest

from bayplan.framework.config.findings import MOST_PROBLEMS, Findings
from bayplan.framework.config.place import Place
from bayplan.framework.errors import ConfigError

LINES = {"": 1, "plugins": 2, "plugins[0]": 3, "plugins[0].type": 4}
PLACES = {
    "its own":      (("plugins", 0, "type"), 4),
    "around it":    (("plugins", 0, "name", "x"), 3),
    "further out":  (("plugins", 7, "name"), 2),
    "the document": (("profiles",), 1),
    "the root":     ((), 1),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "line"), PLACES.values(), ids=PLACES)
def test_the_line_of_a_problem(steps, line):
    findings = Findings(LINES.get)
    findings.add(Place(steps), "is wrong", "repair it")
    findings.warn(Place(steps), "is odd")

    assert [each.line for each in (*findings.problems, *findings.warnings)] == [line, line]


def test_nobody_knows_the_lines():
    findings = Findings(lambda path: None)
    findings.add(Place(("a",)), "is wrong")
    unknown = Findings()
    unknown.add(Place(("a",)), "is wrong")

    assert findings.problems == unknown.problems
    assert findings.problems[0].line is None


def test_the_error_has_all_of_them_in_the_order_of_lines():
    findings = Findings(LINES.get)
    findings.add(Place(("plugins", 0, "type")), "second")
    findings.add(Place(("plugins",)), "first", "repair it")

    error = findings.error()
    assert [each.message for each in error.problems] == ["first", "second"]
    assert str(error) == "plugins (line 2): first (and 1 more problem); repair it"


def test_very_many_problems_end_the_pass():
    findings = Findings()
    for index in range(MOST_PROBLEMS - 1):
        findings.add(Place((index,)), "is wrong")

    with pytest.raises(ConfigError) as caught:
        findings.add(Place(("last",)), "is wrong")
    assert len(caught.value.problems) == MOST_PROBLEMS


def test_very_many_warnings_are_cut_off():
    findings = Findings()
    for index in range(MOST_PROBLEMS + 5):
        findings.warn(Place((index,)), "is odd")

    assert len(findings.warnings) == MOST_PROBLEMS

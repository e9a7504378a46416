import json

import pytest

from bayplan.cli.errors import report, warn
from bayplan.framework.errors import BayplanError, ConfigError, InputError, Problem

TWO_PROBLEMS = ConfigError((Problem("a.b", "is missing", "give text", 3), Problem("c", "is odd")))

BUG = (
    "error: bayplan: unexpected ZeroDivisionError: division by zero; "
    "this is a bug: please report it with what --debug shows\n"
)
LINES = {
    "all parts":    (InputError("is odd", place="a:3", next="repair it"), "error: a:3: is odd; repair it\n"),
    "no next":      (InputError("is odd", place="a:3"), "error: a:3: is odd\n"),
    "several":      (TWO_PROBLEMS, "error: a.b (line 3): is missing; give text\nerror: c: is odd\n"),
    "hostile":      (InputError("bad\nname \x1b[2J", place="x"), "error: x: bad name �[2J\n"),
    "no such file": (OSError(2, "No such file", "a"), "error: a: No such file; check the file or the disk\n"),
    "no memory":    (MemoryError(), "error: bayplan: out of memory; hand in less at once\n"),
    "a bug":        (ZeroDivisionError("division by zero"), BUG),
}  # fmt: skip


@pytest.mark.parametrize(("problem", "lines"), LINES.values(), ids=LINES)
def test_errors_for_people_stand_on_one_line_each(problem, lines, capsys):
    report(problem)

    assert capsys.readouterr() == ("", lines)


DOCUMENTS = {
    "all parts": (InputError("m", place="p", next="n"), ("invalid-input", "p", "m", "n")),
    "own code":  (BayplanError("m", code="quota"), ("quota", "", "m", "")),
    "a file":    (OSError(13, "Denied", "a.yaml"), ("io", "a.yaml", "Denied", "check the file or the disk")),
}  # fmt: skip


@pytest.mark.parametrize(("problem", "document"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_errors_for_programs_are_one_document(problem, document, capsys):
    report(problem, as_json=True)

    keys = ("code", "place", "message", "next")
    assert json.loads(capsys.readouterr().err) == {"error": dict(zip(keys, document, strict=True))}


def test_all_problems_of_a_configuration_are_in_the_document(capsys):
    report(TWO_PROBLEMS, as_json=True)

    error = json.loads(capsys.readouterr().err)["error"]
    assert error["message"] == "is missing (and 1 more problem)"
    assert error["problems"] == [
        {"place": "a.b", "message": "is missing", "next": "give text", "line": 3},
        {"place": "c", "message": "is odd", "next": ""},
    ]


@pytest.mark.parametrize("debug", [False, True])
def test_the_traceback_is_shown_only_to_who_asks(debug, capsys):
    problem = InputError("m", place="p")
    report(problem, debug=debug)
    report(problem, debug=debug, as_json=True)

    *text, document = capsys.readouterr().err.splitlines()
    assert (text[0] == "bayplan.framework.errors.InputError: p: m") is debug
    assert ("traceback" in json.loads(document)["error"]) is debug


def test_warnings_go_to_stderr(capsys):
    warn("two\nlines")

    assert capsys.readouterr() == ("", "warning: two lines\n")

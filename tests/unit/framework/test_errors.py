"""Errors read `PLACE: MESSAGE; NEXT`, and say the same to a program."""

import pytest

from bayplan.framework.errors import (
    BayplanError,
    ConfigError,
    ConflictError,
    HandlerError,
    InputError,
    PickerError,
    PluginError,
    Problem,
    UnknownPluginError,
)

TEXTS = {
    "all of it": (InputError("is wrong", place="here", next="repair it"), "here: is wrong; repair it"),
    "no place": (InputError("is wrong", next="repair it"), "is wrong; repair it"),
    "no next step": (InputError("is wrong", place="here"), "here: is wrong"),
    "a message alone": (BayplanError("is wrong"), "is wrong"),
    "a plugin": (PluginError("p", "raised"), "plugin p: raised"),
    "a plugin and a step": (PickerError("p", "raised", next="repair it"), "plugin p: raised; repair it"),
}


@pytest.mark.parametrize(("error", "text"), TEXTS.values(), ids=TEXTS)
def test_what_a_reader_sees(error, text):
    assert str(error) == text
    assert error.args == (text,)


CODES = {
    BayplanError: "error", UnknownPluginError: "unknown-plugin", ConflictError: "conflict",
}  # fmt: skip


@pytest.mark.parametrize("kind", CODES)
def test_what_a_program_sees(kind):
    assert kind("m").as_dict() == {"code": CODES[kind], "place": "", "message": "m", "next": ""}
    assert kind("m", place="p", next="n", code="special").as_dict() == {
        "code": "special", "place": "p", "message": "m", "next": "n",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "code"),
    [(PluginError, "broken-plugin"), (PickerError, "broken-picker"), (HandlerError, "broken-handler")],
)
def test_errors_of_plugins_name_the_plugin(kind, code):
    error = kind("p", "m", next="n")

    assert error.plugin == "p"
    assert error.as_dict() == {"code": code, "place": "plugin p", "message": "m", "next": "n"}


COUNTS = {1: "wrong", 2: "wrong (and 1 more problem)", 3: "wrong (and 2 more problems)"}


@pytest.mark.parametrize("count", COUNTS)
def test_a_configuration_tells_its_first_problem_and_counts_the_others(count):
    problems = (Problem("a", "wrong", "mend it", line=3), *[Problem("b", "bad", "")] * (count - 1))
    error = ConfigError(problems)

    assert (error.code, error.problems) == ("invalid-config", problems)
    assert str(error) == f"a (line 3): {COUNTS[count]}; mend it"


def test_a_problem_without_a_line():
    assert str(ConfigError((Problem("a", "wrong", "mend it"),))) == "a: wrong; mend it"
    assert str(Problem("a", "wrong", "mend it", line=3)) == "a (line 3): wrong; mend it"
    assert str(Problem("b", "bad", "")) == "b: bad"
